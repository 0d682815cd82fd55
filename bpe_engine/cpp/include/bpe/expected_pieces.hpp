// The pieces of a text, step by step; the cache line where each will be looked for is prefetched one step ahead.
#pragma once

#include <utility>

#include "bpe/piece_cache.hpp"
#include "bpe/scanner.hpp"
#include "bpe/types.hpp"

namespace bpe {

// A piece, and what will be looked at first: the first slot of its set. `Slot`: of the cache of short pieces.
template <class Slot>
struct ExpectedPiece {
    // A longer piece than `PieceKey::longest` is found nowhere at first: its slot is free. Its key is {hash if it is of medium length, 0}.
    PieceKey key;
    const Slot* slot;
    const Byte* start;

    std::size_t size() const { return static_cast<std::size_t>(this[1].start - start); }
    Bytes bytes() const { return {start, size()}; }
    bool is_short() const { return key.high != 0; }
};

// The pieces of a step.
template <class Slot>
struct ExpectedPieces {
    static constexpr std::size_t most = 64;
    static constexpr Slot free{};

    ExpectedPiece<Slot> all[most + 1];  // the last one has its start alone
    std::size_t count = 0;
    std::uint64_t seams = 0;

    // Whether a piece ends at a seam, inside of a pre-token.
    bool ends_at_seam(const ExpectedPiece<Slot>& one) const { return seams && seams >> ((&one)[1].start - all->start - 1) & 1; }

    const ExpectedPiece<Slot>* begin() const { return all; }
    const ExpectedPiece<Slot>* end() const { return all + count; }
};

// Calls `use` for the pieces of each step of `text`, as `encoder.step` reads them. The cache lines of `cache` and `medium` for the pieces of a step are
// prefetched while the next step is scanned: half of the time was spent waiting for them. Tried without gain: a cache of words of eight bytes for pieces of up
// to seven (distinguishing the two sizes costs more than the shorter keys save), batches of several steps, huge pages.
template <class Encoder, class Cache, class MediumCache, class Use>
void for_each_step(const Encoder& encoder, Bytes text, const Cache& cache, const MediumCache& medium, Use&& use) {
    using Some = ExpectedPieces<typename Cache::Slot>;
    Some two[2];
    Some *coming = &two[0], *there = &two[1];
    for (std::size_t place = 0; place < text.size;) {
        Step const next = encoder.step(text, place);
        auto* one = coming->all;
        auto const add = [&](std::size_t start, std::size_t end, std::size_t readable) {
            std::size_t const size = end - start;
            one->start = text.data + start;
            if (size <= PieceKey::longest) [[likely]] {
                one->key = PieceKey::of(one->start, size, readable);
                one->slot = cache.expect(one->key.hash());
            } else {
                one->key = {};
                one->slot = &Some::free;
                if (size <= MediumKey::longest) {
                    one->key.low = MediumKey::of(one->start, size, readable).hash();
                    medium.expect(one->key.low);
                }
            }
            ++one;
        };
        // Not one look for each piece whether the text goes on beyond it.
        if (text.size - place >= next.consumed() + 32) for_each_end(next, place, [&](std::size_t start, std::size_t end) { add(start, end, 32); });
        else for_each_end(next, place, [&](std::size_t start, std::size_t end) { add(start, end, text.size - start); });
        place += next.consumed();
        one->start = text.data + place;
        coming->count = static_cast<std::size_t>(one - coming->all);
        coming->seams = next.seams();
        std::swap(coming, there);
        use(*coming);
    }
    use(*there);
}

}  // namespace bpe
