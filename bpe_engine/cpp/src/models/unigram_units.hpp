// Units of a piece of a Unigram model: parts that no token reaches over, read by themselves.
//
//     "▁the▁cat"      ▁the | ▁cat        the tokens of each are the same in every text, but for rounding
//
// The sum of a place begins where the piece begins, and is rounded at each token. Which of two ways is better depends on that only where they are nearly as good as
// each other: a unit knows how near, and so up to which sums before it its tokens are certain. Where they are not the unit is read again behind the sum that it
// has in this text; that of the others is found by adding the scores of their tokens.
#pragma once

#include <memory>
#include <vector>

#include "bpe/models/unigram.hpp"
#include "unigram_rows.hpp"

namespace bpe {

// A unit, and what is to the right of it.
struct UnigramUnit {
    std::size_t size = 0, count = 0;  // bytes, tokens
    std::size_t first_score = 0;      // its scores begin here, and end where those of the unit to the left begin
    double needs = 0;                 // rounding less than this changes nothing; 0: it may always
    double reach = 0;                 // no sum in it is further from that before it
    struct {
        std::size_t size = 0, count = 0;
        double needs = 0, reach = 0;
    } all;  // of this one and all to the right of it, `reach` from the sum before this one
};

class UnigramUnits {
public:
    explicit UnigramUnits(const UnigramModel& model) : model_(model) {}

    // Whether no token reaches over a place, and no run of unknown characters: from the states behind the character before and the one that begins there, and their sizes.
    bool parts(TokenAutomaton::State before, std::size_t size_before, TokenAutomaton::State behind, std::size_t size_behind) const;
    TokenAutomaton::State next(TokenAutomaton::State state, Bytes character) const;

    // Reads a unit by itself, and appends the scores of its tokens.
    UnigramUnit read(Bytes text, std::vector<double>& scores);
    // Its count behind a sum, which goes on to its end. `scores`: those of its tokens.
    std::size_t count(const UnigramUnit& unit, Bytes text, const double* scores, std::size_t number, double& sum);
    // Whether rounding changes nothing in units of which these are known, behind a sum.
    bool are_certain(double sum, double needs, double reach) const;

private:
    // A way to a place.
    struct Way {
        double sum;
        std::size_t from;
        double score;
        std::size_t tokens;  // of the longest way
        bool is_end;         // of a character
    };

    const UnigramModel& model_;
    UnigramRows rows_;
    std::vector<Way> ways_;
};

// A piece that grows to the left. A prepend reads up to the first unit that stays; if rounding may change something in a later one, all scores are added anew.
std::unique_ptr<GrowingPiece> growing_to_the_left(const UnigramModel& model);

}  // namespace bpe
