#include "unigram_joins.hpp"

#include <bit>

#include "bpe/unicode.hpp"

namespace bpe {

UnigramJoins::UnigramJoins(const std::vector<Bytes>& tokens, Bytes unknown, bool parts_unknown) : parts_unknown_(parts_unknown) {
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t bytes = 0;
    for (Bytes const token : tokens) bytes += token.size;
    touching_.assign(std::bit_ceil(bytes / 8 + 16), 0);
    auto const last_of = [&](Bytes text, auto&& met) {
        char32_t before = none;
        for (std::size_t place = 0, size = 0; place < text.size; place += size) {
            Character const character = table.at(text.data, place, text.size);
            size = character.size;
            if (place > 0) met(before, character.code);
            before = character.code;
        }
        return before;
    };
    for (Bytes const token : tokens) {
        if (token.size == 0) continue;
        char32_t const last = last_of(token, [&](char32_t left, char32_t right) {
            std::uint64_t const bit = bit_of(left, right);
            touching_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
        });
        if (token.size != character_size(token.data, token.size)) continue;
        if (last < basic_plane) tokens_[last] = true;
        else others_.insert(last);
    }
    if (unknown.size > 0) unknown_last_ = last_of(unknown, [](char32_t, char32_t) {});
}

}  // namespace bpe
