// Learns merges from words: byte-pair encoding as it was published, at the cost of touching each place of a word once a merge.
//
//     words     low x5   lower x2   newest x6   widest x3
//     merges    (e,s) (es,t) (l,o) (lo,w) ...          each the most frequent pair of neighbours at its time
//
// All words lie one after the other, a slot a symbol. A symbol is written where its first and where its last part stood; the slots between
// are dead. So the neighbours of a symbol are found from its place and its length alone, and a merge changes a few slots side by side:
//
//     place     0  1  2  3  4  5  6              after (e,s) and (es,t), newest:
//     slot      n  e  w  e  s  t  |              n  e  w  est  -  est  |
//
// Each pair knows the places where it was when it came into being, in ascending order. A place where it is no more is noticed when it is
// visited. A pair comes into being in one step only, the one that makes the later of its two symbols, so these lists never grow; counts
// only fall from then on, and the first place of a pair only moves to the right. Both make the queue lazy: what it holds is at worst too
// good, and is put right when its turn comes.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "bpe/pretoken_counts.hpp"
#include "bpe/types.hpp"

namespace bpe {

// The pair that is merged among several of the same count.
enum class Ties {
    lowest,  // the one whose left symbol has the lowest number, then the one whose right symbol has it
    first,   // the one that stands first in the words, as they were added
};

using Symbol = std::uint32_t;
using Merge = std::pair<Symbol, Symbol>;

// The words are too many, or their counts too high.
class TrainingLimit : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// The words to learn from.
class Words {
public:
    // `symbols`: how many there are at the start; those of a word are below it. `Iterator` gives numbers that fit Symbol.
    explicit Words(Symbol symbols);

    // Throws TrainingLimit where the words have 2^32 symbols or more, or the counts of all symbols together 2^63 or more.
    template <class Iterator>
    void add(Iterator first, Iterator last, std::uint64_t count) {
        auto const size = static_cast<std::size_t>(last - first);
        begin_word(size, count);
        if (size < 2 || count == 0) return;  // no pair
        std::uint32_t const weight = count < heavy ? static_cast<std::uint32_t>(count) : heavy;
        if (weight == heavy) heavy_.push_back({static_cast<std::uint32_t>(slots_.size()), count});
        for (; first != last; ++first) slots_.push_back({static_cast<Symbol>(*first), weight});
        slots_.push_back({none, 0});
    }

    void reserve(std::size_t symbols_and_words) { slots_.reserve(symbols_and_words + 1); }

private:
    friend class Training;

    static constexpr Symbol none = 0xFFFFFFFF;          // between words, and in dead slots
    static constexpr std::uint32_t heavy = 0xFFFFFFFF;  // the count does not fit: `heavy_` has it

    struct Slot {
        Symbol symbol;
        std::uint32_t weight;  // the count of the word
    };
    struct Heavy {
        std::uint32_t start;  // of the word
        std::uint64_t count;
    };

    void begin_word(std::size_t size, std::uint64_t count);
    std::uint64_t count_at(std::uint32_t place) const;

    Symbol symbols_;
    std::vector<Slot> slots_;
    std::vector<Heavy> heavy_;  // by start
    std::uint64_t total_ = 0;
};

// The counted pre-tokens as words of bytes: `symbols[byte]` is the number of a byte, below 256. In the order in which they were first seen
// where `in_order`, else in any.
Words words_of(const PretokenCounts& counts, const std::array<Byte, 256>& symbols, bool in_order);

struct TrainingOptions {
    std::size_t merges = 0;           // at most
    std::uint64_t min_frequency = 1;  // no pair of a lower count is merged
    Ties ties = Ties::lowest;
};

// The merges, in order: the n-th makes the symbol `symbols + n`. Fewer than wanted where no pair is left. Called with the number of merges so
// far now and then, `progress` may throw to stop. Throws TrainingLimit where the symbols, those to be made included, are too many.
std::vector<Merge> learn_merges(Words words, const TrainingOptions& options, const std::function<void(std::size_t)>& progress);

}  // namespace bpe
