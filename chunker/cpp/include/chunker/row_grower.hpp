// Chunks of whole rows, grown one after the other: what chunker/growing.py does, for as long as the rows of an outline are all it takes.
//
//     rows      | a line | a line | a function, closed      | a line | a line ...
//     chunks    ^---------------------------------- - - - - ^
//
// A row is what stands between two neighbouring boundaries of the outline. Where a chunk takes more than whole rows, because a row has to
// be cut or looked into, or a crumb would be left, the grower stops in front of that chunk, and Python goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bpe/growing_interface.hpp"

namespace chunker {

struct Limits {
    std::size_t most;           // tokens of a chunk
    std::size_t least;          // tokens of a chunk, where there is a choice
    std::size_t look_ahead;     // tokens above the budget at which growing still goes on
    std::size_t leap_fills;     // tokens that a chunk has at most after a leap
    double leap;                // how much of the way that the last chunk came is one leap
    std::size_t stride;         // characters that are appended before the count is looked at
    std::size_t longest_token;  // characters a token of a limit, above which a text is not counted
    std::int64_t finest;        // the strength to which the outline goes everywhere
};

class RowGrower {
public:
    struct Piece {
        std::size_t end;  // the row behind it
        std::size_t tokens;
    };

    // `text` in UTF-8, which must live as long as this; `offsets` of the rows in characters, the first 0; `size` of the text in characters.
    RowGrower(const unsigned char* text, std::size_t bytes, std::vector<std::int64_t> offsets, std::vector<std::int64_t> strengths,
              std::size_t size, const Limits& limits);

    std::size_t rows() const { return strengths_.size(); }

    // The chunks from `row` on, at most `number`. `closed`, a byte a row: whether more boundaries are inside. `full`: the characters that the
    // last chunk would have needed to be full, 0 where that is not known; afterwards those of the last of these.
    std::vector<Piece> grow(const GrowingInterface& encoder, std::size_t row, std::size_t number, const unsigned char* closed, std::size_t& full) const;

private:
    // What fits: the rows from `first` up to `next`, and their tokens.
    struct Filling {
        std::size_t first, next, tokens;
    };

    bool fill(const GrowingInterface& encoder, std::size_t row, std::size_t full, Filling& filling) const;
    bool append(const GrowingInterface& encoder, std::size_t from, std::size_t to, std::size_t& tokens) const;
    bool stays_whole(const GrowingInterface& encoder, const Filling& filling) const;
    bool takes_blank_lines(const GrowingInterface& encoder, const Filling& filling) const;
    bool whole_units(const GrowingInterface& encoder, Filling& filling) const;
    bool fits_alone(const GrowingInterface& encoder, std::size_t first, std::size_t behind) const;
    bool is_crumb(const GrowingInterface& encoder, std::size_t row) const;
    bool fits(const GrowingInterface& encoder, std::size_t start, std::size_t end, std::size_t limit, std::size_t& tokens) const;

    // The last of rows[first:behind] that is stronger; `behind` if none is.
    std::size_t last_stronger(std::int64_t strength, std::size_t first, std::size_t behind) const;
    // Places in bytes: where a row begins, the text's end behind the last; and where the blank lines begin that rows end with.
    std::size_t place(std::size_t row) const { return places_.empty() ? static_cast<std::size_t>(offsets_[row]) : places_[row]; }
    std::size_t end_of_ink(std::size_t start, std::size_t end) const;
    std::size_t size_of(std::size_t first, std::size_t behind) const { return static_cast<std::size_t>(offsets_[behind] - offsets_[first]); }

    const unsigned char* text_;
    std::vector<std::int64_t> offsets_, strengths_;  // one offset more than rows: the text's end
    std::vector<std::int64_t> end_rows_;             // the next stronger row
    std::vector<std::size_t> places_;                // empty where the text is ASCII
    Limits limits_;
};

}  // namespace chunker
