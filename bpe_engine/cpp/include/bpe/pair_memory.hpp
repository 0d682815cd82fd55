// Remembers of which pairs of tokens the right one may follow the left one. All threads share one memory of a vocabulary.
//
//     slot    left + 1 (31 bits) | right (32 bits) | whether they fit        one word: another thread reads all of it, or none
//
// Direct-mapped: a new pair replaces an old one.
#pragma once

#include <atomic>
#include <cstdint>

#include "bpe/types.hpp"
#include "bpe/zeroed_array.hpp"

namespace bpe {

class PairMemory {
public:
    // Room for two to the power of `bits` pairs, of eight bytes each. Memory is taken where it is written.
    explicit PairMemory(int bits) : shift_(64 - bits), slots_(std::size_t{1} << bits) {}

    // The result of `find`, called only for a pair that is not remembered. `left` has at most 31 bits.
    template <class Find>
    bool fits(std::uint32_t left, std::uint32_t right, Find&& find) {
        std::uint64_t const key = (std::uint64_t{left} + 1) << 32 | right;  // never 0, as a free slot is
        std::atomic_ref<std::uint64_t> const slot(slots_[key * 0x9E3779B97F4A7C15ull >> shift_]);
        std::uint64_t const known = slot.load(std::memory_order_relaxed);
        if (known >> 1 == key) return known & 1;
        bool const found = find();
        slot.store(key << 1 | (found ? 1u : 0u), std::memory_order_relaxed);
        return found;
    }

private:
    int shift_;
    ZeroedArray<std::uint64_t> slots_;
};

}  // namespace bpe
