// The units of a text that are still ahead of the growing chunk, cut finer where they are too long: what chunker/growing/units.py says.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "chunker/characters.hpp"
#include "chunker/constants.hpp"
#include "chunker/counter.hpp"

namespace chunker {

inline constexpr std::size_t no_outline_row = std::numeric_limits<std::size_t>::max();

// A boundary, and the offset of the next one that is stronger: there ends the unit that a cut here would break.
struct Place {
    std::size_t offset;  // in characters
    std::int64_t strength;
    std::size_t label;  // its number: that of the row, then those of the levels of `refine`, then those that were found inside units
    std::size_t enclosing_end;
    std::size_t row;  // the row of the outline; no_outline_row if there is none
};

using Places = std::vector<Place>;

// The number of the last of places[start:stop] that is stronger; `stop` if none is.
std::size_t last_stronger(const Places& places, std::int64_t strength, std::size_t start, std::size_t stop);

// The end of the head that an offset is in; 0 if it is in none.
std::size_t end_of_head(const Heads& heads, std::size_t offset);

// The boundaries of an outline or a sketch, by columns. `closed`: one for each row, whether more boundaries are inside; or none at all.
struct OutlineRows {
    std::vector<std::int64_t> offsets, strengths;
    std::vector<unsigned char> closed;
    Heads heads;
    std::int64_t finest;

    // Let the unit that begins at `offset` be closed; false if none does.
    bool close(std::int64_t offset);
};

class Units {
public:
    // `are_joined`: units are put together, so that one may hold several sentences although all sentences of its text were found before.
    Units(const Text& text, OutlineRows rows, Surroundings& surroundings, bool are_joined = false);

    bool empty() const { return front_.empty() && next_row_ >= size_; }
    // The place where the next unit begins; there is one.
    Place next() const { return front_.empty() ? row(next_row_) : front_.back(); }
    // The start of the unit after this many units ahead; or the end of the text.
    std::size_t offset_of(std::size_t number) const;
    std::size_t offset() const { return offset_of(0); }
    // The offset at which the next unit ends.
    std::size_t end() const { return offset_of(1); }
    // The place where the next unit ends.
    Place after_next() const;
    Place end_of_text() const { return {text_.size(), strength::document, 0, text_.size(), no_outline_row}; }
    // How many units ahead begin at or before `offset`; the end of the text counts as the start of one.
    std::size_t number_up_to(std::size_t offset) const;

    // Take the next units, and append the offsets where they begin to `to`.
    void take(std::size_t number, Places& to);
    // Leave the first `keep` of the places taken; the others are ahead again.
    void put_back(Places& places, std::size_t keep = 0);
    void split_next(const Places& parts);
    // Let the next unit end, and the one after it begin, at `offset`.
    void move_next_end(std::size_t offset);

    bool next_is_closed() const { return !empty() && is_closed(next()); }
    // Cut the next unit at the boundaries inside it that a sketch has left for later; whether there are any.
    bool open_next();
    // Opens one of the places taken last, and takes its parts, too; returns how many there are, 0 if it is not closed.
    std::size_t open_taken(Places& places, std::size_t index);
    // Opens all closed units among the places taken last.
    void open_all_taken(Places& places);
    void open_all();
    // Whether there are closed units from `start` on.
    bool any_closed(std::size_t start) const;

    // The boundaries inside the unit between two places that are not weaker than those: it is several units of its own level.
    Places several(const Place& place, const Place& after) const;
    // The boundaries inside a unit, of the next finer level that has any, but not below `least`.
    Places finer(const Place& place, const Place& after, std::int64_t least = 0) const;
    bool next_is_of_outline() const;
    // Whether a larger unit ends where the next one does, and not at the end of the text.
    bool next_completes_unit() const;

    // If a cut at this offset would be inside the head of a definition: the end of the definition's first line; else 0.
    std::size_t head_end(std::size_t offset) const;

    // To continue elsewhere: the places before the rows, the next one first, and the row after them.
    Places front() const { return {front_.rbegin(), front_.rend()}; }
    std::size_t front_size() const { return front_.size(); }
    std::size_t next_row() const { return next_row_; }
    // The start of the last place in front whose `enclosing_end` is the end of the text; -1 if there is none.
    std::ptrdiff_t unsettled() const;
    // Of a place of those whether it is closed, and where the sketch says that it begins; no_outline_row for one that is not.
    std::size_t closed_at(const Place& place) const;
    // Let a place in front be closed, that begins at `said` in the sketch.
    void close(std::size_t offset, std::size_t said) { moved_[offset] = said; }
    std::size_t size() const { return front_.size() + size_ - next_row_; }

private:
    Place row(std::size_t number) const;
    bool is_closed(const Place& place) const;
    // Let a closed unit be closed no more; where the sketch says that it begins.
    std::size_t opened(const Place& place);
    std::int64_t level(const Place& place, const Place& after) const { return std::min({rows_.finest, place.strength, after.strength}); }
    Places parts(const Place& place, const Place& after, std::int64_t strength, std::int64_t least) const;
    // Whether a unit of this level is known to be one sentence: it lies in a span of which all sentences were found.
    bool is_sentence(std::size_t start, std::size_t end, std::int64_t level) const;
    // The offset of the first boundary, from `place` on, that is stronger; the end of the text if there is none.
    std::size_t stronger_from(const Place& place, std::int64_t strength) const;

    const Text& text_;
    OutlineRows rows_;
    Surroundings& surroundings_;
    bool are_joined_;
    std::size_t size_;                   // of the rows
    std::vector<std::size_t> end_rows_;  // the next stronger row
    std::size_t next_row_ = 0;
    struct Span {
        std::size_t start = 0, end = 0;
    };
    mutable std::array<Span, 2> read_spans_;                    // the last two of which all sentences were found: each would be read again where a chunk ends
    Places front_;                                              // before what is ahead of the rows, last one first
    std::unordered_map<std::size_t, std::size_t> moved_;        // where closed units begin that got the blank lines before them -> where the sketch says so
    std::unordered_map<std::size_t, std::size_t> inner_heads_;  // those of units that were opened
};

}  // namespace chunker
