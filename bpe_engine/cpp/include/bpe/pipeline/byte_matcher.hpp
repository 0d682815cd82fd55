// Matches single bytes, for pre-tokenizers after ByteLevel, which see each byte as a character.
//
//     "ò1"     C3 B2 31     Ã ² 1     Digits takes B2 for a number, inside of a character
#pragma once

#include <array>

#include "bpe/pipeline/chain.hpp"

namespace bpe {

class ByteMatcher final : public Matcher {
public:
    explicit ByteMatcher(Bytes members) {
        for (Byte const byte : members) is_member_[byte] = true;
    }

    Match find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const override {
        for (std::size_t place = from; place < limit; ++place)
            if (is_member_[text[place]]) return {place, place + 1, true, true, place};
        return {no_match, no_match, at_end, false, limit};
    }
    bool is_of_bytes() const override { return true; }
    const std::array<bool, 256>* first_bytes() const override { return &is_member_; }

private:
    std::array<bool, 256> is_member_{};
};

}  // namespace bpe
