// Caches of the counts and ids of pieces (pre-tokens, and units of them, see seams.hpp): words repeat, so most pieces of a text have been seen before.
//
// A piece of up to 15 bytes and its length are one key of 16 bytes, compared as two words:
//
//     low    the first eight bytes, zeros after the piece
//     high   the other seven; the last byte is length << 4 | count
//
// The key of a piece of 16 to 31 bytes has its first 16 bytes before such a key of the rest. Longer pieces have their own caches, with a cache line
// each up to 62 bytes, and three lines up to 190: for example the rules of dashes in a source file, which would be merged again each time.
//
// The number of tokens fits in the same 16 bytes, so counting touches one quarter of a cache line for each piece. A set has two slots in one line: a
// new piece takes the first slot and moves the older piece to the second, and the one that was there to a free slot of the neighbour. So memory is bounded,
// and an answer is exact or absent. The cache starts
// with few sets and gets more as pieces come, so that a short text pays only for the sets that it fills.
// One owner at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>

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

    // `readable`: the number of bytes from `piece` on that may be read.
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

    std::size_t size() const { return high >> 60; }

    static constexpr std::uint64_t count_mask = std::uint64_t{0x0F} << 56;
};

static_assert(std::endian::native == std::endian::little, "keys are read as little-endian words");

// The key of a piece of 16 to 31 bytes.
struct MediumKey {
    static constexpr std::size_t longest = 31;  // bytes

    std::uint64_t head[2];
    PieceKey tail;

    static MediumKey of(const Byte* piece, std::size_t size, std::size_t readable) {
        MediumKey key;
        std::memcpy(key.head, piece, 16);
        key.tail = PieceKey::of(piece + 16, size - 16, readable - 16);
        return key;
    }

    // The key of a short piece whose encoding has no room beside a short key. No longer piece has it: a tail of no bytes has zeros.
    static MediumKey of(PieceKey piece) { return {{piece.low, piece.high}, {1, 0}}; }

    std::uint64_t hash() const {
        std::uint64_t const both = (head[0] ^ (head[1] >> 32 | head[1] << 32)) * 0xFF51AFD7ED558CCDull;
        return (both ^ both >> 29 ^ tail.low ^ tail.high * 0xD6E8FEB86659FD93ull) * 0x9E3779B97F4A7C15ull;
    }
};

// A key with a count; all zeros: free.
struct ShortSlot {
    std::uint64_t low, high;

    bool is_free() const { return high == 0; }
    PieceKey key() const { return {low, high & ~PieceKey::count_mask}; }
    void set(PieceKey key, std::size_t count) { low = key.low, high = key.high | std::uint64_t{count} << 56; }
    // The count if this is the slot of `key`, otherwise 0.
    unsigned count(PieceKey key) const {
        std::uint64_t const difference = std::rotl(high ^ key.high, 8);  // the count, if all else is equal
        return low == key.low && difference < 16 ? static_cast<unsigned>(difference) : 0;
    }
};

struct MediumSlot {
    std::uint64_t head[2];
    ShortSlot tail;

    bool is_free() const { return tail.is_free(); }
    MediumKey key() const { return {{head[0], head[1]}, tail.key()}; }
    void set(const MediumKey& key, std::size_t count) {
        head[0] = key.head[0], head[1] = key.head[1];
        tail.set(key.tail, count);
    }
    unsigned count(const MediumKey& key) const { return head[0] == key.head[0] && head[1] == key.head[1] ? tail.count(key.tail) : 0; }
};

template <class Slot, std::size_t most_ids>
struct SlotWithIds : Slot {
    std::uint32_t ids[most_ids];

    // Writes `most_ids` ids to `out`; the number of valid ones if this is the slot of `key`, otherwise 0.
    template <class Key>
    unsigned find(const Key& key, std::uint32_t* out) const {
        // Two at a time. Three of four writes of 16 bytes would cross a boundary of 16 bytes: on a processor with the Zen architecture of 2017 encoding took
        // 15 % longer with them. Others were not measured.
        for (std::size_t index = 0; index < most_ids; index += 2) {
            std::memcpy(out + index, ids + index, 2 * sizeof(std::uint32_t));
            std::atomic_signal_fence(std::memory_order_acq_rel);  // keeps the compiler from making them one
        }
        return this->count(key);
    }
};

// `room`: the least number of sets for each piece, until there are 2^`most_bits` sets. Where pieces are brought back there are soon more, up to `most_room`:
// texts of the same words are read a tenth faster then, and up to a third. With so many sets from the start a first text took a seventh longer. To wait until
// eight times as many are brought back cost more than it saved from the tenth reading of 300 kB on.
template <class Slot, int first_bits, int most_bits, std::size_t room = 1>
class SlotPairs {
public:
    SlotPairs() : sets_(std::size_t{1} << most_bits) {}

    const Slot* set(std::uint64_t hash) const { return sets_[hash >> shift_].slots; }
    const Slot* expect(std::uint64_t hash) const {
        Slot const* const slots = set(hash);
        prefetch(slots);
        return slots;
    }
    // Looks for a piece that is not in the first slot of its set: in the second one, and in the neighbour of the set, where one piece of twenty is, for want of
    // room. It moves to the first slot. So pieces that are read often are there, and to look there alone is a branch that can be predicted: to look into both
    // slots without a branch took a tenth longer.
    template <class Key>
    BPE_RARELY_CALLED void bring_back(const Key& key, std::uint64_t hash) {
        if (brought_back_ >= sets() / 4 && most_room * made_ > sets() && shift_ > 64 - most_bits) grow();
        Slot* const set = sets_[hash >> shift_].slots;
        if (set[0].count(key)) return;
        if (set[1].count(key)) {
            ++brought_back_;
            return std::swap(set[0], set[1]);
        }
        for (Slot& slot : sets_[hash >> shift_ ^ 1].slots) {
            if (!slot.count(key)) continue;
            ++brought_back_;
            std::swap(set[0], set[1]);
            std::swap(set[0], slot);
            return;
        }
    }

    // The slot to write a new piece to.
    Slot& make(std::uint64_t hash) {
        if (room * made_++ >= sets() && shift_ > 64 - most_bits) [[unlikely]]
            grow();
        return make_room(hash >> shift_);
    }

    // Whether there were no more pieces than sets so far.
    bool has_room() const { return made_ <= std::size_t{1} << most_bits; }

private:
    static constexpr std::size_t most_room = std::max<std::size_t>(room, 4);

    std::size_t sets() const { return std::size_t{1} << (64 - shift_); }

    static constexpr std::size_t alignment = std::has_single_bit(sizeof(Slot)) ? 2 * sizeof(Slot) : alignof(Slot);
    struct alignas(alignment) Set {
        Slot slots[2];
    };

    Slot& make_room(std::size_t index) {
        Set& set = sets_[index];
        if (!set.slots[1].is_free()) {
            for (Slot& other : sets_[index ^ 1].slots) {
                if (!other.is_free()) continue;
                other = set.slots[1];
                break;
            }
        }
        set.slots[1] = set.slots[0];
        return set.slots[0];
    }

    // Double the number of sets, in place, from the last to the first: new memory would cost more than all else here. A pair of sets, which have each
    // other's pieces for want of room, becomes two pairs.
    void grow() {
        std::size_t const pairs = sets() >> 1;
        --shift_;
        brought_back_ = 0;
        for (std::size_t pair = pairs; pair-- > 0;) {
            Set const old[2] = {sets_[2 * pair], sets_[2 * pair + 1]};
            sets_[2 * pair] = sets_[2 * pair + 1] = {};
            for (Set const& set : old)
                for (Slot const* slot : {&set.slots[1], &set.slots[0]})
                    if (!slot->is_free()) make_room(slot->key().hash() >> shift_) = *slot;
        }
    }

    ZeroedArray<Set> sets_;
    int shift_ = 64 - first_bits;
    std::size_t made_ = 0, brought_back_ = 0;
};

// Piece -> number of tokens, up to 15.
template <class Key, class SlotOfKey, int first_bits, int most_bits>
class CountsOf {
public:
    using Slot = SlotOfKey;
    static constexpr std::size_t most = 15;  // tokens

    // 0 if the piece is not known.
    unsigned find(const Key& key, std::uint64_t hash) {
        if (unsigned const count = slots_.set(hash)->count(key)) [[likely]]
            return count;
        slots_.bring_back(key, hash);
        return slots_.set(hash)->count(key);
    }

    // Prefetches the set that `find` will read. Returns its first slot, which stays a slot, but may get another key when a piece is put in or brought back.
    const Slot* expect(std::uint64_t hash) const { return slots_.expect(hash); }

    void put(const Key& key, std::uint64_t hash, std::size_t count) { slots_.make(hash).set(key, count); }
    // Whether no piece had to go, or hardly any.
    bool has_room() const { return slots_.has_room(); }

private:
    SlotPairs<Slot, first_bits, most_bits> slots_;
};

// Piece -> ids, of pieces with few tokens.
template <class Key, class SlotOfKey, std::size_t most_ids, int first_bits, int most_bits>
class IdsOf {
public:
    using Slot = SlotWithIds<SlotOfKey, most_ids>;
    static constexpr std::size_t most = most_ids;  // tokens
    // In place of a number: the piece has more tokens, which another cache may have.
    static constexpr unsigned elsewhere = 15;

    // Writes `most` ids, and returns the number of valid ones; 0 if the piece is not known.
    unsigned find(const Key& key, std::uint64_t hash, std::uint32_t* out) {
        if (unsigned const count = find_first(key, hash, out)) return count;
        slots_.bring_back(key, hash);
        return find_first(key, hash, out);
    }
    // The same, with 0 also for the few that are not in the first slots of their sets.
    unsigned find_first(const Key& key, std::uint64_t hash, std::uint32_t* out) const { return slots_.set(hash)->find(key, out); }
    // Whether so many, as `find` returns it, were written.
    static bool are_written(unsigned count) { return count - 1 < most; }

    const Slot* expect(std::uint64_t hash) const { return slots_.expect(hash); }

    void put(const Key& key, std::uint64_t hash, const std::uint32_t* ids, std::size_t count) {
        auto& slot = slots_.make(hash);
        slot.set(key, count);
        for (std::size_t index = 0; index < count; ++index) slot.ids[index] = ids[index];
    }
    bool has_room() const { return slots_.has_room(); }
    void put_elsewhere(const Key& key, std::uint64_t hash) { slots_.make(hash).set(key, elsewhere); }

private:
    SlotPairs<Slot, first_bits, most_bits> slots_;
};

using CountCache = CountsOf<PieceKey, ShortSlot, thresholds::first_bits, thresholds::count_bits>;                 // 4 MB at most
using MediumCountCache = CountsOf<MediumKey, MediumSlot, thresholds::first_bits, thresholds::medium_count_bits>;  // 2 MB at most
using IdsCache = IdsOf<PieceKey, ShortSlot, 4, thresholds::first_bits, thresholds::ids_bits>;                     // 4 MB at most
using MediumIdsCache = IdsOf<MediumKey, MediumSlot, 8, thresholds::first_bits, thresholds::medium_ids_bits>;      // 2 MB at most

// A pre-token of eight bytes or more, and its encoding: with `with_ids` the ids, as many as fit into `lines` cache lines, otherwise only their number. Its
// bytes take `lines` cache lines, too.
template <bool with_ids, std::size_t lines = 1>
class LongPieceCache {
public:
    static constexpr std::size_t longest = lines * 64 - 2;  // bytes
    static constexpr std::size_t most_ids = lines * 16 - 1;
    static constexpr std::size_t most = with_ids ? most_ids : 255;  // tokens

    struct Ids {
        std::uint32_t ids[most_ids + 1];
    };
    struct Nothing {};
    struct alignas(64) Slot : std::conditional_t<with_ids, Ids, Nothing> {
        std::uint8_t size;  // 0: free
        std::uint8_t tokens;
        Byte bytes[longest];

        bool is_free() const { return size == 0; }
        struct Key {
            Bytes piece;
            std::uint64_t hash() const { return LongPieceCache::hash(piece); }
        };
        Key key() const { return {{bytes, size}}; }
        bool count(const Key& key) const { return size == key.piece.size && std::memcmp(bytes, key.piece.data, size) == 0; }
    };

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

    // Null if the piece is not known. The slot is valid until the next call.
    const Slot* find(Bytes piece, std::uint64_t hash) {
        Slot const* set = slots_.set(hash);
        // These are too large to be moved for less than they would cost.
        for (int way = 0; way < 2; ++way)
            if (set[way].count({piece})) return &set[way];
        slots_.bring_back(typename Slot::Key{piece}, hash);
        set = slots_.set(hash);
        return set->count({piece}) ? set : nullptr;
    }

    bool has_room() const { return slots_.has_room(); }

    // The slot to write the encoding to.
    Slot& put(Bytes piece, std::uint64_t hash, std::size_t tokens) {
        Slot& slot = slots_.make(hash);
        slot.size = static_cast<std::uint8_t>(piece.size);
        slot.tokens = static_cast<std::uint8_t>(tokens);
        std::memcpy(slot.bytes, piece.data, piece.size);
        return slot;
    }

private:
    static constexpr int bits = lines > 1 ? thresholds::longer_bits : with_ids ? thresholds::long_ids_bits : thresholds::long_count_bits;  // 4 MB at most
    SlotPairs<Slot, std::min(thresholds::first_long_bits, bits), bits> slots_;
};

}  // namespace bpe
