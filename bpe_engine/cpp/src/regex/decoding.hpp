// Characters of a text as classes.
#pragma once

#include "bpe/regex/code.hpp"
#include "bpe/unicode.hpp"

namespace bpe::regex {

struct Decoded {
    ClassNumber number;
    std::uint8_t size;  // bytes
    bool valid;         // false: a byte that is no part of UTF-8
};

inline Decoded decode_beyond_ascii(const Classes& classes, const Byte* text, std::size_t available) {
    auto const continues = UnicodeTable::continues;
    Byte const lead = text[0];
    if (lead >= 0xE0 && lead < 0xF0 && available >= 3 && continues(text[1]) && continues(text[2])) {
        char32_t const code = (lead & 0x0Fu) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
        if (code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) return {classes.of(code), 3, true};
    } else if (lead >= 0xC2 && lead < 0xE0 && available >= 2 && continues(text[1])) {
        return {classes.of((lead & 0x1Fu) << 6 | (text[1] & 0x3Fu)), 2, true};
    } else if (lead >= 0xF0 && lead < 0xF5 && available >= 4 && continues(text[1]) && continues(text[2]) && continues(text[3])) {
        char32_t const code = (lead & 0x07u) << 18 | (text[1] & 0x3Fu) << 12 | (text[2] & 0x3Fu) << 6 | (text[3] & 0x3Fu);
        if (code >= 0x10000 && code <= 0x10FFFF) return {classes.of(code), 4, true};
    }
    return {classes.invalid(), 1, false};
}

inline Decoded decode(const Classes& classes, const Byte* text, std::size_t place, std::size_t limit) {
    if (text[place] < 0x80) return {classes.of_ascii(text[place]), 1, true};
    return decode_beyond_ascii(classes, text + place, limit - place);
}

// The start of the character before `offset`; `start` < `offset`.
inline std::size_t character_before(const Classes& classes, const Byte* text, std::size_t start, std::size_t offset) {
    if (text[offset - 1] < 0x80) return offset - 1;
    for (std::size_t size = 2; size <= 4 && offset - start >= size; ++size)
        if (!UnicodeTable::continues(text[offset - size])) return decode(classes, text, offset - size, offset).size == size ? offset - size : offset - 1;
    return offset - 1;
}

}  // namespace bpe::regex
