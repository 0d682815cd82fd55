#include "chunker/overlap.hpp"

#include <algorithm>
#include <utility>

#include "chunker/refining.hpp"

namespace chunker {

namespace {

// Tokens that a leap leaves of an overlap: that a unit inside it is over the limit, and the whole of it is not, would take a fall of so many.
constexpr std::size_t leap_spares = 3;

}  // namespace

Places Overlap::repeated(Places places, const Place& next, std::size_t far) const {
    while (true) {
        std::size_t const keep = farthest_back(places, next.offset, far);
        if (units_.open_taken(places, keep - 1)) continue;
        // The unit in front of it is too long; but it may be several, and if nothing fits then words are better than nothing.
        Place const after = keep < places.size() ? places[keep] : next;
        Places parts = units_.several(places[keep - 1], &after);
        if (parts.empty()) parts = units_.finer(places[keep - 1], &after, keep == places.size() ? strength::grapheme : limits_.overlap_finest);
        if (parts.empty()) {
            places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(keep));
            return places;
        }
        places.insert(places.begin() + static_cast<std::ptrdiff_t>(keep), parts.begin(), parts.end());
    }
}

std::size_t Overlap::farthest_back(const Places& places, std::size_t end, std::size_t far) const {
    std::size_t const behind = end;
    std::size_t keep = leap_back(places, end, far);
    if (keep < places.size()) end = places[keep].offset;
    for (std::size_t index = keep - 1; index > 0; --index) {
        std::size_t const start = places[index].offset;
        std::size_t const count = prepend_fitting(start, end, behind);
        if (count <= limits_.overlap)
            keep = index;
        else if (count > limits_.overlap + limits_.look_ahead)
            break;
        end = start;
    }
    return keep;
}

// Goes in one step to a place that most of the overlap surely reaches, and answers with it; places.size() where it does not, and nothing is done.
std::size_t Overlap::leap_back(const Places& places, std::size_t end, std::size_t far) const {
    begin();
    if (far == 0 || far >= end) return places.size();
    auto const place = std::lower_bound(places.begin() + 1, places.end(), end - far, [](const Place& known, std::size_t offset) { return known.offset < offset; });
    if (places.end() - place < 3) return places.size();
    if (prepend_fitting(place->offset, end, end) + leap_spares <= limits_.overlap) return static_cast<std::size_t>(place - places.begin());
    begin();
    return places.size();
}

void Overlap::begin() const {
    if (!prices_) counter_.begin_at_the_end();
}

// Prepend what fits into the overlap, and of what is too long at most a part; the count of all up to `behind` then.
std::size_t Overlap::prepend_fitting(std::size_t start, std::size_t end, std::size_t behind) const {
    if (prices_) return prices_->count(start, behind);
    std::size_t count = 0;
    for (std::size_t at = end; at > start;) {
        std::size_t const from = at - start > limits_.overlap_look ? at - limits_.overlap_look : start;
        count = counter_.prepend(from, at);
        at = from;
        if (count > limits_.overlap + limits_.look_ahead) break;
    }
    return count;
}

Places Overlap::shortened(const Places& repeated, std::size_t end) const {
    std::size_t keep = repeated.size() / 2;
    while (keep > 0 && !counter_.count_up_to(0, repeated[repeated.size() - keep].offset, end, limits_.overlap)) --keep;
    return {repeated.end() - static_cast<std::ptrdiff_t>(keep), repeated.end()};
}

}  // namespace chunker
