// A backward pass over a text, which tells from which states a match will still be reached.
//
// A hostile pattern makes a matcher look far ahead and come back with nothing, again and again: "(a|aa)+$" on "aaaa...b" from every place. With
// foresight it does not start where no match begins, and stops where nothing better will come, so a whole sweep reads every character a bounded number of
// times. The sets of states are kept for a block of the text at a time; for the other blocks only the set at their end. After Frisch and Cardelli, Greedy
// regular expression matching (2004), who did it for trees of expressions.
#pragma once

#include <unordered_map>
#include <vector>

#include "bpe/regex/program.hpp"

namespace bpe::regex {

class Foresight {
public:
    // Made for text[from:limit). `open`: text may follow `limit`, so every state there may still reach a match.
    Foresight(const Program& program, const Byte* text, std::size_t start, std::size_t from, std::size_t limit, bool open);

    // Whether a match will be reached from a state of the table of all states, or of a Cache, at `place`.
    bool reaches(std::size_t place, State state);
    bool reaches(std::size_t place, const Key& key);
    std::size_t steps() const { return steps_; }

private:
    using Bits = std::vector<std::uint64_t>;
    using Number = std::uint32_t;
    struct Hash {
        std::size_t operator()(const Bits& bits) const;
    };

    static bool has(const Bits& bits, std::size_t index) { return (bits[index / 64] >> index % 64 & 1) != 0; }
    static void set(Bits& bits, std::size_t index) { bits[index / 64] |= std::uint64_t{1} << index % 64; }
    const Bits& at(std::size_t place);
    Number number_of(Bits bits);
    Number before(Number after, std::size_t class_number, unsigned context);
    Bits made_before(const Bits& after, std::size_t class_number, unsigned context) const;
    Bits at_limit(bool open) const;
    void forget();
    void read_block(std::size_t block, bool keep);

    const Program& program_;
    const Byte* text_;
    std::size_t start_, limit_;
    std::size_t size_;                       // bits of a set
    std::vector<Bits> ends_;                 // of each block
    std::vector<std::size_t> block_starts_;  // where its first character begins; and the limit
    std::size_t block_ = ~std::size_t{0};
    std::vector<Number> numbers_;  // of each byte of the block
    std::vector<const Bits*> sets_;
    std::unordered_map<Bits, Number, Hash> known_;
    std::unordered_map<std::uint64_t, Number> moves_;
    std::size_t steps_ = 0;
};

}  // namespace bpe::regex
