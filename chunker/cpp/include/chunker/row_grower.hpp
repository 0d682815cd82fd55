// Chunks of whole units, grown one after the other: what chunker/growing.py does, for as long as the units that are known are all it takes.
//
//     units     | a line | a line | a function, closed      | a line | a line ...
//     chunks    ^---------------------------------- - - - - ^
//
// Most units are rows: what stands between two neighbouring boundaries of the outline. In front of them may be units that were found later,
// inside a row. Where a unit has to be cut or looked into, the head of a definition might be torn, or a crumb would be left, the grower stops in front of that chunk, and Python
// goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

// Where a unit begins, or the text ends.
struct Spot {
    std::size_t offset;  // in characters
    std::size_t place;   // in bytes
};

// A unit that is no row: where it begins, and the larger one ends that a cut there would break.
struct Unit {
    Spot start, end;
    std::int64_t strength;
    bool closed;
    bool in_head;  // between the top of a definition and its first line, that one included
};

class RowGrower {
public:
    struct Piece {
        std::size_t units;   // from the first one of all on
        std::size_t tokens;
    };
    struct Grown {
        std::vector<Piece> pieces;
        // A closed unit: where somebody has looked into it, growing may go on.
        std::optional<std::size_t> opening;
    };

    // `text` in UTF-8, which must live as long as this; `offsets` of the rows in characters, the first 0; `size` of the text in characters.
    RowGrower(const unsigned char* text, std::size_t bytes, std::vector<std::int64_t> offsets, std::vector<std::int64_t> strengths,
              std::size_t size, const Limits& limits);

    std::size_t rows() const { return strengths_.size(); }
    // In characters; the end of the text is that of the row behind the last.
    std::size_t start(std::size_t row) const { return static_cast<std::size_t>(offsets_[row]); }

    // At most `number` chunks of the units in `front` and, if these are all that are, of the rows from `row` on. `closed`, a byte a row:
    // 1 if more boundaries are inside, plus 2 if it begins in the head of a definition. `full`: the characters that the last chunk would have needed to be full, 0 where that is not
    // known; afterwards those of the last of these.
    Grown grow(const GrowingInterface& encoder, const std::vector<Unit>& front, bool whole_front, std::size_t row, std::size_t number,
               const unsigned char* closed, std::size_t& full) const;

    // Where the character at `offset` begins, looked for from a place that is known and not behind it.
    Spot spot(std::size_t offset, Spot from) const;
    // Where the row begins that holds the character at `offset`.
    Spot row_before(std::size_t offset) const;

private:
    class Ahead;

    const unsigned char* text_;
    std::vector<std::int64_t> offsets_, strengths_;  // one offset more than rows: the text's end
    std::vector<std::int64_t> end_rows_;             // the next stronger row
    std::vector<std::size_t> places_;                // empty where the text is ASCII
    Limits limits_;
};

}  // namespace chunker
