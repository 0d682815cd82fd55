// Convert the tokens of a file to distinct tokens for a trie.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "bpe/byte_hash.hpp"
#include "bpe/trie.hpp"
#include "bpe/types.hpp"

namespace bpe {

// The indices of all tokens except empty ones, ascending; of equal tokens the last.
inline std::vector<std::uint32_t> distinct_tokens(const std::vector<Bytes>& tokens) {
    constexpr std::uint32_t free = 0xFFFFFFFF;
    std::vector<std::uint32_t> slots(std::bit_ceil(2 * tokens.size() + 1), free);  // places in `indices`
    std::vector<std::uint32_t> indices;
    indices.reserve(tokens.size());
    bool repeated = false;
    for (std::uint32_t index = 0; index < tokens.size(); ++index) {
        if (tokens[index].size == 0) continue;
        std::size_t slot = byte_hash(tokens[index]) & (slots.size() - 1);
        while (slots[slot] != free && !(tokens[indices[slots[slot]]] == tokens[index])) slot = (slot + 1) & (slots.size() - 1);
        if (slots[slot] == free) {
            slots[slot] = static_cast<std::uint32_t>(indices.size());
            indices.push_back(index);
        } else {
            indices[slots[slot]] = index;
            repeated = true;
        }
    }
    if (repeated) std::sort(indices.begin(), indices.end());
    return indices;
}

template <class Value>
std::vector<Value> chosen(const std::vector<Value>& all, const std::vector<std::uint32_t>& indices) {
    std::vector<Value> values;
    values.reserve(indices.size());
    for (std::uint32_t const index : indices) values.push_back(all[index]);
    return values;
}

// A trie over tokens, and the ids by rank.
inline Trie trie_of(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>& ids_by_rank) {
    std::vector<std::uint32_t> const indices = distinct_tokens(tokens);
    ids_by_rank = chosen(ids, indices);
    std::vector<Rank> ranks(indices.size());
    for (Rank rank = 0; rank < ranks.size(); ++rank) ranks[rank] = rank;
    return Trie(chosen(tokens, indices), ranks, Trie::Direction::forward);
}

}  // namespace bpe
