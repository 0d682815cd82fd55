#include "bpe/limits.hpp"

#include <vector>

#include "bpe/appending.hpp"
#include "bpe/prepending.hpp"
#include "bpe/thresholds.hpp"

namespace bpe {

namespace {

std::size_t tokens_at_least(const Dictionary& dictionary, std::size_t bytes) { return (bytes + dictionary.longest() - 1) / dictionary.longest(); }

// The ends of the next `mark_distance` characters from `place` on.
void next_characters(Bytes text, std::size_t place, std::vector<std::size_t>& ends) {
    UnicodeTable const& table = UnicodeTable::instance();
    ends.clear();
    while (place < text.size && ends.size() < thresholds::mark_distance) {
        place += table.at(text.data, place, text.size).size;
        ends.push_back(place);
    }
}

// The starts of the `mark_distance` characters before `place`, from right to left.
void previous_characters(Bytes text, std::size_t place, std::vector<std::size_t>& starts) {
    UnicodeTable const& table = UnicodeTable::instance();
    starts.clear();
    while (place > 0 && starts.size() < thresholds::mark_distance) {
        std::size_t start = place - 1;
        for (std::size_t back = 1; back <= 4 && back <= place; ++back) {
            if (UnicodeTable::continues(text[place - back])) continue;
            if (table.at(text.data, place - back, place).size == back) start = place - back;
            break;
        }
        place = start;
        starts.push_back(place);
    }
}

// Grows from `first` towards `last`: `next(place, stops)` returns offsets on the way, `grow(from, to)` adds the text between two of them.
template <class Growing, class Grow, class Next>
std::size_t fitting(Growing& growing, std::size_t first, std::size_t last, std::size_t most, Grow&& grow, Next&& next) {
    struct Mark {
        std::size_t place;
        typename Growing::State state;
    };
    std::vector<Mark> marks;
    std::vector<std::size_t> stops;
    std::size_t place = first;
    while (place != last) {
        marks.push_back({place, growing.state()});
        next(place, stops);
        grow(place, stops.back());
        place = stops.back();
        if (growing.fewest() > most) break;
    }
    if (place == last && growing.count() <= most) return last;
    while (!marks.empty()) {
        Mark const mark = marks.back();
        marks.pop_back();
        growing.return_to(mark.state);
        std::size_t found = mark.place;
        bool fits = growing.count() <= most;
        next(mark.place, stops);
        std::size_t from = mark.place;
        for (std::size_t const stop : stops) {
            grow(from, stop);
            from = stop;
            if (growing.count() <= most) {
                found = stop;
                fits = true;
            }
        }
        if (fits) return found;
    }
    return first;
}

}  // namespace

std::optional<std::size_t> count_up_to(const Encoder& encoder, Bytes text, std::size_t limit) {
    Dictionary const& dictionary = encoder.dictionary();
    if (text.size == 0) return 0;
    // A lower bound: no token has more bytes than the longest.
    if (tokens_at_least(dictionary, text.size) > limit) return std::nullopt;
    const Scanner* const scanner = encoder.scanner();
    if (!scanner) {
        std::size_t const count = encoder.count(text);
        return count <= limit ? std::optional(count) : std::nullopt;
    }
    Encoder::Lease const lease(encoder);
    std::size_t total = 0;
    for (std::size_t place = 0; place < text.size;) {
        Step const step = scanner->step(text.data, place, text.size);
        std::size_t start = place;
        std::uint64_t ends = step.ends;
        do {
            std::size_t const end = ends ? place + static_cast<std::size_t>(std::countr_zero(ends)) + 1 : place + step.consumed();
            if (total + tokens_at_least(dictionary, end - start) > limit) return std::nullopt;
            total += encoder.count_piece(text.part(start, end), text.size - start, *lease);
            if (total > limit) return std::nullopt;
            start = end;
            ends &= ends - 1;
        } while (ends);
        place += step.consumed();
    }
    return total;
}

std::size_t fitting_prefix(const std::shared_ptr<const Encoder>& encoder, Bytes text, std::size_t most) {
    AppendingEncoder growing(encoder);
    return fitting(
        growing, 0, text.size, most, [&](std::size_t from, std::size_t to) { growing.append(text.part(from, to)); },
        [&](std::size_t place, std::vector<std::size_t>& stops) { next_characters(text, place, stops); });
}

std::size_t fitting_suffix(const std::shared_ptr<const Encoder>& encoder, Bytes text, std::size_t most) {
    PrependingEncoder growing(encoder);
    std::size_t const start = fitting(
        growing, text.size, 0, most, [&](std::size_t from, std::size_t to) { growing.prepend(text.part(to, from)); },
        [&](std::size_t place, std::vector<std::size_t>& stops) { previous_characters(text, place, stops); });
    return text.size - start;
}

}  // namespace bpe
