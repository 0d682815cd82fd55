// The class of a character: flags in one byte, from a generated table of Unicode 16.0 (see scripts/build_core_tables.py).
//
// To every grammar a character that is no letter, number or white space is "punctuation", including marks and controls. Bytes that are not UTF-8
// are single characters of no class, so they are punctuation, too.
#pragma once

#include <array>
#include <atomic>
#include <bitset>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

using Flags = std::uint8_t;

inline constexpr Flags upper_class = 1;     // Lu Lt Lm Lo M: may start a word of o200k
inline constexpr Flags lower_class = 2;     // Ll Lm Lo M: may end it
inline constexpr Flags letter_class = 4;    // L
inline constexpr Flags number_class = 8;    // N
inline constexpr Flags space_class = 16;    // White_Space
inline constexpr Flags mark_class = 32;     // M
inline constexpr Flags han_class = 64;      // the script Han
inline constexpr Flags symbol_class = 128;  // P or S; UnicodeTable::is_punctuation distinguishes them

struct Character {
    char32_t code = 0;
    Flags flags = 0;
    std::uint8_t size = 0;  // bytes
};

class UnicodeTable {
public:
    // Made with the first call. It is asked for with each slice that is priced: so this is inline.
    static const UnicodeTable& instance() {
        const UnicodeTable* const known = made_.load(std::memory_order_acquire);
        return known ? *known : make();
    }

    // The character at `place`; `place` < `limit`. A sequence that is cut off, overlong, a surrogate or out of range is not UTF-8.
    Character at(const Byte* text, std::size_t place, std::size_t limit) const {
        Byte const lead = text[place];
        if (lead < 0x80) return {lead, ascii_[lead], 1};
        return beyond_ascii(text + place, limit - place);
    }

    Character beyond_ascii(const Byte* text, std::size_t available) const {
        Byte const lead = text[0];
        constexpr char32_t invalid = 0xFFFFFFFF;
        if (lead >= 0xC2 && lead < 0xE0 && available >= 2 && continues(text[1])) {
            char32_t const code = (lead & 0x1Fu) << 6 | (text[1] & 0x3Fu);
            return {code, plane_0_[code], 2};
        }
        if (lead >= 0xE0 && lead < 0xF0 && available >= 3 && continues(text[1]) && continues(text[2])) {
            char32_t const code = (lead & 0x0Fu) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
            if (code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) return {code, plane_0_[code], 3};
        } else if (lead >= 0xF0 && lead < 0xF5 && available >= 4 && continues(text[1]) && continues(text[2]) && continues(text[3])) {
            char32_t const code = (lead & 0x07u) << 18 | (text[1] & 0x3Fu) << 12 | (text[2] & 0x3Fu) << 6 | (text[3] & 0x3Fu);
            if (code >= 0x10000 && code <= 0x10FFFF) return {code, beyond_plane_0(code), 4};
        }
        return {invalid, 0, 1};
    }

    // Whether a character is in P. Hardly any grammar needs it, so it is not a flag: flags have one byte, which keeps the table small.
    bool is_punctuation(char32_t code) const { return code < punctuation_.size() && punctuation_[code]; }

    Flags flags_of(char32_t code) const { return code < 0x10000 ? plane_0_[code] : beyond_plane_0(code); }

    Flags flags_of_plane_0(char32_t code) const { return plane_0_[code]; }  // code < 0x10000

    static bool continues(Byte byte) { return (byte & 0xC0) == 0x80; }

private:
    UnicodeTable();
    static const UnicodeTable& make();
    Flags beyond_plane_0(char32_t code) const;

    inline static std::atomic<const UnicodeTable*> made_ = nullptr;

    std::array<Flags, 128> ascii_;
    std::array<Flags, 0x10000> plane_0_;
    struct Range {
        char32_t first;
        Flags flags;
    };
    std::vector<Range> beyond_;         // sorted; each reaches up to the next
    std::bitset<0x20000> punctuation_;  // there is none beyond
};

// The size of the character at `text` in bytes: the length of a well-formed UTF-8 sequence, otherwise 1. `available` > 0.
inline std::size_t character_size(const Byte* text, std::size_t available) {
    Byte const lead = text[0];
    if (lead < 0xC2 || lead > 0xF4) return 1;
    auto const continued = [&](std::size_t place) { return place < available && UnicodeTable::continues(text[place]); };
    if (!continued(1)) return 1;
    if (lead < 0xE0) return 2;
    // The second byte reveals overlong sequences, surrogates, and code points beyond U+10FFFF.
    Byte const second = text[1];
    if (lead < 0xF0) return continued(2) && (lead != 0xE0 || second >= 0xA0) && (lead != 0xED || second < 0xA0) ? 3 : 1;
    return continued(2) && continued(3) && (lead != 0xF0 || second >= 0x90) && (lead != 0xF4 || second < 0x90) ? 4 : 1;
}

// The start of the character before `place`, which is not before `start`.
inline std::size_t character_before(const Byte* text, std::size_t place, std::size_t start) {
    for (std::size_t back = 1; back <= 4 && back <= place - start; ++back) {
        if (UnicodeTable::continues(text[place - back])) continue;
        if (UnicodeTable::instance().at(text, place - back, place).size == back) return place - back;
        break;
    }
    return place - 1;
}

// The number of bytes at the end of `text` that start a character which more bytes could complete: 0 to 3.
std::size_t unfinished_end(Bytes text);

}  // namespace bpe
