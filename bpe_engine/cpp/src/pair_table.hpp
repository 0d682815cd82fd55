// The pairs in training: their counts, and the places where they occurred when they first appeared.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bpe/hash_seed.hpp"
#include "bpe/training.hpp"
#include "bpe/types.hpp"

namespace bpe {

using PairIndex = std::uint32_t;
inline constexpr PairIndex no_pair = 0xFFFFFFFF;

struct Pair {
    Symbol left, right;
    std::uint64_t count;
    const std::uint32_t* places;  // in ascending order; some are outdated
    std::uint32_t size;           // the number of places
    PairIndex next;               // in a list of the queue

    std::uint64_t key() const { return std::uint64_t{left} << 32 | right; }
};

// Memory for places, in runs that never move and are freed all together.
class PlaceArena {
public:
    std::uint32_t* take(std::size_t size) {
        if (size > left_) {
            std::size_t const block = size > usual ? size : usual;
            std::unique_ptr<std::uint32_t[]> made(new std::uint32_t[block]);  // make_unique would fill it
            blocks_.push_back(std::move(made));
            if (block > usual) return blocks_.back().get();
            free_ = blocks_.back().get();
            left_ = block;
        }
        left_ -= size;
        return std::exchange(free_, free_ + size);
    }

private:
    static constexpr std::size_t usual = 1 << 16;
    std::vector<std::unique_ptr<std::uint32_t[]>> blocks_;
    std::uint32_t* free_ = nullptr;
    std::size_t left_ = 0;
};

// Pair -> index, in open addressing, half full at most. The index of a pair that was erased goes to a later one.
class PairTable {
public:
    PairTable() = default;

    Pair& operator[](PairIndex index) { return pairs_[index]; }
    const Pair& operator[](PairIndex index) const { return pairs_[index]; }

    PairIndex find(Symbol left, Symbol right) const {
        std::uint64_t const key = std::uint64_t{left} << 32 | right;
        for (std::size_t slot = home(key);; slot = (slot + 1) & mask()) {
            if (slots_[slot].key == key && slots_[slot].pair != no_pair) return slots_[slot].pair;
            if (slots_[slot].pair == no_pair) return no_pair;
        }
    }

    // Insert a pair that is not in the table.
    PairIndex insert(Symbol left, Symbol right) {
        if ((used_ + 1) * 2 > slots_.size()) grow();
        ++used_;
        PairIndex index = free_;
        if (index == no_pair) {
            if (pairs_.size() >= no_pair) throw TrainingLimit("the words have 2^32 pairs or more");
            index = static_cast<PairIndex>(pairs_.size());
            pairs_.push_back({});
        } else {
            free_ = pairs_[index].next;
        }
        pairs_[index] = {left, right, 0, nullptr, 0, no_pair};
        put(pairs_[index].key(), index);
        return index;
    }

    void erase(PairIndex index) {
        std::size_t slot = home(pairs_[index].key());
        while (slots_[slot].pair != index) slot = (slot + 1) & mask();
        // Entries after it move up as far as their home slots allow, so no tombstones remain.
        for (std::size_t other = (slot + 1) & mask(); slots_[other].pair != no_pair; other = (other + 1) & mask()) {
            if (((other - home(slots_[other].key)) & mask()) < ((other - slot) & mask())) continue;
            slots_[slot] = slots_[other];
            slot = other;
        }
        slots_[slot].pair = no_pair;
        --used_;
        pairs_[index].next = free_;
        free_ = index;
    }

private:
    struct Slot {
        std::uint64_t key;
        PairIndex pair;
    };

    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t home(std::uint64_t key) const { return mixed(key ^ seed_) & mask(); }

    void put(std::uint64_t key, PairIndex index) {
        std::size_t slot = home(key);
        while (slots_[slot].pair != no_pair) slot = (slot + 1) & mask();
        slots_[slot] = {key, index};
    }

    void grow() {
        std::vector<Slot> const old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2, Slot{0, no_pair}));
        for (Slot const& slot : old)
            if (slot.pair != no_pair) put(slot.key, slot.pair);
    }

    std::uint64_t seed_ = hash_seed();
    std::vector<Pair> pairs_;
    std::vector<Slot> slots_ = std::vector<Slot>(1 << 12, Slot{0, no_pair});
    std::size_t used_ = 0;
    PairIndex free_ = no_pair;
};

}  // namespace bpe
