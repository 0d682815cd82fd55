// What a merge may cross: the characters, or bytes, that some token holds side by side.
#include <algorithm>

#include "bpe/models/merges.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

void MergeModel::learn_joins() const {
    std::call_once(joins_once_, [this] {
        if (options_.by_characters) learn_characters();
        else learn_bytes();
        find_whole_tokens();
        if (options_.by_characters) {
            traits_.assign(0x10000, is_unknown);
            auto const change = [&](std::uint32_t code, std::uint8_t removed, std::uint8_t added) {
                if (code < traits_.size()) traits_[code] = static_cast<std::uint8_t>((traits_[code] & ~removed) | added);
            };
            for (std::uint32_t code = 0; code < 128; ++code)
                if (is_known(code)) change(code, is_unknown, 0);
            for (auto const& [code, number] : characters_) change(code, is_unknown, 0);
            for (std::uint32_t const code : whole_firsts_) change(code, 0, begins_whole);
            for (std::uint32_t const code : whole_lasts_) change(code, 0, ends_whole);
        }
        for (std::uint32_t left = 0; left < 128; ++left)
            for (std::uint32_t right = 0; right < 128; ++right)
                if (may_join_beyond_ascii(left, right)) ascii_joins_[left][right >> 6] |= std::uint64_t{1} << (right & 63);
    });
}

void MergeModel::learn_bytes() const {
    // Of any two bytes one after the other, written without being read and without a branch: first those inside of a token, then those between two.
    std::vector<std::uint8_t> begins(bytes_.size() + 1), are_held(2 * 0x10000);
    for (std::uint32_t const offset : offsets_) begins[offset] = 1;
    for (std::size_t place = 1; place < bytes_.size(); ++place)
        are_held[std::size_t{begins[place]} << 16 | std::size_t{bytes_[place - 1]} << 8 | bytes_[place]] = 1;
    touching_.begin_bytes();
    for (std::uint32_t pair = 0; pair < 0x10000; ++pair)
        if (are_held[pair]) touching_.add(pair >> 8, pair & 255);
}

void MergeModel::learn_characters() const {
    // About seven bits for each pair of neighbours inside a token.
    touching_.begin_characters(bytes_.size());
    for (std::size_t number = 0; number + 1 < offsets_.size(); ++number) {
        Bytes const text{bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]};
        std::uint32_t before = 0;
        for (std::size_t place = 0, size = 0; place < text.size; place += size) {
            std::uint32_t const code = code_at_start(text.part(place, text.size), size);
            if (place > 0) touching_.add(before, code);
            before = code;
        }
    }
}

bool MergeModel::knows_seams() const {
    if (options_.by_characters || !tells_joins() || joins_unknown_) return false;
    learn_joins();
    return whole_firsts_.empty();
}

const Seams& MergeModel::seams() const {
    std::call_once(seams_once_, [this] { seams_ = std::make_unique<const Seams>(Bytes{bytes_.data(), bytes_.size()}, offsets_); });
    return *seams_;
}

void MergeModel::find_whole_tokens() const {
    if (!options_.ignore_merges) return;
    std::vector<Symbol> buffer;
    for (std::uint32_t number = 0; number + 1 < offsets_.size(); ++number) {
        Bytes const text{bytes_.data() + offsets_[number], offsets_[number + 1] - offsets_[number]};
        if (text.size == 0 || is_made(number, buffer)) continue;
        std::size_t size = 0, last = text.size - 1;
        while (options_.by_characters && last > 0 && UnicodeTable::continues(text[last])) --last;
        whole_firsts_.insert(options_.by_characters ? code_at_start(text, size) : text[0]);
        whole_lasts_.insert(options_.by_characters ? code_at_start(text.part(last, text.size), size) : text[text.size - 1]);
    }
}

}  // namespace bpe
