// The boundaries of a text at separators, the best first: what chunker/integrations/separators.py says, which is the specification.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chunker/characters.hpp"

namespace chunker {

// Where a part is cut at a separator: in front of it, or behind it.
enum class Side { before, after };

// A string, or the cuts at what an expression has found, ascending.
struct Separator {
    std::string literal;  // empty if `cuts` are known
    std::vector<std::size_t> cuts;
};

struct SeparatedPart {
    std::size_t start;
    std::size_t rank;  // that of the best separator there
    bool closed;       // whether it has boundaries at the last separator inside
};

// The cuts at a string in text[start:end], in characters: at its first occurrence, and at each next one after the end of the one before.
std::vector<std::size_t> cuts_at(const Text& text, std::size_t start, std::size_t end, std::string_view literal, Side side);

// The parts after the first cut inside of the text. Where `most` is not 0, the last separator is a string that cuts parts of more than `most` characters alone.
// `first_closed`: whether that holds for the part at the start of the text. n log n in the cuts.
std::vector<SeparatedPart> separated_parts(const Text& text, const std::vector<Separator>& separators, Side side, std::size_t most, bool& first_closed);

}  // namespace chunker
