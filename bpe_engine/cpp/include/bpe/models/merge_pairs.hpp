// The pairs of symbols that merge, each with its rank and the symbol that it becomes.
#pragma once

#include <cstdint>
#include <vector>

#include "bpe/merge_map.hpp"
#include "bpe/types.hpp"

namespace bpe {

class MergePairs {
public:
    struct Pair {
        std::uint32_t left, right;
        std::uint32_t rank;  // the lowest merges first, the leftmost of equals
        std::uint32_t merged;

        bool merges() const { return rank != no_rank; }
    };
    static constexpr Pair none = {no_rank, no_rank, no_rank, no_rank};

    // Removes all pairs, and makes room for so many.
    void reserve(std::size_t count) {
        pairs_.assign(1, none);
        pairs_.reserve(count + 1);
        numbers_.reserve(count + 1);
        are_in_order_ = true;
    }

    // A pair that is added again has its last rank, as in a map that is filled in order.
    void add(const Pair& pair) {
        are_in_order_ = are_in_order_ && (size() == 0 || pairs_.back().rank < pair.rank);
        Rank const known = number(pair.left, pair.right);
        if (known == no_rank) {
            pairs_.push_back(pair);
            numbers_.insert({pair.left, pair.right}, static_cast<Rank>(pairs_.size() - 1));
        } else {
            pairs_[known] = pair;
            are_in_order_ = false;
        }
    }

    // After all pairs were added: prepares `first`. `frequent`: the symbols that most of an unmerged text has, a few hundred. `symbols`: the number of all.
    void index_first(const std::vector<std::uint32_t>& frequent, std::size_t symbols) {
        std::size_t const other = frequent.size();
        code_count_ = other + 1;
        codes_.assign(symbols, static_cast<std::uint16_t>(other));
        for (std::size_t code = 0; code < other; ++code) codes_[frequent[code]] = static_cast<std::uint16_t>(code);
        first_.assign(code_count_ * code_count_, no_rank);
        for (std::size_t code = 0; code < code_count_; ++code) first_[code * code_count_ + other] = first_[other * code_count_ + code] = not_indexed;
        for (std::size_t number = 1; number < pairs_.size(); ++number) {
            Rank& first = first_[first_place(pairs_[number].left, pairs_[number].right)];
            if (first != not_indexed) first = static_cast<Rank>(number);
        }
    }

    // The result of `number`, from a table where both symbols are frequent: faster for pairs of symbols that no merge has made.
    Rank first(std::uint32_t left, std::uint32_t right) const {
        Rank const found = first_[first_place(left, right)];
        return found == not_indexed ? number(left, right) : found;
    }

    // The number of a pair, in the order of `add`, from 1; no_rank if the two symbols do not merge.
    Rank number(std::uint32_t left, std::uint32_t right) const { return numbers_.find(left, right, pairs_.data()); }
    const Pair& at(Rank number) const { return pairs_[number]; }
    // Whether each pair has a higher rank than the one before. Then numbers do as ranks, and are known before a pair is read.
    bool are_in_order() const { return are_in_order_; }

    // `none` if the two symbols do not merge. Without a branch: whether they do is as hard to predict as a coin.
    const Pair& find(std::uint32_t left, std::uint32_t right) const {
        Rank const found = number(left, right);
        return pairs_[found == no_rank ? 0 : found];
    }

    // In the order in which they were added first.
    auto begin() const { return pairs_.begin() + 1; }
    auto end() const { return pairs_.end(); }
    std::size_t size() const { return pairs_.size() - 1; }

private:
    static constexpr Rank not_indexed = no_rank - 1;

    std::size_t first_place(std::uint32_t left, std::uint32_t right) const { return codes_[left] * code_count_ + codes_[right]; }

    std::vector<Pair> pairs_ = {none};  // by number; 0 is no pair
    MergeMap numbers_;
    bool are_in_order_ = true;
    std::vector<std::uint16_t> codes_;  // symbol -> its number among the frequent ones; of all others the number after those
    std::vector<Rank> first_;           // by two codes
    std::size_t code_count_ = 0;
};

}  // namespace bpe
