// From merges of pairs to an order of tokens in which any two neighbours merge. The specification, with the relation of both, is
// bpe_engine/fallback/ranking.py.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

// Numbers of tokens.
struct Ranking {
    std::vector<std::uint32_t> order;                 // the tokens that merging makes, the single bytes first
    std::optional<std::uint32_t> disordered;          // a token that comes before one of its halves: then the rest means nothing
    std::vector<std::uint32_t> blocked, unreachable;  // tokens that no merge makes: those that are two other tokens side by side; all others
};

// A merge that makes no token.
struct NoSuchToken {
    std::size_t place;
    std::vector<Byte> text;
};

// `tokens` are all different, and none is empty. `merges` are pairs of their numbers, the best first. Throws NoSuchToken.
Ranking rank_by_pairs(const std::vector<Bytes>& tokens, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& merges);

}  // namespace bpe
