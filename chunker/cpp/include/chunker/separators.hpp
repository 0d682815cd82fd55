// The boundaries of a text at separators, the best first: what chunker/integrations/separators.py says, which is the specification.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
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

struct SeparatedPart {
    std::size_t start;
    std::size_t rank;  // that of the best separator there
    bool closed;       // whether it has boundaries at the last separator inside
};

class Beginnings;

// Separators, prepared for many texts. Does not change once it is made.
class Separators {
public:
    // The ascending cuts at what the expressions have found, by rank; empty for other separators.
    using Cuts = std::vector<std::vector<std::size_t>>;

    // The best first, each as runs, one after another; without runs it is an expression.
    Separators(std::vector<std::vector<Run>> separators, Side side);
    ~Separators();

    std::size_t size() const { return separators_.size(); }
    // The last separator, if it is a character; else 0. Parts can be closed if there is one.
    char32_t finest() const { return finest_; }

    // Splits a text, and returns all parts but the first, which begins at 0. If the last separator is a character, parts of at most `most` characters are
    // not cut at it but closed. `first_closed`: set to whether the first part is. The text is read once for all separators; n log n in the number of cuts,
    // if those after separators or of expressions are to be sorted.
    std::vector<SeparatedPart> parts(const Text& text, const Cuts& cuts, std::size_t most, bool& first_closed) const;
    // The cuts strictly inside text[start:end], a closed part, at the last separator.
    std::vector<std::size_t> inside(const Text& text, std::size_t start, std::size_t end) const;

private:
    std::vector<SeparatedPart> found(const Text& text, const Cuts& cuts) const;

    std::vector<std::vector<Run>> separators_;
    Side side_;
    char32_t finest_ = 0;
    std::unique_ptr<const Beginnings> beginnings_;  // of all but the last separator, if that is a character
};

}  // namespace chunker
