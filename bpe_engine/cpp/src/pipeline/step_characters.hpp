// Characters as the steps of a normalizer see them.
#pragma once

#include <vector>

#include "bpe/pipeline/clusters.hpp"
#include "bpe/pipeline/unicode_forms.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

// As in bpe_engine/text/patience.py: how many times as long a text may become, and characters that any text may.
inline constexpr std::size_t growth = 64, growth_of_any = 1 << 14;

inline bool is_space(char32_t code) { return code < 0x110000 && UnicodeTable::instance().flags_of(code) & space_class; }

inline void put(std::vector<Byte>& out, char32_t code) {
    auto const byte = [&](char32_t value) { out.push_back(static_cast<Byte>(value)); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xC0 | code >> 6);
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        byte(0xE0 | code >> 12);
        byte(0x80 | (code >> 6 & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else if (code < 0x110000) {
        byte(0xF0 | code >> 18);
        byte(0x80 | (code >> 12 & 0x3F));
        byte(0x80 | (code >> 6 & 0x3F));
        byte(0x80 | (code & 0x3F));
    } else {
        byte(code - 0x110000);
    }
}

inline std::uint8_t rank_of(char32_t code) { return code < 0x300 ? 0 : UnicodeForms::instance().combining(code); }

inline void decompose(char32_t code, bool compatible, std::vector<char32_t>& parts) {
    parts.clear();
    if (code < 0xA0) {
        parts.push_back(code);
    } else if (UnicodeForms::is_hangul(code)) {
        char32_t const index = code - UnicodeForms::hangul_first;
        parts.push_back(0x1100 + index / 588);
        parts.push_back(0x1161 + index % 588 / 28);
        if (index % 28) parts.push_back(0x11A7 + index % 28);
    } else {
        auto const found = UnicodeForms::instance().decomposition(code, compatible);
        if (found.empty()) parts.push_back(code);
        else parts.assign(found.begin(), found.end());
    }
}

// Whether a character may belong to a cluster with a neighbour that itself does not join: such are looked at together.
inline bool joins_clusters(char32_t code) {
    using enum ClusterClass;
    switch (ClusterTable::instance().of(code).kind) {
        case other:
        case line_feed:
        case control:
        case open_syllable:
        case closed_syllable: return false;
        default: return true;
    }
}

}  // namespace bpe
