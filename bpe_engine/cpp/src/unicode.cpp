#include "bpe/unicode.hpp"

#include <algorithm>

namespace bpe {

namespace {

struct TableRange {
    char32_t first;
    unsigned flags;  // those of a character, and `in_punctuation`
};

constexpr unsigned in_punctuation = 256;

constexpr TableRange table[] = {
#include "unicode_16.inc"
};

}  // namespace

UnicodeTable::UnicodeTable() {
    std::size_t const count = std::size(table);
    for (std::size_t index = 0; index < count; ++index) {
        char32_t const first = table[index].first;
        char32_t const last = index + 1 < count ? table[index + 1].first : 0x110000;
        auto const flags = static_cast<Flags>(table[index].flags);
        for (char32_t code = first; code < last && code < 0x10000; ++code) plane_0_[code] = flags;
        if (last > 0x10000) beyond_.push_back({first, flags});
        if (table[index].flags & in_punctuation)
            for (char32_t code = first; code < last; ++code) punctuation_.set(code);
    }
    std::copy_n(plane_0_.begin(), 128, ascii_.begin());
}

const UnicodeTable& UnicodeTable::make() {
    static const UnicodeTable made;
    made_.store(&made, std::memory_order_release);
    return made;
}

Flags UnicodeTable::beyond_plane_0(char32_t code) const {
    auto const after = std::upper_bound(beyond_.begin(), beyond_.end(), code, [](char32_t value, const Range& range) { return value < range.first; });
    return (after - 1)->flags;
}

std::size_t unfinished_end(Bytes text) {
    // The lead byte of a cut-off sequence is among the last three bytes.
    for (std::size_t back = 1; back <= 3 && back <= text.size; ++back) {
        Byte const* const lead = text.end() - back;
        if (UnicodeTable::continues(*lead)) continue;
        std::size_t const needed = *lead >= 0xF0 && *lead < 0xF5 ? 4 : *lead >= 0xE0 && *lead < 0xF0 ? 3 : *lead >= 0xC2 && *lead < 0xE0 ? 2 : 1;
        if (needed <= back) return 0;
        // The second byte may already rule it out: overlong forms, surrogates, beyond U+10FFFF.
        if (back >= 2) {
            Byte const second = lead[1];
            if ((*lead == 0xE0 && second < 0xA0) || (*lead == 0xED && second > 0x9F) || (*lead == 0xF0 && second < 0x90) || (*lead == 0xF4 && second > 0x8F))
                return 0;
        }
        return back;
    }
    return 0;
}

}  // namespace bpe
