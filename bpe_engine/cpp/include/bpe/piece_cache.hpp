// What short pre-tokens encode to, remembered: words repeat, so most pre-tokens of a text have been seen before.
//
// A piece of up to 15 bytes and its length are one key of 16 bytes, compared as two words:
//
//     low    the first eight bytes, zeros behind the piece
//     high   the other seven; the last byte is length << 4 | count
//
// Longer pieces have caches of their own, with a cache line each up to 62 bytes (words of two- and three-byte characters, CJK clauses), and
// three lines up to 190: the rules of dashes that part a source file, which would be merged anew each time.
//
// The number of tokens fits in the same 16 bytes, so counting touches one quarter of a cache line a pre-token. Two slots a set, in one
// line: a new piece takes the first and moves the older one to the second. So memory is bounded, and an answer is exact or absent.
// One owner at a time.
#pragma once

#include <bit>
#include <type_traits>

#include "bpe/thresholds.hpp"
#include "bpe/types.hpp"
#include "bpe/zeroed_array.hpp"

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

// Short pre-token -> number of tokens.
class CountCache {
public:
    CountCache() : sets_(std::size_t{1} << bits) {}

    // 0 where the piece is not known.
    unsigned find(PieceKey key, std::uint64_t hash) const {
        Set const& set = sets_[hash >> (64 - bits)];
        for (int way = 0; way < 2; ++way)
            if (set.low[way] == key.low && (set.high[way] & ~PieceKey::count_mask) == key.high) [[likely]]
                return static_cast<unsigned>(set.high[way] >> 56) & 0x0F;
        return 0;
    }

    void put(PieceKey key, std::uint64_t hash, std::size_t count) {
        Set& set = sets_[hash >> (64 - bits)];
        set.low[1] = set.low[0];
        set.high[1] = set.high[0];
        set.low[0] = key.low;
        set.high[0] = key.high | std::uint64_t{count} << 56;
    }

private:
    static constexpr int bits = thresholds::count_bits;  // 4 MB at most
    struct alignas(32) Set {
        std::uint64_t low[2], high[2];
    };
    ZeroedArray<Set> sets_;
};

// Short pre-token -> ids, of pieces with up to four tokens.
class IdsCache {
public:
    static constexpr std::size_t most = 4;  // tokens

    IdsCache() : sets_(std::size_t{1} << bits) {}

    // Writes four ids, of which so many count as returned; 0 where the piece is not known.
    unsigned find(PieceKey key, std::uint64_t hash, std::uint32_t* out) const {
        Set const& set = sets_[hash >> (64 - bits)];
        for (int way = 0; way < 2; ++way) {
            if (set.low[way] == key.low && (set.high[way] & ~PieceKey::count_mask) == key.high) [[likely]] {
                std::memcpy(out, set.ids[way], sizeof(set.ids[way]));
                return static_cast<unsigned>(set.high[way] >> 56) & 0x0F;
            }
        }
        return 0;
    }

    void put(PieceKey key, std::uint64_t hash, const std::uint32_t* ids, std::size_t count) {
        Set& set = sets_[hash >> (64 - bits)];
        set.low[1] = set.low[0];
        set.high[1] = set.high[0];
        std::memcpy(set.ids[1], set.ids[0], sizeof(set.ids[0]));
        set.low[0] = key.low;
        set.high[0] = key.high | std::uint64_t{count} << 56;
        for (std::size_t index = 0; index < count; ++index) set.ids[0][index] = ids[index];
    }

private:
    static constexpr int bits = thresholds::ids_bits;  // 4 MB at most
    struct alignas(64) Set {
        std::uint64_t low[2], high[2];
        std::uint32_t ids[2][most];
    };
    ZeroedArray<Set> sets_;
};

// A pre-token of 16 bytes or more, and what it encodes to: with `Ids` up to 15 ids, else their number alone. Its bytes take so many cache
// lines.
template <bool with_ids, std::size_t lines = 1>
class LongPieceCache {
public:
    static constexpr std::size_t longest = lines * 64 - 2;  // bytes
    static constexpr std::size_t most_ids = 15;
    static constexpr std::size_t most = with_ids ? most_ids : 255;  // tokens

    struct Ids {
        std::uint32_t ids[most_ids + 1];
    };
    struct Nothing {};
    struct alignas(64) Slot : std::conditional_t<with_ids, Ids, Nothing> {
        std::uint8_t size;  // 0: free
        std::uint8_t count;
        Byte bytes[longest];
    };

    LongPieceCache() : slots_(std::size_t{2} << bits) {}

    static std::uint64_t hash(Bytes piece) {
        std::uint64_t hash = piece.size * 0x9E3779B97F4A7C15ull;
        std::uint64_t word;
        for (std::size_t place = 0; place + 8 <= piece.size; place += 8) {
            std::memcpy(&word, piece.data + place, 8);
            hash = (hash ^ word) * 0xD6E8FEB86659FD93ull;
            hash ^= hash >> 32;
        }
        std::memcpy(&word, piece.data + piece.size - 8, 8);
        return (hash ^ word) * 0x9E3779B97F4A7C15ull;
    }

    // Null where the piece is not known.
    const Slot* find(Bytes piece, std::uint64_t hash) const {
        Slot const* const set = &slots_[(hash >> (64 - bits)) * 2];
        for (int way = 0; way < 2; ++way)
            if (set[way].size == piece.size && std::memcmp(set[way].bytes, piece.data, piece.size) == 0) return &set[way];
        return nullptr;
    }

    // The slot to write the answer to.
    Slot& put(Bytes piece, std::uint64_t hash, std::size_t count) {
        Slot* const set = &slots_[(hash >> (64 - bits)) * 2];
        set[1] = set[0];
        set[0].size = static_cast<std::uint8_t>(piece.size);
        set[0].count = static_cast<std::uint8_t>(count);
        std::memcpy(set[0].bytes, piece.data, piece.size);
        return set[0];
    }

private:
    static constexpr int bits = with_ids ? thresholds::long_ids_bits : lines == 1 ? thresholds::long_count_bits : thresholds::longer_count_bits;  // 4 MB at most
    ZeroedArray<Slot> slots_;
};

}  // namespace bpe
