// Characters as the steps of a normalizer see them.
#pragma once

#include <vector>

#include "bpe/pipeline/clusters.hpp"
#include "bpe/pipeline/unicode_forms.hpp"
#include "bpe/unicode.hpp"
#include "bpe/utf8.hpp"

namespace bpe {

// The bounds of bpe_engine/text/patience.py: the factor by which a text may grow, and the characters to which any text may.
inline constexpr std::size_t growth = 64, growth_of_any = 1 << 14;

inline bool is_space(char32_t code) { return code < 0x110000 && UnicodeTable::instance().flags_of(code) & space_class; }

// A character, or a byte that is part of none: these are the codes from 0x110000 on.
inline void put(std::vector<Byte>& out, char32_t code) {
    if (code < 0x110000) {
        put_utf8(out, code);
    } else {
        out.push_back(static_cast<Byte>(code - 0x110000));
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
