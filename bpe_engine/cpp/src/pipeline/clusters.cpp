#include "bpe/pipeline/clusters.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace bpe {

namespace {

struct Range {
    char32_t first, last;
};
#include "clusters.inc"

constexpr char32_t first_syllable = 0xAC00, last_syllable = 0xD7A3, syllables_a_vowel = 28;
constexpr char32_t first_regional = 0x1F1E6, last_regional = 0x1F1FF, joiner = 0x200D;

// An entry: the kind, and a bit for each of the other properties.
constexpr std::uint8_t pictographic_bit = 16, consonant_bit = 32, linker_bit = 64, conjunct_extend_bit = 128, kind_bits = 15;
constexpr char32_t block = 256, all = 0x110000;

}  // namespace

const ClusterTable& ClusterTable::instance() {
    static const ClusterTable table;
    return table;
}

ClusterTable::ClusterTable() {
    std::vector<std::uint8_t> flat(all, 0);
    auto const set = [&](auto const& ranges, auto const& change) {
        for (Range const& range : ranges)
            for (char32_t code = range.first; code <= range.last; ++code) change(flat[code]);
    };
    auto const kind = [&](auto const& ranges, ClusterClass value) {
        set(ranges, [=](std::uint8_t& entry) { entry = static_cast<std::uint8_t>((entry & ~kind_bits) | static_cast<std::uint8_t>(value)); });
    };
    auto const flag = [&](auto const& ranges, std::uint8_t bit) { set(ranges, [=](std::uint8_t& entry) { entry = static_cast<std::uint8_t>(entry | bit); }); };
    kind(control_characters, ClusterClass::control);
    kind(extend_characters, ClusterClass::extend);
    kind(spacing_characters, ClusterClass::spacing);
    kind(prepend_characters, ClusterClass::prepend);
    kind(leading_characters, ClusterClass::leading);
    kind(vowel_characters, ClusterClass::vowel);
    kind(trailing_characters, ClusterClass::trailing);
    Range const single[] = {{'\r', '\r'}, {'\n', '\n'}, {joiner, joiner}, {first_regional, last_regional}};
    ClusterClass const kinds[] = {ClusterClass::carriage_return, ClusterClass::line_feed, ClusterClass::joiner, ClusterClass::regional};
    for (std::size_t index = 0; index < std::size(single); ++index) kind(std::vector<Range>{single[index]}, kinds[index]);
    for (char32_t code = first_syllable; code <= last_syllable; ++code)
        flat[code] = static_cast<std::uint8_t>((code - first_syllable) % syllables_a_vowel == 0 ? ClusterClass::open_syllable : ClusterClass::closed_syllable);
    flag(pictographic_characters, pictographic_bit);
    flag(consonant_characters, consonant_bit);
    flag(linker_characters, linker_bit);
    flag(conjunct_extend_characters, conjunct_extend_bit);

    std::map<std::string, std::uint8_t> known;
    for (char32_t start = 0; start < all; start += block) {
        std::string part(flat.begin() + static_cast<std::ptrdiff_t>(start), flat.begin() + static_cast<std::ptrdiff_t>(start + block));
        auto const [found, is_new] = known.emplace(std::move(part), static_cast<std::uint8_t>(known.size()));
        if (is_new) entries_.insert(entries_.end(), found->first.begin(), found->first.end());
        blocks_.push_back(found->second);
    }
}

ClusterTable::Properties ClusterTable::of(char32_t code) const {
    if (code >= all) return {};
    std::uint8_t const entry = entries_[std::size_t{blocks_[code / block]} * block + code % block];
    return {static_cast<ClusterClass>(entry & kind_bits), (entry & pictographic_bit) != 0, (entry & consonant_bit) != 0, (entry & linker_bit) != 0,
            (entry & conjunct_extend_bit) != 0};
}

bool ClusterBreaks::joined(ClusterClass before, ClusterClass after) {
    using enum ClusterClass;
    auto const stands_alone = [](ClusterClass kind) { return kind == control || kind == carriage_return || kind == line_feed; };
    if (before == carriage_return && after == line_feed) return true;
    if (stands_alone(before) || stands_alone(after)) return false;
    if (before == leading && (after == leading || after == vowel || after == open_syllable || after == closed_syllable)) return true;
    if ((before == vowel || before == open_syllable) && (after == vowel || after == trailing)) return true;
    if ((before == trailing || before == closed_syllable) && after == trailing) return true;
    return after == extend || after == joiner || after == spacing || before == prepend;
}

bool ClusterBreaks::begins(char32_t code) {
    ClusterTable::Properties const next = ClusterTable::instance().of(code);
    bool const joins = !is_first_ && (joined(before_, next.kind) || (conjunct_ == 2 && next.consonant) || (emoji_ == 2 && next.pictographic) ||
                                      (odd_regional_ && next.kind == ClusterClass::regional));
    odd_regional_ = next.kind == ClusterClass::regional && !(joins && odd_regional_);
    if (next.pictographic) emoji_ = 1;
    else if (emoji_ == 1 && next.kind == ClusterClass::joiner) emoji_ = 2;
    else if (emoji_ != 1 || next.kind != ClusterClass::extend) emoji_ = 0;
    if (next.consonant) conjunct_ = 1;
    else if (conjunct_ > 0 && next.linker) conjunct_ = 2;
    else if (conjunct_ == 0 || !next.conjunct_extend) conjunct_ = 0;
    before_ = next.kind;
    is_first_ = false;
    return !joins;
}

bool ClusterBreaks::goes_on_alone(char32_t code) const {
    ClusterBreaks alone;
    alone.begins(code);
    return odd_regional_ == alone.odd_regional_ && emoji_ == alone.emoji_ && conjunct_ == alone.conjunct_;
}

}  // namespace bpe
