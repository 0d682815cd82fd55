// The token that two neighbours merge to.
//
// One hash table over all merges of a vocabulary, in buckets of four slots of four bytes. A slot holds the rank of the merged token, and in
// the other bits a few bits of the hash. The pair itself is not stored, because the halves of the rank are the pair:
//
//     bucket  [ check | rank + 1 ] x 4      a slot whose check bits agree  ──>  halves[rank] == (left, right) ?
//
// All four slots are compared without a branch, because whether two neighbours merge is as hard to predict as a coin, and a piece looks up about
// twenty pairs. The final comparison fails only once in a hundred thousand times, so it is well predicted. A merge whose bucket is full goes to the
// next one. Tried and rejected: the whole pair in slots of eight bytes, without that comparison, which made the first text 2 % faster and the table twice as
// large.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

struct Halves {
    Rank left = no_rank;
    Rank right = no_rank;
    bool operator==(const Halves&) const = default;
};

class MergeMap {
public:
    // `halves` by rank. Ranks whose left half is `no_rank`, or that are their own half, are no merges.
    void build(const std::vector<Halves>& halves) {
        reserve(halves.size());
        for (Rank rank = 0; rank < halves.size(); ++rank)
            if (halves[rank].left != no_rank && halves[rank].left != rank) insert(halves[rank], rank);
    }

    void reserve(std::size_t merges) {
        std::size_t const buckets = std::bit_ceil(merges / 2 + 1);
        buckets_.assign(buckets, Bucket{});
        mask_ = buckets - 1;
        rank_bits_ = static_cast<unsigned>(std::bit_width(merges + 1));
    }

    void insert(Halves pair, Rank rank) {
        std::uint64_t const hash = hash_of(pair.left, pair.right);
        for (std::size_t place = hash & mask_;; place = (place + 1) & mask_) {
            for (std::uint32_t& slot : buckets_[place].slots) {
                if (slot != 0) continue;
                slot = check_of(hash) << rank_bits_ | (rank + 1);
                return;
            }
        }
    }

    // `halves` by rank: `left` and `right` of each. There is at least one, which is read even if nothing is found.
    template <class Pair>
    Rank find(Rank left, Rank right, const Pair* halves) const {
        std::uint64_t const hash = hash_of(left, right);
        Bucket const& bucket = buckets_[hash & mask_];
        std::uint32_t const check = check_of(hash);
        std::uint32_t const rank_mask = (1u << rank_bits_) - 1;
        std::uint32_t found = 0;
        for (std::uint32_t const slot : bucket.slots) found = std::max(found, slot >> rank_bits_ == check ? slot & rank_mask : 0);
        // A bucket fills from the left: if its last slot is free, no merge went to the next bucket. Without a branch, too: some pair is read in any case.
        Pair const& pair = halves[found - (found != 0)];
        bool const is_found = found != 0, is_it = (pair.left == left) & (pair.right == right);
        bool const sure = (is_found & is_it) | (!is_found & (bucket.slots[3] == 0));
        if (sure) [[likely]]
            return found - 1;
        return find_slowly(left, right, halves);
    }

    std::size_t memory() const { return buckets_.size() * sizeof(Bucket); }

private:
    static std::uint64_t hash_of(Rank left, Rank right) {
        std::uint64_t const key = (std::uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15ull;
        return key ^ (key >> 29);
    }

    std::uint32_t check_of(std::uint64_t hash) const { return static_cast<std::uint32_t>(hash >> (32 + rank_bits_)); }

    template <class Pair>
    Rank find_slowly(Rank left, Rank right, const Pair* halves) const {
        std::uint64_t const hash = hash_of(left, right);
        std::uint32_t const check = check_of(hash);
        for (std::size_t place = hash & mask_;; place = (place + 1) & mask_) {
            for (std::uint32_t const slot : buckets_[place].slots) {
                if (slot == 0) return no_rank;
                if (slot >> rank_bits_ != check) continue;
                Rank const rank = (slot & ((1u << rank_bits_) - 1)) - 1;
                if (rank != no_rank && halves[rank].left == left && halves[rank].right == right) return rank;
            }
        }
    }

    struct alignas(16) Bucket {
        std::uint32_t slots[4] = {};  // 0: free
    };
    std::vector<Bucket> buckets_ = std::vector<Bucket>(1);
    std::size_t mask_ = 0;
    unsigned rank_bits_ = 1;
};

}  // namespace bpe
