// Room for vectors that stay: a thirty-second part more than they hold, short ones up to a quarter. A vector by itself doubles, and half of a conversation's
// memory would be free.
#pragma once

#include <algorithm>
#include <vector>

namespace bpe {

// Reserves room for `more` items at the end. Amortized constant time an item.
template <class Item>
void make_room(std::vector<Item>& items, std::size_t more) {
    constexpr std::size_t least = 16;
    std::size_t const size = items.size() + more;
    if (size > items.capacity()) items.reserve(size + std::max(size / 32, std::min(size / 4, least)));
}

}  // namespace bpe
