// TokenSet: the tokens of a vocabulary and their ids.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bpe/dictionary.hpp"
#include "bpe/types.hpp"

namespace bpe::bindings {

// The tokens of a vocabulary, shared by all tokenizers over them.
struct TokenSet {
    std::shared_ptr<const Dictionary> dictionary;
    std::vector<std::uint32_t> ids;  // of each rank; empty where it is the rank itself
    std::vector<Rank> by_id{};       // ranks in the order of their ids
    // Whether ranks are not the order in which the tokens were given; and where merging goes by no order, as bpe_engine/fallback/merge_order.py says it.
    bool is_rearranged = false, in_order = true;
    std::vector<Halves> crossings{};

    std::uint32_t id(Rank rank) const { return ids.empty() ? rank : ids[rank]; }
    // The rank of an id; no_rank where no token has it.
    Rank rank(std::uint64_t id) const;
};

}  // namespace bpe::bindings
