// Pairs of characters between which matches of an expression always end or begin, whatever surrounds them.
//
//     " ?\\p{L}+|\\s+|..."     letter, space     a match ends there always: after the letter every state is over at a space, and at the end
//                              space, letter     none: " a" is one match
//                              letter, letter    not an end; but what follows reads on as from the start, so the match can be made of two
//
// Read from the table of all states: after a character, the states to which it leads from any other; by the next one each has to be over, as it would be
// at the end of the text. What is found before the place then is the same, and the search begins anew after it.
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

    // Nothing is known of an expression that looks behind, matches nothing, or has no table of all states.
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
