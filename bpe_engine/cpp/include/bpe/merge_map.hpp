// Which token do two neighbours merge to?
//
// One open-addressed table over all merges of a vocabulary. A slot holds the rank of the merged token and 32 bits of the
// hash; the pair itself is not stored, because the halves of the rank are the pair:
//
//     slot  [ check | rank ] ──> halves[rank] == (left, right) ?
//
// Most questions have the answer "to none" and are over at the first slot, which is empty or has other check bits.
#pragma once

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
        std::size_t const size = std::bit_ceil(merges * 2 + 2);
        slots_.assign(size, Slot{0, no_rank});
        mask_ = size - 1;
    }

    void insert(Halves pair, Rank rank) {
        std::uint64_t const hash = hash_of(pair.left, pair.right);
        std::size_t place = hash & mask_;
        while (slots_[place].rank != no_rank) place = (place + 1) & mask_;
        slots_[place] = {static_cast<std::uint32_t>(hash >> 32), rank};
    }

    Rank find(Rank left, Rank right, const Halves* halves) const {
        std::uint64_t const hash = hash_of(left, right);
        auto const check = static_cast<std::uint32_t>(hash >> 32);
        for (std::size_t place = hash & mask_;; place = (place + 1) & mask_) {
            Slot const slot = slots_[place];
            if (slot.rank == no_rank) return no_rank;
            if (slot.check == check && halves[slot.rank] == Halves{left, right}) return slot.rank;
        }
    }

    std::size_t memory() const { return slots_.size() * sizeof(Slot); }

private:
    struct Slot {
        std::uint32_t check;
        Rank rank;
    };

    static std::uint64_t hash_of(Rank left, Rank right) {
        std::uint64_t const key = (std::uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15ull;
        return key ^ (key >> 29);
    }

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
};

}  // namespace bpe
