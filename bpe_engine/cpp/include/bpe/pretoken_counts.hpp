// Distinct pre-tokens with their counts and first places: the only data that training keeps of a text.
//
// A pre-token of up to 15 bytes is stored in its slot, as the two words of a PieceKey; the bytes of longer ones are stored consecutively in an
// arena. Open addressing, at most half full. One owner at a time: each thread counts into its own table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bpe/hash_seed.hpp"
#include "bpe/piece_cache.hpp"
#include "bpe/types.hpp"

namespace bpe {

class PretokenCounts {
public:
    // `place`: the offset of the piece in the whole corpus; the first one of each piece is kept. `readable`: the number of bytes from its start
    // that may be read. `times`: the number of its occurrences there. Counts saturate at the largest number that fits.
    void add(Bytes piece, std::size_t readable, std::uint64_t place, std::uint64_t times = 1) {
        if (piece.size <= PieceKey::longest) [[likely]]
            add_short(PieceKey::of(piece.data, piece.size, readable), place, times);
        else add_long(piece, hash_of(piece), place, times);
    }

    // Takes over what `other` has counted, and leaves it empty.
    void absorb(PretokenCounts& other);

    std::size_t size() const { return short_used_ + long_used_; }

    // Calls `use(bytes, count, first place)` for each, in no particular order. The bytes stay where they are until something is added.
    template <class Use>
    void for_each(Use&& use) const {
        for (Short const& slot : short_) {
            if (slot.high == 0) continue;
            // `low` and `high` are at the start of the slot, and words are little-endian, so the bytes of the piece are there in order.
            use(Bytes{reinterpret_cast<const Byte*>(&slot), static_cast<std::size_t>(slot.high >> 60)}, slot.count, slot.first);
        }
        for (Long const& slot : long_)
            if (slot.size != 0) use(Bytes{arena_.data() + slot.offset, slot.size}, slot.count, slot.first);
    }

    // Bytes of memory.
    std::size_t memory() const { return short_.capacity() * sizeof(Short) + long_.capacity() * sizeof(Long) + arena_.capacity(); }

private:
    // `high` holds the size of the piece, which is never 0, so 0 is a free slot.
    struct Short {
        std::uint64_t low, high, count, first;
    };
    struct Long {
        std::uint64_t hash, offset, size, count, first;
    };

    std::uint64_t hash_of(PieceKey key) const { return mixed(mixed(key.low ^ seed_) ^ key.high); }
    std::uint64_t hash_of(Bytes piece) const;
    static std::uint64_t sum(std::uint64_t one, std::uint64_t other) { return one + other < one ? ~std::uint64_t{0} : one + other; }

    void add_short(PieceKey key, std::uint64_t place, std::uint64_t times) {
        if (short_used_ * 2 >= short_.size()) [[unlikely]]
            grow_short();
        std::size_t const mask = short_.size() - 1;
        for (std::size_t index = hash_of(key) & mask;; index = (index + 1) & mask) {
            Short& slot = short_[index];
            if (slot.low == key.low && slot.high == key.high) [[likely]] {
                slot.count = sum(slot.count, times);
                if (place < slot.first) slot.first = place;
                return;
            }
            if (slot.high == 0) {
                slot = {key.low, key.high, times, place};
                ++short_used_;
                return;
            }
        }
    }
    void add_long(Bytes piece, std::uint64_t hash, std::uint64_t place, std::uint64_t times);
    void grow_short();
    void grow_long();

    std::uint64_t seed_ = hash_seed();
    std::vector<Short> short_;
    std::vector<Long> long_;
    std::vector<Byte> arena_;
    std::size_t short_used_ = 0, long_used_ = 0;
};

}  // namespace bpe
