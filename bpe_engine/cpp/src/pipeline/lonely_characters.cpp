// Characters that a step looks at together with others of their kind, or at the end of a region: lonely ones. Most blocks of the table have none and are made
// later.
#include <algorithm>
#include <utility>

#include "bpe/pipeline/steps.hpp"
#include "step_characters.hpp"

namespace bpe {

namespace {

using Kind = NormalizationStep::Kind;

// Whether a step, inside of a region, may change or watch one of the characters from `first` to `last`. Characters of which this is not true stay as they are,
// whatever stands beside them.
bool may_touch(const NormalizationStep& step, char32_t first, char32_t last) {
    UnicodeForms const& forms = UnicodeForms::instance();
    std::vector<char32_t> parts;
    auto const any = [&](auto const& is_touched) {
        for (char32_t code = first; code <= last; ++code)
            if (is_touched(code)) return true;
        return false;
    };
    auto const has_member = [&] {
        for (std::size_t run = 0; run < step.members.size(); run += 2)
            if (step.members[run] <= last && first <= step.members[run + 1]) return true;
        return false;
    };
    switch (step.kind) {
    case Kind::decompose:
    case Kind::compose:
        return any([&](char32_t code) {
            decompose(code, step.compatible, parts);
            return parts.size() != 1 || parts[0] != code || rank_of(code) != 0 || forms.joins(code);
        });
    case Kind::lower: return any([&](char32_t code) { return code < 128 ? code >= 'A' && code <= 'Z' : !forms.lower_case(code).empty(); });
    case Kind::strip_accents: return any([&](char32_t code) { return code >= 0x300 && forms.is_mark(code); });
    case Kind::strip: return step.members.empty() ? any(is_space) : has_member();
    case Kind::prepend:
    case Kind::prepend_unless: return false;
    case Kind::replace: return std::any_of(step.pattern.begin(), step.pattern.end(), [&](char32_t code) { return first <= code && code <= last; });
    case Kind::replace_members:
    case Kind::surround: return has_member();
    case Kind::replace_matches: return step.least_run == 0 || (first <= step.run_of && step.run_of <= last) || (step.of_white_space && any(is_space));
    case Kind::charsmap: return true;
    }
    return true;
}

bool may_touch(const NormalizationStep& step, char32_t code) { return may_touch(step, code, code); }

}  // namespace

// The first characters of all blocks that may have lonely characters, or grow too much, and of the first one. A block has none if no step touches its
// characters or what a table of characters has in place of them. Looked at are letters between its characters, so a text of that table which stands there
// ends with a character of the block, or with the letter.
std::vector<char32_t> StepNormalizer::blocks_to_look_at(const std::vector<Charsmap::Texts>& texts) const {
    std::size_t inserted = 0;
    for (NormalizationStep const& step : steps_) inserted += step.content.size();
    auto const is_table = [](NormalizationStep const& step) { return step.kind == Kind::charsmap; };
    bool const is_harmless = inserted <= 2 && std::none_of(steps_.begin(), steps_.end(), [&](NormalizationStep const& step) {
                                 return step.kind == Kind::strip || step.kind == Kind::replace_matches || is_table(step) || step.pattern.size() > 1;
                             });
    if (is_harmless) return {0};
    auto const are_touched = [&](char32_t first, char32_t last) {
        return last >= 0x110000 || std::any_of(steps_.begin(), steps_.end(), [&](auto const& step) { return !is_table(step) && may_touch(step, first, last); });
    };
    auto const is_touched = [&](char32_t code) { return are_touched(code, code); };
    std::array<bool, blocks> may_have{true};
    auto const table = std::find_if(steps_.begin(), steps_.end(), is_table);
    Byte const letter = 'a';
    bool all = is_touched(letter);
    if (table != steps_.end()) {
        all = all || std::count_if(steps_.begin(), steps_.end(), is_table) > 1 || table->charsmap->shortest({&letter, 1}).size > 0;
        for (Charsmap::Texts::End const& end : texts[static_cast<std::size_t>(table - steps_.begin())].ends) {
            all = all || end.content.size > growth;
            if (all) break;
            bool is_plain = true;
            for (std::size_t place = 0; place < end.content.size && is_plain;) {
                Character const character = UnicodeTable::instance().at(end.content.data, place, end.content.size);
                is_plain = !is_touched(character.code);
                place += character.size;
            }
            if (is_plain) continue;
            all = end.last == letter;
            if (end.last < 0x10000) may_have[end.last / block_size] = true;
        }
    }
    std::vector<char32_t> found;
    for (char32_t begin = 0; begin < 0x10000; begin += block_size) {
        if (all || may_have[begin / block_size] || are_touched(begin, begin + block_size - 1)) found.push_back(begin);
    }
    return found;
}

void StepNormalizer::find_lonely(const std::vector<Charsmap::Texts>& texts) {
    keeps_ascii_ = false;
    for (char32_t code = 0; code < 128; ++code)
        if (is_lonely(code)) single_[code] = std::min<std::int16_t>(single_[code], -1);
    for (std::size_t number = 0; number < steps_.size(); ++number) {
        for (Charsmap::Texts::End const& end : texts[number].ends) {
            if (end.is_single) continue;
            Bytes const content = end.content;
            if (content.size == 0) {
                clusters_leave_nonblank_ = false;
                continue;
            }
            std::size_t last = content.size - 1;
            while (last > 0 && UnicodeTable::continues(content.data[last])) --last;
            char32_t const code = UnicodeTable::instance().at(content.data, last, content.size).code;
            bool const stays = std::none_of(steps_.begin() + static_cast<std::ptrdiff_t>(number + 1), steps_.end(),
                                            [code](NormalizationStep const& step) { return may_touch(step, code); });
            if (!stays && !leaves_nonblank({item_at(code, 0)}, number + 1)) clusters_leave_nonblank_ = false;
        }
    }
}

// Whether a lonely character has an image that begins with the same character alone and beside others of its kind. At the end of a region the image may
// be empty.
bool StepNormalizer::begins_alike(char32_t code) const {
    // The first character that is made of characters between two letters; nothing where none is left.
    auto const first_of = [&](const std::u32string& text, std::size_t step, std::vector<Watched>* watched) -> std::optional<char32_t> {
        Items items{item_at('a', 0)};
        for (char32_t const made : text) items.push_back(item_at(made, 1));
        items.push_back(item_at('a', 2));
        apply(items, false, false, true, watched, step);
        auto const found = std::find_if(items.begin(), items.end(), [](Item const& item) { return item.origin == 1; });
        return found == items.end() ? std::nullopt : std::optional(found->code);
    };
    std::vector<Watched> watched;
    auto const alone = first_of({code}, 0, &watched);
    return std::all_of(watched.begin(), watched.end(), [&](Watched const& one) {
        if (one.origin != 1 || steps_[one.step].kind == Kind::strip) return true;
        return alone && first_of(steps_[one.step].content, one.step + 1, nullptr) == alone;
    });
}

// Whether nothing lonely is left of characters; from the step `first` on.
bool StepNormalizer::leaves_nonblank(Items items, std::size_t first) const {
    std::vector<Watched> watched;
    try {
        apply(items, false, false, false, &watched, first);
    } catch (const GrowthError&) {
        return false;
    }
    return watched.empty();
}

}  // namespace bpe
