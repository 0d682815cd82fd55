// Chunks, grown one after the other with every option: what chunker/growing/grower.py and cut_rules.py say, which is the specification.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "chunker/characters.hpp"
#include "chunker/counter.hpp"
#include "chunker/limits.hpp"
#include "chunker/overlap.hpp"
#include "chunker/units.hpp"

namespace chunker {

class Grower {
public:
    Grower(const Text& text, OutlineRows rows, const Limits& limits, Counter& counter, Surroundings& surroundings);

    // The next chunk; none after the last one, and if the chunk would begin after `horizon`. Throws TooSmall.
    std::optional<Piece> next(std::size_t horizon = std::numeric_limits<std::size_t>::max());

    // How far the last chunk looked: text after this offset cannot change it. Known for chunks that are grown after `follow`, which makes each of
    // them a little slower.
    std::size_t reach() const { return reach_; }
    void follow() { follows_ = true; }

    const Units& units() const { return units_; }
    // How many of the units ahead repeat the end of the previous chunk.
    std::size_t overlapping() const { return overlapping_; }
    // Put units ahead that another grower had, the first `overlapping` of which repeat the end of a chunk.
    void resume(Places ahead, std::size_t overlapping);
    // One of those is closed: where it begins, and does so in the sketch.
    void close(std::size_t offset, std::size_t said) { units_.close(offset, said); }

private:
    // A chunk in the making: the units that it could contain, and its size after each. See chunker/growing/cut_rules.py.
    struct Draft {
        std::int64_t least;
        Context context;
        std::size_t base, fresh;
        Places places;
        std::vector<std::size_t> sizes;
        bool complete = false;
    };

    // A text that fits as a whole, and is counted for less than the prices of its parts; none if it does not, or a chunk of it may be smaller.
    std::optional<Piece> whole_text();
    Draft fill();
    Draft begin(Context context);
    void extend(Draft& draft);
    void leap(Draft& draft);
    bool make_room(Draft& draft, const Place& after);
    bool stays_whole(Draft& draft);
    std::int64_t least_gain() const;
    Context context();

    std::size_t size(Draft& draft, std::size_t cut);
    void measure_all(Draft& draft);
    // The tokens that a chunk of this many units adds to the previous chunk. More text may have fewer tokens.
    std::int64_t gain(Draft& draft, std::size_t cut) {
        return cut > draft.fresh ? static_cast<std::int64_t>(size(draft, cut)) - static_cast<std::int64_t>(draft.base) : 0;
    }
    static const Place& place(const Draft& draft, std::size_t cut, const Place& after) { return cut < draft.places.size() ? draft.places[cut] : after; }
    bool tears_head(Draft& draft, std::size_t cut, const Place& after);

    bool choose_cut(Draft& draft, std::size_t& cut);
    std::size_t best_cut(Draft& draft, const Place& after);
    std::size_t whole_units(Draft& draft, const Place& after, std::size_t cut);
    std::size_t balanced_tail(Draft& draft, const Place& after, std::size_t cut, std::size_t whole);
    void leave_blank_lines(Draft& draft);

    // Append what fits, and of what is too long at most a part; the count then.
    std::size_t append_fitting(std::size_t start, std::size_t end, std::size_t limit);
    std::size_t end_before_blank_lines(std::size_t start, std::size_t end) const;
    bool fits_alone(std::size_t start, std::size_t end);
    bool is_undersized(std::size_t start);

    // A decision depends on text[:offset].
    void see(std::size_t offset) { reach_ = std::max(reach_, offset); }
    // That text[start:end] is over a limit, too, but only on so much of it that no other end could make it fit.
    void see_too_much(std::size_t start, std::size_t end, std::size_t limit);

    void repeat_end_of(Places places);
    void shorten_overlap(Draft& draft);

    const Text& text_;
    Limits limits_;
    Counter& counter_;
    Surroundings& surroundings_;
    Units units_;
    Overlap overlap_;
    std::size_t overlapping_ = 0;
    std::size_t reach_ = 0;
    bool follows_ = false;
};

}  // namespace chunker
