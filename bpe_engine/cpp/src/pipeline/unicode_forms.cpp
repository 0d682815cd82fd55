#include "bpe/pipeline/unicode_forms.hpp"

#include <algorithm>

namespace bpe {

namespace {

struct Entry {
    char32_t code;
    std::uint8_t kind;
    std::uint32_t start, size;
};
constexpr Entry decompositions[] = {
#define BPE_DECOMPOSITIONS
#include "normalization.inc"
#undef BPE_DECOMPOSITIONS
};
constexpr Entry lower_cases[] = {
#define BPE_LOWER_CASE
#include "normalization.inc"
#undef BPE_LOWER_CASE
};
struct Combining {
    char32_t code;
    std::uint8_t rank;
};
constexpr Combining combinings[] = {
#define BPE_COMBINING
#include "normalization.inc"
#undef BPE_COMBINING
};
struct Composition {
    char32_t first, second, whole;
};
constexpr Composition compositions[] = {
#define BPE_COMPOSITIONS
#include "normalization.inc"
#undef BPE_COMPOSITIONS
};
struct Range {
    char32_t first, last;
};
constexpr Range marks[] = {
#define BPE_MARKS
#include "normalization.inc"
#undef BPE_MARKS
};
constexpr char32_t pool[] = {
#define BPE_POOL
#include "normalization.inc"
#undef BPE_POOL
};

// Hangul syllables are composed by arithmetic: section 3.12 of the Unicode Standard.
constexpr char32_t leading = 0x1100, vowel = 0x1161, trailing = 0x11A7;
constexpr char32_t leading_count = 19, vowel_count = 21, trailing_count = 28;

}  // namespace

const UnicodeForms& UnicodeForms::instance() {
    static const UnicodeForms forms;
    return forms;
}

UnicodeForms::UnicodeForms() {
    for (Entry const& entry : decompositions) (entry.kind == 0 ? canonical_ : compatible_).emplace(entry.code, Part{entry.start, entry.size});
    for (Entry const& entry : lower_cases) lower_.emplace(entry.code, Part{entry.start, entry.size});
    for (Combining const& entry : combinings) combining_.emplace(entry.code, entry.rank);
    for (Composition const& entry : compositions) {
        compositions_.emplace(std::uint64_t{entry.first} << 32 | entry.second, entry.whole);
        seconds_.emplace(entry.second, true);
    }
}

std::span<const char32_t> UnicodeForms::part(Part part) const { return {pool + part.start, part.size}; }

std::span<const char32_t> UnicodeForms::decomposition(char32_t code, bool compatible) const {
    if (compatible)
        if (auto const found = compatible_.find(code); found != compatible_.end()) return part(found->second);
    return part(find(canonical_, code));
}

char32_t UnicodeForms::composed(char32_t first, char32_t second) const {
    if (first >= leading && first < leading + leading_count && second >= vowel && second < vowel + vowel_count)
        return hangul_first + ((first - leading) * vowel_count + (second - vowel)) * trailing_count;
    if (is_hangul(first) && (first - hangul_first) % trailing_count == 0 && second > trailing && second < trailing + trailing_count)
        return first + (second - trailing);
    return find(compositions_, std::uint64_t{first} << 32 | second);
}

bool UnicodeForms::joins(char32_t code) const {
    return combining(code) != 0 || seconds_.contains(code) || (code >= 0x1160 && code <= 0x11FF) || (code >= 0xD7B0 && code <= 0xD7FF);
}

std::span<const char32_t> UnicodeForms::lower_case(char32_t code) const { return part(find(lower_, code)); }

bool UnicodeForms::is_mark(char32_t code) const {
    auto const found = std::upper_bound(std::begin(marks), std::end(marks), code, [](char32_t value, Range const& range) { return value < range.first; });
    return found != std::begin(marks) && code <= std::prev(found)->last;
}

}  // namespace bpe
