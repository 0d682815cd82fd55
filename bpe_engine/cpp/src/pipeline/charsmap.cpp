#include "bpe/pipeline/charsmap.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "bpe/unicode.hpp"

namespace bpe {

namespace {

constexpr std::uint32_t value_bits = 0x7FFFFFFF, label_bits = 0x800000FF, leaf_bit = 1u << 8;

std::uint32_t little_endian(const Byte* data) {
    return std::uint32_t{data[0]} | std::uint32_t{data[1]} << 8 | std::uint32_t{data[2]} << 16 | std::uint32_t{data[3]} << 24;
}

}  // namespace

Charsmap::Charsmap(Bytes data) {
    if (data.size <= 4) throw std::invalid_argument("the table of characters is truncated or not a table");
    std::size_t const size = little_endian(data.data);
    if (size < 4 || size % 4 != 0 || size > data.size - 4) throw std::invalid_argument("the table of characters is truncated or not a table");
    units_.reserve(size / 4);
    for (std::size_t place = 4; place < 4 + size; place += 4) units_.push_back(little_endian(data.data + place));
    texts_.assign(reinterpret_cast<const char*>(data.data) + 4 + size, data.size - 4 - size);
}

Bytes Charsmap::content_at(std::size_t start) const {
    if (start >= texts_.size()) return {nullptr, 0};
    const char* const begin = texts_.data() + start;
    const void* const end = std::memchr(begin, 0, texts_.size() - start);
    return {reinterpret_cast<const Byte*>(begin), end ? static_cast<std::size_t>(static_cast<const char*>(end) - begin) : texts_.size() - start};
}

Charsmap::Match Charsmap::find(Bytes text, bool longest) const {
    Match match;
    if (units_.empty()) return match;
    std::size_t place = children(units_[0]);
    for (std::size_t index = 0; index < text.size; ++index) {
        Byte const byte = text.data[index];
        place ^= byte;
        if (byte == 0 || place >= units_.size()) return match;
        std::uint32_t const unit = units_[place];
        if ((unit & label_bits) != byte) return match;
        place ^= children(unit);
        if (place >= units_.size()) return match;
        if (!(unit & leaf_bit)) continue;
        // A text of the table ends where a character does.
        if (index + 1 < text.size && (text.data[index + 1] & 0xC0) == 0x80) continue;
        match.size = index + 1;
        match.content = content_at(units_[place] & value_bits);
        if (!longest) return match;
    }
    match.is_open = text.size > 0;
    return match;
}

Charsmap::Texts Charsmap::texts() const {
    Texts all;
    std::vector<char32_t>& found = all.later;
    if (units_.empty()) return all;
    constexpr std::uint32_t none = 0xFFFFFFFF;
    // The children of each node as a list, because trying all labels takes longer.
    std::vector<std::uint32_t> first_child((units_.size() | 0xFF) + 1, none), sibling(units_.size(), none);
    for (std::size_t place = units_.size(); place-- > 0;) {
        std::size_t const label = units_[place] & label_bits;
        if (label == 0 || label > 0xFF) continue;
        sibling[place] = first_child[place ^ label];
        first_child[place ^ label] = static_cast<std::uint32_t>(place);
    }
    // Nodes at which a character begins that is not the first. Texts share the nodes of their ends, so each is looked at once.
    std::vector<std::size_t> nodes;
    std::vector<bool> is_met(units_.size());
    std::array<Byte, 4> text;
    // Meets all characters that the texts have at a node; `text` begins with `size` bytes of one.
    auto const meet = [&](auto& self, std::size_t node, std::size_t size, bool is_first) -> void {
        for (std::size_t place = first_child[node]; place != none; place = sibling[place]) {
            std::size_t const next = place ^ children(units_[place]);
            text[size] = static_cast<Byte>(units_[place]);
            if (next >= units_.size() || (size > 0 && !UnicodeTable::continues(text[size]))) continue;
            Character const character = UnicodeTable::instance().at(text.data(), 0, size + 1);
            if (character.code > 0x10FFFF) {
                // The rest of it follows, if it is one.
                if (size + 1 < text.size()) self(self, next, size + 1, is_first);
                continue;
            }
            if (!is_first) found.push_back(character.code);
            if (units_[place] & leaf_bit) all.ends.push_back({character.code, is_first, content_at(units_[next] & value_bits)});
            if (is_met[next] || first_child[next] == none) continue;
            is_met[next] = true;
            nodes.push_back(next);
        }
    };
    if (children(units_[0]) < first_child.size()) meet(meet, children(units_[0]), 0, true);
    for (std::size_t index = 0; index < nodes.size(); ++index) meet(meet, nodes[index], 0, false);
    return all;
}

}  // namespace bpe
