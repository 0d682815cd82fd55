// Convert the tokens of a file to distinct tokens for a trie.
#pragma once

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bpe/trie.hpp"
#include "bpe/types.hpp"

namespace bpe {

// The indices of all tokens except empty ones, ascending; of equal tokens the last.
inline std::vector<std::uint32_t> distinct_tokens(const std::vector<Bytes>& tokens) {
    std::unordered_map<std::string_view, std::uint32_t> places;
    places.reserve(tokens.size());
    std::vector<std::uint32_t> indices;
    indices.reserve(tokens.size());
    bool repeated = false;
    for (std::uint32_t index = 0; index < tokens.size(); ++index) {
        if (tokens[index].size == 0) continue;
        auto const [entry, is_new] =
            places.try_emplace({reinterpret_cast<const char*>(tokens[index].data), tokens[index].size}, static_cast<std::uint32_t>(indices.size()));
        if (is_new) {
            indices.push_back(index);
        } else {
            indices[entry->second] = index;
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
