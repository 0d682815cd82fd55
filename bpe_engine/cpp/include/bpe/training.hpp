// Learn merges from words: byte-pair encoding as published, with each merge visiting only the places of its pair.
//
//     words     low x5   lower x2   newest x6   widest x3
//     merges    (e,s) (es,t) (l,o) (lo,w) ...          each the most frequent pair of neighbours at its time
//
// All words are stored one after the other, one slot a symbol. A merged symbol is written to the slots of its first and its last part; the slots
// between are dead. So the place and the length of a symbol lead to its neighbours, and a merge changes a few adjacent slots:
//
//     place     0  1  2  3  4  5  6              after (e,s) and (es,t), newest:
//     slot      n  e  w  e  s  t  |              n  e  w  est  -  est  |
//
// Each pair has the ascending list of places where it occurred when it first appeared. A place where it no longer occurs is noticed when it is
// visited. A pair appears in one step only, the one that makes the later of its two symbols, so these lists never grow; after that, counts only
// fall, and the first place of a pair only moves to the right. So the queue can be lazy: its entries are at worst too good, and are corrected when
// they are popped.
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

// The choice among pairs of equal count.
enum class Ties {
    lowest,  // the pair whose left symbol has the lowest number, then whose right symbol has the lowest
    first,   // the pair that occurs first in the words, in the order in which they were added
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
    // `symbols`: the number of symbols at the start; the symbols of a word are below it. `Iterator` yields numbers that fit Symbol.
    explicit Words(Symbol symbols);

    // Throws TrainingLimit if the words have 2^32 symbols or more, or the counts of all symbols add up to 2^63 or more.
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

// The counted pre-tokens as words of bytes: `symbols[byte]` is the number of a byte, below 256. With `in_order` in the order of their first
// occurrence, otherwise in any order.
Words words_of(const PretokenCounts& counts, const std::array<Byte, 256>& symbols, bool in_order);

struct TrainingOptions {
    std::size_t merges = 0;           // at most
    std::uint64_t min_frequency = 1;  // no pair of a lower count is merged
    Ties ties = Ties::lowest;
};

// The merges, in order: the n-th makes the symbol `symbols + n`. Fewer than requested if no pair is left. `progress` is called from time to time with
// the number of merges so far, and may throw to stop. Throws TrainingLimit if there are too many symbols, including those to be made.
std::vector<Merge> learn_merges(Words words, const TrainingOptions& options, const std::function<void(std::size_t)>& progress);

}  // namespace bpe
