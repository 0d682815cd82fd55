// Where no token of a byte-pair model can reach over: pieces for tokenizers that have no pre-tokenizer, or one that leaves long pieces.
//
//     "▁the▁cat."     ▁the|▁cat|.         no token of the vocabulary holds "e▁", nor "t."
//
// Merging never joins what no token holds side by side, so counts add up there. For most vocabularies that is between words.
#pragma once

#include "bpe/models/merges.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

class TouchMatcher final : public Matcher {
public:
    explicit TouchMatcher(std::shared_ptr<const MergeModel> model) : model_(std::move(model)) {}

    Found find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const override {
        UnicodeTable const& table = UnicodeTable::instance();
        std::uint32_t before = 0;
        bool by_characters = model_->by_characters();
        for (std::size_t place = from; place < limit;) {
            Character const character = table.at(text, place, limit);
            // A byte that is not UTF-8 is a character beyond all others.
            std::uint32_t const first = !by_characters ? text[place] : character.code <= 0x10FFFF ? static_cast<std::uint32_t>(character.code) : 0x110000u + text[place];
            if (place > from && !model_->may_join(before, first)) return {place, place, true, true, place};
            place += character.size;
            before = by_characters ? first : text[place - 1];
        }
        return {no_match, no_match, at_end, false, limit};
    }

private:
    std::shared_ptr<const MergeModel> model_;
};

}  // namespace bpe
