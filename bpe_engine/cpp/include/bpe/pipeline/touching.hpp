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
    explicit TouchMatcher(std::shared_ptr<const MergeModel> model) : model_(std::move(model)) { model_->learn_joins(); }

    Found find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const override {
        std::size_t boundary;
        if (boundaries(text, from, limit, &boundary, 1)) return {boundary, boundary, true, true, boundary};
        return {no_match, no_match, at_end, false, limit};
    }

    std::size_t boundaries(const Byte* text, std::size_t from, std::size_t limit, std::size_t* ends, std::size_t capacity) const override {
        UnicodeTable const& table = UnicodeTable::instance();
        bool const by_characters = model_->by_characters();
        std::size_t count = 0;
        std::uint32_t before = 0;
        for (std::size_t place = from; place < limit;) {
            std::uint32_t const byte = text[place];
            std::size_t size = 1;
            std::uint32_t first = byte;
            if (byte >= 128) {
                Character const character = table.at(text, place, limit);
                size = character.size;
                // A byte that is not UTF-8 is a character beyond all others.
                if (by_characters) first = character.code <= 0x10FFFF ? static_cast<std::uint32_t>(character.code) : 0x110000u + byte;
            }
            if (place > from && !model_->may_join(before, first)) {
                ends[count++] = place;
                if (count == capacity) return count;
            }
            place += size;
            before = by_characters ? first : text[place - 1];
        }
        return count;
    }

private:
    std::shared_ptr<const MergeModel> model_;
};

}  // namespace bpe
