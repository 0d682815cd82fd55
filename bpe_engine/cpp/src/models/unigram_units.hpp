// Units of a piece of a Unigram model: parts that no token reaches over, read by themselves.
//
//     "▁the▁cat"      ▁the | ▁cat        the tokens of each are the same in every text, but for rounding
//
// The sum of a place begins where the piece begins, and is rounded at each token. Which of two ways is better depends on that only where they are nearly as
// good as each other: a unit knows how near, and so up to which sums before it its tokens are certain. Where they are not the unit is read again after the sum
// that it has in this text; that of the others is found by adding the scores of their tokens.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "bpe/models/unigram.hpp"
#include "unigram_rows.hpp"

namespace bpe {

// A unit, and what is to the right of it.
struct UnigramUnit {
    std::size_t size = 0, count = 0;  // bytes, tokens
    std::size_t first_score = 0;      // its scores begin here, and end where those of the unit to the left begin
    double needs = 0;                 // a sum that is rounded by so much changes nothing; 0: it may always
    double needs_of_count = 0;        // the same of its count alone, where it was asked for
    double reach = 0;                 // no sum in it is further from that before it
    bool goes_on = false;             // a run of unknown characters goes on to the right of it
    struct {
        std::size_t size = 0, count = 0;
        double needs = 0, needs_of_count = 0, reach = 0;
    } all;  // of this one and all to the right of it, `reach` from the sum before this one
};

// The tokens of a text: the id of each, and the offset at which it begins.
struct UnigramTokens {
    std::vector<std::uint32_t> ids, starts;
};

class UnigramUnits {
public:
    explicit UnigramUnits(const UnigramModel& model) : model_(model) {}

    // Whether no token crosses an offset, and no run of unknown characters: from the states after the character before and the one that begins there, and
    // their sizes.
    bool parts(TokenAutomaton::State before, std::size_t size_before, TokenAutomaton::State after, std::size_t size_after) const;
    // Whether both characters are unknown wherever they stand, and a run of such comes apart at the offset but for its count (`tokens_at_join`): from the
    // states after each.
    bool parts_unknown(TokenAutomaton::State before, TokenAutomaton::State after) const {
        return before == TokenAutomaton::start && after == TokenAutomaton::start && model_.has_any_byte_ == model_.has_all_bytes_;
    }
    // How many tokens both parts of such a run have more than all of it.
    std::size_t tokens_at_join() const { return model_.has_all_bytes_ ? 0 : 1; }
    TokenAutomaton::State next(TokenAutomaton::State state, Bytes character) const;

    // Whether a token that ends at a state has more bytes than these; whether one may that goes on.
    bool reaches(TokenAutomaton::State state, std::size_t size) const {
        Rank const longest = model_.automaton_->longest(state);
        return longest != no_rank && model_.automaton_->token(longest).size > size;
    }
    bool may_reach(TokenAutomaton::State state, std::size_t size) const { return model_.automaton_->depth(state) > size; }

    // Reads a unit by itself, and appends the scores of its tokens; with `needs` above 0 `tokens` are those of the unit, unless it is null.
    UnigramUnit read(Bytes text, std::vector<double>& scores, UnigramTokens* tokens = nullptr);
    // Of the unit that was read last.
    void find_needs_of_count(UnigramUnit& unit);
    // The count of a text by itself, after a sum, which goes on to its end.
    std::size_t read_after(Bytes text, double& sum, UnigramTokens* tokens = nullptr);
    // Its count after a sum, which goes on to its end. `scores`: those of its tokens.
    std::size_t count(const UnigramUnit& unit, Bytes text, const double* scores, std::size_t number, double& sum);
    // Whether rounding changes nothing in units of which these are known, after a sum.
    bool are_certain(double sum, double needs, double reach) const {
        // Half of the distance of neighbours below the next power of two is at most `needs`, which is a power of two.
        double const most = std::abs(sum) + reach;
        return model_.is_float_ ? most < needs * 0x1p25 && most <= most_sum : most < needs * 0x1p54;
    }
    // Between two powers of two all sums are equally far apart: whatever a text does to one it does to each that is an even number of such steps away. So all
    // that a text does to a sum, if no sum in it is further away than `reach`, is known by the text and this number; 0: not of this sum.
    unsigned pace(double sum, double reach) const;
    // The sum after tokens with these scores.
    double sum_after(double sum, const double* scores, std::size_t number) const {
        if (!model_.is_float_) {
            for (std::size_t index = 0; index < number; ++index) sum += scores[index];
            return sum;
        }
        auto exact = static_cast<float>(sum);
        for (std::size_t index = 0; index < number; ++index) exact += static_cast<float>(scores[index]);
        return static_cast<double>(exact);
    }
    // Whether sums are floats; whether there is a token for what is unknown.
    bool is_float() const { return model_.is_float_; }
    static bool has_unknown(const UnigramModel& model) { return model.unknown_.has_value(); }

private:
    // The best way to a place.
    struct Way {
        double sum;
        double score;  // of its last token
        double most;   // see `is_certain`
        std::uint32_t from;
        Rank last;                 // its last token; `no_rank`: what is unknown
        std::uint32_t last_offer;  // one after the last of the offers that end here; those of the offset before end at its own
        std::uint32_t number;      // of tokens up to here, on the best way to the end; elsewhere `aside`
        bool is_end;               // of a character
    };
    // A token, by where it begins.
    struct Offer {
        double score;
        std::uint32_t from;
    };
    static constexpr std::uint32_t aside = 0xFFFFFFFF;
    // sentencepiece begins a sum anew beyond 100,000. Each byte may be a token, whose sum is rounded: by half of the distance of floats up to 131,072.
    static constexpr double most_sum = 99'999, rounding = 0x1p-8;

    // Whether the best way stays the best if each sum is rounded by up to `rounding`.
    bool is_certain(std::size_t size, double rounding);

    const UnigramModel& model_;
    UnigramRows rows_;
    std::vector<Way> ways_;
    std::vector<Offer> offers_;
    bool has_all_tokens_ = false;  // the unit that was read last
};

// A piece that grows to the left. A prepend reads up to the first unit that stays; if rounding may change something in a later one, all scores are added anew.
std::unique_ptr<GrowingPiece> growing_to_the_left(const UnigramModel& model);

}  // namespace bpe
