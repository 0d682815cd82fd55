// The count of a text that a Unigram model gets as one piece, unit by unit.
//
//     raw text     "The cat sat"
//     units        The | cat | sat          no token reaches over (SafeSplits): words repeat, so most have been read before
//     scores       -6.25 | -8.5 | -9.125    of the tokens of each
//     sum          -6.25, -14.75, -23.875   rounded at each token, from the start of the text on
//
// A model adds up from where a text begins, so which of two ways is better may depend on all that stands before: only where they are nearly as good as each
// other. A unit knows how near (UnigramUnit), and its scores bring the sum to its end. Where the sum is too large for that the unit is read again behind it.
#pragma once

#include <memory>

#include "bpe/pipeline/normalizer.hpp"
#include "bpe/pipeline/safe_splits.hpp"
#include "bpe/shelf.hpp"

namespace bpe {

class Chain;
class PieceCoder;
class UnigramModel;

class UnigramCounts {
public:
    // Null where texts are not one piece of a Unigram model, or no units are known. What is given outlives it; `normalizer` null: none.
    static std::shared_ptr<const UnigramCounts> make(const PieceCoder& coder, const Chain& chain, const Normalizer* normalizer);

    ~UnigramCounts();

    // The number of tokens of text[from:to), a whole region, or some number above `most` where there are more. Up to `limit` text may be looked at, though
    // it does not count. `is_first`: the text begins here.
    std::size_t count(const Byte* text, std::size_t from, std::size_t to, std::size_t limit, bool is_first, std::size_t most) const;

private:
    struct Workspace;
    UnigramCounts(const UnigramModel& model, const Normalizer* normalizer, std::unique_ptr<const SafeSplits> splits);
    Bytes normalized(Bytes unit, bool at_start, bool is_first, Normalized& made) const;

    const UnigramModel& model_;
    const Normalizer* normalizer_;
    std::unique_ptr<const SafeSplits> splits_;
    Shelf<Workspace> shelf_;
};

}  // namespace bpe
