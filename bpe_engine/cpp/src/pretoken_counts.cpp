#include "bpe/pretoken_counts.hpp"

#include <algorithm>
#include <utility>

namespace bpe {

namespace {

constexpr std::size_t first_short = 1 << 12, first_long = 1 << 8;  // slots

}  // namespace

std::uint64_t PretokenCounts::hash_of(Bytes piece) const {
    // The whole state is mixed after each word. With a plain product an attacker could choose words whose differences cancel out, and so make pieces of
    // equal hash.
    std::uint64_t hash = seed_ ^ piece.size;
    std::uint64_t word;
    for (std::size_t place = 0; place + 8 <= piece.size; place += 8) {
        std::memcpy(&word, piece.data + place, 8);
        hash = mixed(hash ^ word);
    }
    // A long piece has at least 16 bytes.
    std::memcpy(&word, piece.data + piece.size - 8, 8);
    return mixed(hash ^ word);
}

void PretokenCounts::add_long(Bytes piece, std::uint64_t hash, std::uint64_t place, std::uint64_t times) {
    if (long_used_ * 2 >= long_.size()) grow_long();
    std::size_t const mask = long_.size() - 1;
    for (std::size_t index = hash & mask;; index = (index + 1) & mask) {
        Long& slot = long_[index];
        if (slot.size == 0) {
            slot = {hash, arena_.size(), piece.size, times, place};
            arena_.insert(arena_.end(), piece.begin(), piece.end());
            ++long_used_;
            return;
        }
        if (slot.hash == hash && Bytes{arena_.data() + slot.offset, slot.size} == piece) {
            slot.count = sum(slot.count, times);
            slot.first = std::min(slot.first, place);
            return;
        }
    }
}

void PretokenCounts::grow_short() {
    std::vector<Short> const old = std::exchange(short_, std::vector<Short>(std::max(first_short, short_.size() * 2)));
    std::size_t const mask = short_.size() - 1;
    for (Short const& slot : old) {
        if (slot.high == 0) continue;
        std::size_t index = hash_of(PieceKey{slot.low, slot.high}) & mask;
        while (short_[index].high != 0) index = (index + 1) & mask;
        short_[index] = slot;
    }
}

void PretokenCounts::grow_long() {
    std::vector<Long> const old = std::exchange(long_, std::vector<Long>(std::max(first_long, long_.size() * 2)));
    std::size_t const mask = long_.size() - 1;
    for (Long const& slot : old) {
        if (slot.size == 0) continue;
        std::size_t index = slot.hash & mask;
        while (long_[index].size != 0) index = (index + 1) & mask;
        long_[index] = slot;
    }
}

void PretokenCounts::absorb(PretokenCounts& other) {
    if (size() < other.size()) std::swap(*this, other);
    for (Short const& slot : other.short_)
        if (slot.high != 0) add_short({slot.low, slot.high}, slot.first, slot.count);
    for (Long const& slot : other.long_)
        if (slot.size != 0) add_long({other.arena_.data() + slot.offset, slot.size}, slot.hash, slot.first, slot.count);
    other = PretokenCounts();
}

}  // namespace bpe
