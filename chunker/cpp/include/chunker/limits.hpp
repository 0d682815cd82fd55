// The budget of a chunk (chunker/growing/budget.py), and how far a grower looks with it (chunker/growing/limits.py).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "chunker/constants.hpp"

namespace chunker {

inline constexpr std::size_t look_ahead = growing::look_ahead, longest_token = growing::longest_token;

// Tokens that a step over several units leaves free: one of them can exceed a limit without all of them exceeding it only if the count falls by this many.
inline constexpr std::size_t leap_spares = 3;

// Tokens, but where something else is said.
struct Limits {
    std::size_t most, least, overlap;
    std::optional<std::size_t> desired;
    std::int64_t overlap_finest;  // the strength of the parts of a unit that an overlap may begin with

    // The characters that are appended, or prepended to an overlap, before the count is looked at.
    std::size_t look() const { return std::max<std::size_t>(most, 16) * 2; }
    std::size_t overlap_look() const { return std::max<std::size_t>(overlap, 8) * 6; }
};

// A single character, or one cluster that may not be parted, is over the budget.
struct TooSmall {
    std::size_t start, end, tokens;
};

// A chunk.
struct Piece {
    std::size_t start, end;  // in characters
    std::size_t context, tokens;
    std::size_t label;
};

}  // namespace chunker
