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
        places_.reserve(count + 1);
        are_in_order_ = true;
    }

    // A pair that is added again has its last rank, as in a map that is filled in order.
    void add(const Pair& pair) {
        are_in_order_ = are_in_order_ && (size() == 0 || pairs_.back().rank < pair.rank);
        Rank const known = place(pair.left, pair.right);
        if (known == no_rank) {
            pairs_.push_back(pair);
            places_.insert({pair.left, pair.right}, static_cast<Rank>(pairs_.size() - 1));
        } else {
            pairs_[known] = pair;
            are_in_order_ = false;
        }
    }

    // Where a pair is; no_rank if the two do not merge.
    Rank place(std::uint32_t left, std::uint32_t right) const { return places_.find(left, right, pairs_.data()); }
    const Pair& at(Rank place) const { return pairs_[place]; }
    // Whether the order of places is that of ranks, and no two pairs have the same: then a place is as good as a rank, and is known before the pair is read.
    bool are_in_order() const { return are_in_order_; }

    // `none` if the two do not merge. Without a branch: whether they do is as hard to predict as a coin.
    const Pair& find(std::uint32_t left, std::uint32_t right) const {
        Rank const found = place(left, right);
        return pairs_[found == no_rank ? 0 : found];
    }

    // In the order in which they were added first.
    auto begin() const { return pairs_.begin() + 1; }
    auto end() const { return pairs_.end(); }
    std::size_t size() const { return pairs_.size() - 1; }

private:
    std::vector<Pair> pairs_ = {none};
    MergeMap places_;
    bool are_in_order_ = true;
};

}  // namespace bpe
