#include "chunker/overlap.hpp"

#include <algorithm>

#include "chunker/refining.hpp"

namespace chunker {

Places Overlap::repeated(Places places, const Place& next) const {
    std::size_t first = 1, known = places.size();
    while (true) {
        std::size_t const keep = farthest_back(places, next.offset, first, known);
        // The unit in front of it is too long. It may be closed: those after it stay so, as the overlap begins in none of them.
        if (std::size_t const number = units_.open_taken(places, keep - 1); number > 0) {
            first = keep;
            known = keep + number;
            continue;
        }
        // It may be several, and if nothing fits then words are better than nothing.
        Place const& after = keep < places.size() ? places[keep] : next;
        Places parts = units_.several(places[keep - 1], after);
        if (parts.empty()) parts = units_.finer(places[keep - 1], after, keep == places.size() ? strength::grapheme : limits_.overlap_finest);
        if (parts.empty()) {
            places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(keep));
            return places;
        }
        places.insert(places.begin() + static_cast<std::ptrdiff_t>(keep), parts.begin(), parts.end());
        first = keep;
        known = keep + parts.size();
    }
}

// The first of places[first:] from which the text up to `end` fits, and of those up to `known`, which is one of them or the number of all; `known` where there
// is none.
std::size_t Overlap::farthest_back(const Places& places, std::size_t end, std::size_t first, std::size_t known) const {
    std::size_t keep = leap_back(places, end, first, known);
    std::size_t const reached = keep < places.size() ? places[keep].offset : end;
    if (keep == known) counter_.begin_to_the_left(reached, end);
    end = reached;
    for (std::size_t index = keep - 1; index >= first; --index) {
        std::size_t const start = places[index].offset;
        std::size_t const count = prepend_fitting(start, end);
        if (count <= limits_.overlap) keep = index;
        else if (count > limits_.overlap + look_ahead) break;
        end = start;
    }
    return keep;
}

// Goes in one step to one of places[first:known] that the overlap surely reaches, and answers with it; `known` where there is none.
std::size_t Overlap::leap_back(const Places& places, std::size_t end, std::size_t first, std::size_t known) const {
    if (limits_.overlap <= leap_spares || known - first < 2) return known;
    std::size_t const reached = counter_.reach_back(end, limits_.overlap - leap_spares);
    auto const stop = places.begin() + static_cast<std::ptrdiff_t>(known);
    auto const place = std::lower_bound(places.begin() + static_cast<std::ptrdiff_t>(first), stop, reached,
                                        [](const Place& one, std::size_t offset) { return one.offset < offset; });
    if (stop - place < 2) return known;
    counter_.begin_to_the_left(end, end);
    return counter_.prepend(place->offset, end) <= limits_.overlap ? static_cast<std::size_t>(place - places.begin()) : known;
}

// Prepend what fits into the overlap, and of what is too long at most a part; the count of all then.
std::size_t Overlap::prepend_fitting(std::size_t start, std::size_t end) const {
    std::size_t const look = limits_.overlap_look();
    std::size_t count = 0;
    for (std::size_t at = end; at > start;) {
        std::size_t const from = at - start > look ? at - look : start;
        count = counter_.prepend(from, at);
        at = from;
        if (count > limits_.overlap + look_ahead) break;
    }
    return count;
}

Places Overlap::shortened(const Places& repeated, std::size_t end) const {
    std::size_t keep = repeated.size() / 2;
    while (keep > 0 && !counter_.count_up_to(0, repeated[repeated.size() - keep].offset, end, limits_.overlap)) --keep;
    return {repeated.end() - static_cast<std::ptrdiff_t>(keep), repeated.end()};
}

}  // namespace chunker
