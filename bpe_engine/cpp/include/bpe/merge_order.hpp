// From merge ranks in any order to an order in which tokens merge. What that is, why it is one, and what crossings are: bpe_engine/fallback/merge_order.py,
// which is the specification of this.
#pragma once

#include <vector>

#include "bpe/merge_map.hpp"
#include "bpe/types.hpp"

namespace bpe {

struct MergeOrder {
    std::vector<Rank> order;        // tokens, the single bytes first, those that no merge makes last
    bool in_order;                  // each comes after its halves
    std::vector<Halves> crossings;  // two tokens of which the one that is later in `order` comes first
    bool is_exact() const { return in_order && crossings.empty(); }
};

// There is no order, and the vocabulary is too intricate to do without.
struct TooIntricate {
    enum class Kind { equal_ranks, steps, depth };
    Kind kind;
    Rank token;
};

inline constexpr std::size_t most_neighbours = std::size_t{1} << 20;  // pairs of merges that are compared
inline constexpr std::size_t deepest = 256;                           // merges on one side of a join that are looked at

// `tokens`, their ranks, and their halves as `Dictionary::halves_of` finds them. Throws TooIntricate, and VocabularyError (damaged) where a half is made by no
// merge.
MergeOrder merge_order(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks, const std::vector<Halves>& halves);

}  // namespace bpe
