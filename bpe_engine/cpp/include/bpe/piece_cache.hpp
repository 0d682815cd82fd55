// What short pre-tokens encode to, remembered: words repeat, so most pre-tokens of a text have been seen before.
//
// A piece of up to 15 bytes and its length are one key of 16 bytes, compared as two words:
//
//     low    the first eight bytes, zeros behind the piece
//     high   the other seven; the last byte is length << 4 | count
//
// The number of tokens fits in the same 16 bytes, so counting touches one quarter of a cache line a pre-token. Direct-mapped: a new
// piece takes the place of an old one, so memory is bounded and an answer is exact or absent. One owner at a time.
//
// Tried and left: two ways a set (more compares on each hit than it saves misses), a table of 8-byte entries for pieces of up to 7 bytes
// (the branch on the length costs more than the smaller table saves).
#pragma once

#include <bit>
#include <vector>

#include "bpe/thresholds.hpp"
#include "bpe/types.hpp"

namespace bpe {

// The bytes of a key that belong to a piece of each size.
struct KeyMasks {
    std::uint64_t words[16][2] = {};
    constexpr KeyMasks() {
        for (unsigned size = 0; size < 16; ++size) {
            words[size][0] = size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << size * 8) - 1;
            words[size][1] = size <= 8 ? 0 : (std::uint64_t{1} << (size - 8) * 8) - 1;
        }
    }
};
inline constexpr KeyMasks key_masks;

struct PieceKey {
    static constexpr std::size_t longest = 15;  // bytes

    std::uint64_t low, high;  // without a count

    // `readable`: how many bytes from `piece` on may be read.
    static PieceKey of(const Byte* piece, std::size_t size, std::size_t readable) {
        PieceKey key;
        if (readable >= 16) [[likely]] {
            std::memcpy(&key.low, piece, 8);
            std::memcpy(&key.high, piece + 8, 8);
        } else {
            Byte copy[16] = {};
            std::memcpy(copy, piece, size);
            std::memcpy(&key.low, copy, 8);
            std::memcpy(&key.high, copy + 8, 8);
        }
        key.low &= key_masks.words[size][0];
        key.high = (key.high & key_masks.words[size][1]) | std::uint64_t{size} << 60;
        return key;
    }

    std::uint64_t hash() const { return (low ^ (high * 0xD6E8FEB86659FD93ull)) * 0x9E3779B97F4A7C15ull; }

    static constexpr std::uint64_t count_mask = std::uint64_t{0x0F} << 56;
};

static_assert(std::endian::native == std::endian::little, "keys are read as little-endian words");

// Pre-token -> number of tokens.
class CountCache {
public:
    CountCache() : slots_(std::size_t{1} << bits) {}

    // 0 where the piece is not known.
    unsigned find(PieceKey key) const {
        Slot const& slot = slots_[key.hash() >> (64 - bits)];
        if (slot.low == key.low && (slot.high & ~PieceKey::count_mask) == key.high) [[likely]]
            return static_cast<unsigned>(slot.high >> 56) & 0x0F;
        return 0;
    }

    void put(PieceKey key, std::size_t count) {
        slots_[key.hash() >> (64 - bits)] = {key.low, key.high | std::uint64_t{count} << 56};
    }

private:
    static constexpr int bits = thresholds::cache_bits;
    struct alignas(16) Slot {
        std::uint64_t low = 0, high = 0;
    };
    std::vector<Slot> slots_;
};

// Pre-token -> ids, of pieces with up to four tokens.
class IdsCache {
public:
    static constexpr std::size_t most = 4;  // tokens

    IdsCache() : slots_(std::size_t{1} << bits) {}

    // Writes four ids, of which so many count as returned; 0 where the piece is not known.
    unsigned find(PieceKey key, std::uint32_t* out) const {
        Slot const& slot = slots_[key.hash() >> (64 - bits)];
        std::memcpy(out, slot.ids, sizeof(slot.ids));
        if (slot.low == key.low && (slot.high & ~PieceKey::count_mask) == key.high) [[likely]]
            return static_cast<unsigned>(slot.high >> 56) & 0x0F;
        return 0;
    }

    void put(PieceKey key, const std::uint32_t* ids, std::size_t count) {
        Slot& slot = slots_[key.hash() >> (64 - bits)];
        slot.low = key.low;
        slot.high = key.high | std::uint64_t{count} << 56;
        for (std::size_t index = 0; index < count; ++index) slot.ids[index] = ids[index];
    }

private:
    static constexpr int bits = thresholds::cache_bits;
    struct alignas(32) Slot {
        std::uint64_t low = 0, high = 0;
        std::uint32_t ids[most] = {};
    };
    std::vector<Slot> slots_;
};

}  // namespace bpe
