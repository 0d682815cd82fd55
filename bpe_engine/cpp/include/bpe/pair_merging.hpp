// Merge the lowest pair of a short row of symbols, the leftmost of equals, until no pair is left. Quadratic, without a heap.
//
// `Pairs` tells what merges:
//     Rank symbol(place)               the symbol at a place before any merge
//     Rank first(place)                the rank of the pair of the symbols at `place` and `place + 1` before any merge; no_rank if they do not merge
//     Rank rank(left, right, place)    the same for two symbols that are side by side now; the left one begins at `place`
//     Rank merged(rank, place)         the symbol that the pair at `place` becomes; its rank was the last result for this place
//     void put(symbol, place, end)     takes each symbol that is left, in order, and the places that it covers
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bpe/types.hpp"

namespace bpe {

inline constexpr std::size_t short_row = 16;
// The number of ranks that fit in a pair of `merge_short_row`.
inline constexpr std::uint64_t short_row_ranks = std::uint64_t{1} << 28;

// Merges a row of at most `short_row` symbols. The pair at place i is one number: its rank, and i. The least of sixteen numbers is found without a branch, and
// nothing is moved: neighbours are linked by places.
template <class Pairs>
inline void merge_short_row(Pairs& row, std::size_t size) {
    constexpr std::uint32_t never = 0xFFFFFFFF;
    std::uint32_t pairs[short_row];
    Rank symbols[short_row + 1];
    std::uint8_t next[short_row + 1], previous[short_row + 2];
    auto const pair = [](Rank rank, std::size_t place) { return rank == no_rank ? never : rank << 4 | static_cast<std::uint32_t>(place); };
    for (std::uint32_t& value : pairs) value = never;
    for (std::size_t place = 0; place < size; ++place) {
        symbols[place] = row.symbol(place);
        next[place] = static_cast<std::uint8_t>(place + 1);
        previous[place + 1] = static_cast<std::uint8_t>(place);
    }
    for (std::size_t place = 0; place + 1 < size; ++place) pairs[place] = pair(row.first(place), place);
    for (;;) {
        std::uint32_t least[4] = {pairs[0], pairs[1], pairs[2], pairs[3]};
        for (std::size_t place = 4; place < short_row; place += 4)
            for (std::size_t lane = 0; lane < 4; ++lane) least[lane] = std::min(least[lane], pairs[place + lane]);
        std::uint32_t const best = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
        if (best == never) break;
        std::size_t const place = best & 15, right = next[place], following = next[right];
        symbols[place] = row.merged(best >> 4, place);
        pairs[right] = never;
        next[place] = static_cast<std::uint8_t>(following);
        previous[following] = static_cast<std::uint8_t>(place);
        pairs[place] = following < size ? pair(row.rank(symbols[place], symbols[following], place), place) : never;
        if (place > 0) {
            std::size_t const before = previous[place];
            pairs[before] = pair(row.rank(symbols[before], symbols[place], before), before);
        }
    }
    for (std::size_t place = 0; place < size; place = next[place]) row.put(symbols[place], place, next[place]);
}

// Merges a row of at most `longest` symbols as the function above, but keeps the least pair of each block of sixteen. A merge changes three pairs, so the least
// pair of at most three blocks is searched for again. `Place` is a number of up to `longest`.
template <std::size_t longest, typename Place, class Pairs>
inline void merge_row(Pairs& row, std::size_t size) {
    constexpr std::uint64_t never = ~std::uint64_t{0};
    constexpr std::size_t blocks = longest / 16;
    constexpr unsigned place_bits = 8 * sizeof(Place);
    static_assert(longest < std::size_t{1} << place_bits && place_bits <= 16);
    std::uint64_t pairs[longest];
    std::uint64_t least[blocks];
    Rank symbols[longest];
    Place next[longest], previous[longest + 1];
    auto const pair = [](Rank rank, std::size_t place) { return rank == no_rank ? never : std::uint64_t{rank} << place_bits | place; };
    auto const find_least = [&](std::size_t block) {
        std::uint64_t lanes[4] = {never, never, never, never};
        for (std::size_t place = block * 16; place < block * 16 + 16; place += 4)
            for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] = std::min(lanes[lane], pairs[place + lane]);
        least[block] = std::min(std::min(lanes[0], lanes[1]), std::min(lanes[2], lanes[3]));
    };
    if (size == 0) return;
    std::size_t const used = (size + 15) / 16;
    for (std::size_t place = 0; place < used * 16; ++place) pairs[place] = place + 1 < size ? pair(row.first(place), place) : never;
    for (std::size_t place = 0; place < size; ++place) {
        symbols[place] = row.symbol(place);
        next[place] = static_cast<Place>(place + 1);
        previous[place + 1] = static_cast<Place>(place);
    }
    for (std::size_t block = 0; block < used; ++block) find_least(block);
    for (;;) {
        std::uint64_t best = least[0];
        for (std::size_t block = 1; block < used; ++block) best = std::min(best, least[block]);
        if (best == never) break;
        std::size_t const place = best & ((1u << place_bits) - 1), right = next[place], following = next[right];
        symbols[place] = row.merged(static_cast<Rank>(best >> place_bits), place);
        pairs[right] = never;
        next[place] = static_cast<Place>(following);
        previous[following] = static_cast<Place>(place);
        pairs[place] = following < size ? pair(row.rank(symbols[place], symbols[following], place), place) : never;
        std::size_t const before = place > 0 ? previous[place] : place;
        if (place > 0) pairs[before] = pair(row.rank(symbols[before], symbols[place], before), before);
        find_least(place / 16);
        if (right / 16 != place / 16) find_least(right / 16);
        if (before / 16 != place / 16) find_least(before / 16);
    }
    for (std::size_t place = 0; place < size; place = next[place]) row.put(symbols[place], place, next[place]);
}

}  // namespace bpe
