// Runs of one script, as the pre-tokenizer UnicodeScripts of Hugging Face cuts a text.
//
//     "  a  b1 ア林り "     a  b|1 |ア林り_        characters of no script belong to what stands before them; at the start they are left out
#pragma once

#include <cstdint>
#include <vector>

#include "bpe/pipeline/chain.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

class ScriptMatcher final : public Matcher {
public:
    struct Run {
        char32_t first, last;
        std::uint8_t script;  // not 0
    };
    explicit ScriptMatcher(const std::vector<Run>& runs) : scripts_(0x110000, 0) {
        for (Run const& run : runs)
            for (char32_t code = run.first; code <= run.last && code < scripts_.size(); ++code) scripts_[code] = run.script;
    }

    Found find(const Byte* text, std::size_t from, std::size_t limit, bool at_end) const override {
        UnicodeTable const& table = UnicodeTable::instance();
        std::size_t start = no_match;
        std::uint8_t script = 0;
        for (std::size_t place = from; place < limit;) {
            Character const character = table.at(text, place, limit);
            std::uint8_t const here = character.code < scripts_.size() ? scripts_[character.code] : 0;
            if (here != 0 && script != 0 && here != script) return {start, place, true, true, start};
            if (here != 0 && script == 0) {
                script = here;
                start = place;
            }
            place += character.size;
        }
        if (start == no_match) return {no_match, no_match, true, false, limit};
        return {start, limit, at_end, true, start};
    }

private:
    std::vector<std::uint8_t> scripts_;  // 0: none
};

}  // namespace bpe
