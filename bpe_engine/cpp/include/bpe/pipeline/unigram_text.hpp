// A text that a Unigram model gets as one piece, unit by unit: its count, and its ids.
//
//     raw text     "The cat sat"
//     units        The | cat | sat          no token reaches over (SafeSplits, UnigramWords): words repeat, so most have been read before (UnigramMemory)
//     scores       -6.25 | -8.5 | -9.125    of the tokens of each
//     sum          -6.25, -14.75, -23.875   rounded at each token, from the start of the text on
//
// A model adds up from where a text begins, so which of two ways is better may depend on all that stands before: only where they are nearly as good as each
// other. A unit knows how near (UnigramUnit), and its scores bring the sum to its end. Where the sum is too large for that the unit is read again after it.
#pragma once

#include <memory>

#include "bpe/pipeline/normalizer.hpp"
#include "bpe/pipeline/piece_sinks.hpp"
#include "bpe/pipeline/safe_splits.hpp"
#include "bpe/shelf.hpp"

namespace bpe {

class Chain;
class PieceCoder;
class StagedIds;
class UnigramModel;

class UnigramText {
public:
    // Null where texts are not one piece of a Unigram model, or no units are known. What is given outlives it; `normalizer` null: none.
    static std::shared_ptr<const UnigramText> make(const PieceCoder& coder, const Chain& chain, const Normalizer* normalizer);

    ~UnigramText();

    // text[at.offset:end) of a region, which ends there if that is known; else all of it that is certain whatever follows is read. Moves `at` to the end of
    // what was read. Up to `limit` text may be looked at, though it does not count.
    struct Part {
        const Byte* text;
        Position& at;
        std::size_t end, limit;
        bool is_known = true;
    };
    // The number of tokens of a part, or some number above `most` where there are more.
    std::size_t count(const Part& part, std::size_t most) const;
    // Appends the ids.
    void encode(const Part& part, StagedIds& ids) const;
    // The ids, and for each the offset in bytes of the character that it comes from.
    void encode_with_offsets(const Part& part, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>& offsets) const;

private:
    struct Workspace;
    UnigramText(const UnigramModel& model, const Normalizer* normalizer, std::unique_ptr<const SafeSplits> splits);
    template <class Use>
    void read(const Part& part, Use&& use) const;

    const Normalizer* normalizer_;
    std::unique_ptr<const SafeSplits> splits_;
    Shelf<Workspace> shelf_;
};

}  // namespace bpe
