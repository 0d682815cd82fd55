// The boundaries of a text at separators, the best first: what chunker/integrations/separators.py says, which is the specification.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chunker/characters.hpp"

namespace chunker {

// The side of a separator at which the text is cut.
enum class Side { before, after };

// A string that occurs at least and at most so many times, one after another. As many as there are count: what follows in a separator begins with another
// character, unless the number is fixed.
struct Run {
    std::string text;
    std::size_t least = 1, most = 1;
};

// Runs, one after another; or, without any, the ascending cuts at what an expression has found.
struct Separator {
    std::vector<Run> runs;
    std::vector<std::size_t> cuts;

    // The character that it is; 0 if it is something else.
    char32_t character() const;
};

struct SeparatedPart {
    std::size_t start;
    std::size_t rank;  // that of the best separator there
    bool closed;       // whether it has boundaries at the last separator inside
};

// The cuts strictly inside text[start:end] at a character.
std::vector<std::size_t> cuts_at(const Text& text, std::size_t start, std::size_t end, char32_t separator, Side side);

// Splits a text at separators, and returns all parts but the first, which begins at 0. If `most` is not 0, the last separator is a character at which only
// parts of more than `most` characters are cut; the other parts are closed. `first_closed`: set to whether the first part is. The text is read once for all
// separators; n log n in the number of cuts, if those after separators or of expressions are to be sorted.
std::vector<SeparatedPart> separated_parts(const Text& text, const std::vector<Separator>& separators, Side side, std::size_t most, bool& first_closed);

}  // namespace chunker
