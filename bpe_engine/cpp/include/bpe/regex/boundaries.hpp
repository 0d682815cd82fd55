// Pairs of characters between which matches of an expression always end or start, whatever surrounds them.
//
//     " ?\\p{L}+|\\s+|..."     letter, space     a match always ends there: after the letter every state ends at a space, as at the end of the text
//                              space, letter     no boundary: " a" is one match
//                              letter, letter    not an end; but the rest is matched as from a start, so the match can be joined from two
//
// Derived from the table of all states: after the left character, the states to which it leads from any other; with the right character each of them must
// end, as it would at the end of the text. Then the matches before the boundary are the same, and the search starts anew after it.
#pragma once

#include <cstdint>
#include <vector>

#include "bpe/regex/program.hpp"

namespace bpe::regex {

class Boundaries {
public:
    enum : std::uint8_t {
        uncrossed = 1,  // no match holds both characters, and those before are the same if the text ends between them
        ends = 2,       // as `uncrossed`, and the left character always ends a match
        resumes = 4,    // `uncrossed`, or a match that holds both is made of two: those of the two texts that meet between them
        meets = 8,      // `ends`, or the same
        begins = 16,    // `uncrossed`, and the right character always begins a match
    };

    // No facts are known for an expression that looks behind, can match the empty text, or has no table of all states.
    explicit Boundaries(const Program& program);

    // The facts between characters of two classes; `any` stands for all of them.
    static constexpr std::size_t any = ~std::size_t{0};
    std::uint8_t between(std::size_t left, std::size_t right) const {
        if (facts_.empty()) return 0;
        return facts_[(left == any ? count_ : left) * count_ + right];
    }

private:
    std::size_t count_ = 0;
    std::vector<std::uint8_t> facts_;
};

}  // namespace bpe::regex
