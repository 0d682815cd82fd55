// From merge ranks in any order to the order in which tokens merge. The specification, with the reasons and the definition of crossings, is
// bpe_engine/fallback/merge_order.py.
#pragma once

#include <vector>

#include "bpe/merge_map.hpp"
#include "bpe/types.hpp"

namespace bpe {

struct MergeOrder {
    std::vector<Rank> order;        // tokens, the single bytes first, those that no merge makes last
    bool in_order;                  // each comes after its halves
    std::vector<Halves> crossings;  // pairs of tokens of which the one that is later in `order` merges first
    bool is_exact() const { return in_order && crossings.empty(); }
};

// No order exists, and the vocabulary is too complex to merge without one.
struct TooIntricate {
    enum class Kind { equal_ranks, steps, depth };
    Kind kind;
    Rank token;
};

inline constexpr std::size_t most_neighbours = std::size_t{1} << 20;  // pairs of merges that are compared
inline constexpr std::size_t deepest = 256;                           // merges that are checked on one side of a join

// `tokens`, their ranks, and their halves as `Dictionary::halves_of` finds them. Throws TooIntricate, and VocabularyError (damaged) if no merge makes a half.
MergeOrder merge_order(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks, const std::vector<Halves>& halves);

}  // namespace bpe
