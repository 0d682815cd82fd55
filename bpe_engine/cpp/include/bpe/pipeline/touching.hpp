// Boundaries that no token of a byte-pair model can cross: they split the pieces of tokenizers without a pre-tokenizer, or with one that leaves long pieces.
//
//     "▁the▁cat."     ▁the|▁cat|.         no token of the vocabulary holds "e▁", nor "t."
//
// Merging never joins neighbours that no token holds side by side, so counts add up there. For most vocabularies these boundaries are between words.
#pragma once

#include <vector>

#include "bpe/models/merges.hpp"
#include "bpe/pipeline/chain.hpp"
#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

class TouchMatcher final : public Matcher {
public:
    explicit TouchMatcher(std::shared_ptr<const MergeModel> model) : model_(std::move(model)), joins_(frequent * frequent) {
        model_->learn_joins();
        for (std::uint32_t left = 0; left < frequent; ++left)
            for (std::uint32_t right = 0; right < frequent; ++right)
                joins_[left * frequent + right] = model_->may_join(left == space_number ? space : left, right == space_number ? space : right);
    }

    Match find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const override {
        std::size_t boundary;
        if (boundaries(text, from, limit, &boundary, 1)) return {boundary, boundary, true, true, boundary};
        return {no_match, no_match, at_end, false, limit};
    }

    std::size_t boundaries(const Byte* text, std::size_t from, std::size_t limit, std::size_t* ends, std::size_t capacity) const override {
        UnicodeTable const& table = UnicodeTable::instance();
        bool const by_characters = model_->by_characters();
        std::uint8_t const* const joins = joins_.data();
        std::size_t count = 0;
        // The number of a frequent character, or `frequent` and more for others.
        std::uint32_t before = 0;
        for (std::size_t place = from; place < limit;) {
            count_step();
            std::uint32_t const byte = text[place];
            std::size_t size = 1;
            std::uint32_t first = byte;
            if (byte >= 128) {
                if (by_characters && byte == 0xE2 && limit - place >= 3 && text[place + 1] == 0x96 && text[place + 2] == 0x81) {
                    size = 3;
                    first = space_number;
                } else {
                    Character const character = table.at(text, place, limit);
                    size = character.size;
                    // A byte that is not UTF-8 is a character beyond all others.
                    if (by_characters) first = character.code <= 0x10FFFF ? static_cast<std::uint32_t>(character.code) : 0x110000u + byte;
                    first += frequent;
                }
            }
            if (place > from) {
                ends[count] = place;
                count += before < frequent && first < frequent ? !joins[before * frequent + first] : !may_join(before, first);
                if (count == capacity) return count;
            }
            place += size;
            before = by_characters || byte < 128 ? first : text[place - 1] + frequent;
        }
        return count;
    }

    const MergeModel* touched() const override { return model_.get(); }

private:
    // ASCII, and "▁", which is the space of SentencePiece vocabularies: these are looked up in one table.
    static constexpr std::uint32_t space = 0x2581, space_number = 128, frequent = 129;

    bool may_join(std::uint32_t left, std::uint32_t right) const {
        auto const code = [](std::uint32_t number) { return number == space_number ? space : number < frequent ? number : number - frequent; };
        return model_->may_join(code(left), code(right));
    }

    std::shared_ptr<const MergeModel> model_;
    std::vector<std::uint8_t> joins_;  // of two frequent characters
};

}  // namespace bpe
