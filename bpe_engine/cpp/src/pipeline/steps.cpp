#include "bpe/pipeline/steps.hpp"

#include <algorithm>

#include "bpe/pipeline/clusters.hpp"
#include "bpe/pipeline/unicode_forms.hpp"
#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

using Kind = NormalizationStep::Kind;

// As in bpe_engine/text/patience.py: how many times as long a text may become, and characters that any text may.
constexpr std::size_t growth = 64, growth_of_any = 1 << 14;

bool is_space(char32_t code) { return code < 0x110000 && UnicodeTable::instance().flags_of(code) & space_class; }

void put(std::vector<Byte>& out, char32_t code) {
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

std::uint8_t rank_of(char32_t code) { return code < 0x300 ? 0 : UnicodeForms::instance().combining(code); }

void decompose(char32_t code, bool compatible, std::vector<char32_t>& parts) {
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
bool joins_clusters(char32_t code) {
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

}  // namespace

StepNormalizer::StepNormalizer(std::vector<NormalizationStep> steps) : steps_(std::move(steps)) {
    // Where a pattern has several characters what becomes of one depends on others; and white space at the end of a part may be that of the region.
    has_table_ = true;
    for (NormalizationStep const& step : steps_) {
        if (step.kind == Kind::strip || step.kind == Kind::prepend || step.kind == Kind::prepend_unless) acts_at_start_ = true;
        if (step.kind == Kind::strip) acts_at_end_ = true;
        if ((step.kind == Kind::replace && step.pattern.size() > 1) || step.kind == Kind::replace_matches) has_table_ = false;
    }
    has_table_ = has_table_ && !acts_at_end_;
    settled_spaces_ = count_settled_spaces();
    // But for the order of marks each character becomes what it would become alone.
    drops_marks_ = !acts_at_start_ && std::all_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) {
        return step.kind == Kind::decompose || step.kind == Kind::lower || step.kind == Kind::strip_accents || step.kind == Kind::replace_members || step.kind == Kind::surround;
    });
    if (!has_table_) return;
    keeps_ascii_ = true;
    stays_.assign(0x10000 / 64, 0);
    image_ends_.assign(1, 0);
    image_ends_.reserve(0x10001);
    by_clusters_ = std::any_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) { return step.kind == Kind::charsmap; });
    only_forms_ = std::all_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) { return step.kind == Kind::decompose || step.kind == Kind::compose || step.kind == Kind::lower; });
    // Many at a time, each behind a letter, which it must not join; what is left of it begins anew, so it joins no other either.
    Items items{{'a', 0, true}};
    apply(items, false, false, true);
    bool const letter_stays = items.size() == 1 && items[0].code == 'a';
    std::uint32_t const together = letter_stays ? 256 : 1;
    std::vector<Byte> image;
    for (char32_t begin = 0; begin < 0x10000; begin += together) {
        if (together > 1 && treats_alike(begin, begin + together - 1)) {
            items.assign({{'a', 0, true}, {begin, 1, true}});
            apply(items, false, false, true);
            for (std::uint32_t number = 0; number < together; ++number) {
                image.clear();
                for (Item const& item : items)
                    if (item.origin == 1) put(image, item.code == begin ? begin + number : item.code);
                add_image(begin + number, image);
            }
            continue;
        }
        items.clear();
        for (std::uint32_t number = 0; number < together; ++number) {
            char32_t const code = begin + number;
            if (code >= 0xD800 && code < 0xE000) continue;
            items.push_back({'a', 2 * number, true});
            items.push_back({code, 2 * number + 1, true});
        }
        try {
            apply(items, false, false, true);
        } catch (const GrowthError&) {
            // It is said when a text is normalized.
            has_table_ = keeps_ascii_ = false;
            return;
        }
        auto item = items.begin();
        for (std::uint32_t number = 0; number < together; ++number) {
            char32_t const code = begin + number;
            image.clear();
            while (item != items.end() && item->origin < 2 * number + 1) ++item;
            bool const is_apart = item != items.end() && item->origin == 2 * number + 1 && item->is_cut && !UnicodeForms::instance().joins(item->code);
            for (; item != items.end() && item->origin == 2 * number + 1; ++item)
                if (is_apart) put(image, item->code);
            // What grows that much is counted where it is normalized.
            if ((by_clusters_ && joins_clusters(code)) || image.size() > growth) image.clear();
            add_image(code, image);
        }
    }
}

// Whether the characters from `first` to `last` are ideographs, or of private use, which have no forms, case or marks, and no step knows one of them from another.
bool StepNormalizer::treats_alike(char32_t first, char32_t last) const {
    constexpr std::array<std::pair<char32_t, char32_t>, 3> formless{{{0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xE000, 0xF8FF}}};
    if (std::none_of(formless.begin(), formless.end(), [&](auto const& range) { return range.first <= first && last <= range.second; })) return false;
    auto const is_one = [&](char32_t code) { return first <= code && code <= last; };
    return std::all_of(steps_.begin(), steps_.end(), [&](NormalizationStep const& step) {
        if (step.kind == Kind::charsmap || step.kind == Kind::replace_matches) return false;
        if (std::any_of(step.pattern.begin(), step.pattern.end(), is_one) || std::any_of(step.content.begin(), step.content.end(), is_one)) return false;
        for (std::size_t run = 0; run < step.members.size(); run += 2)
            if (step.members[run] <= last && step.members[run + 1] >= first && !(step.members[run] <= first && step.members[run + 1] >= last)) return false;
        return true;
    });
}

void StepNormalizer::add_image(char32_t code, const std::vector<Byte>& image) {
    bool stays = false;
    if (!image.empty()) {
        std::vector<Byte> same;
        put(same, code);
        stays = image == same;
    }
    if (code < 128) {
        keeps_ascii_ = keeps_ascii_ && stays;
        bool const is_single = image.size() == 1 && image[0] < 128;
        single_[code] = is_single ? static_cast<std::int16_t>(image[0]) : image.empty() ? std::int16_t{-2} : std::int16_t{-1};
    }
    longest_image_ = std::max(longest_image_, image.size());
    if (stays && code >= 128) stays_[code >> 6] |= std::uint64_t{1} << (code & 63);
    else images_.append(image.begin(), image.end());
    image_ends_.push_back(static_cast<std::uint32_t>(images_.size()));
}

// Spaces that come to a step which makes one thing of all of them.
std::size_t StepNormalizer::count_settled_spaces() const {
    for (NormalizationStep const& step : steps_) {
        switch (step.kind) {
            case Kind::replace:
                if (step.pattern.find(U' ') != std::u32string::npos) return 0;
                break;
            case Kind::replace_members:
            case Kind::surround:
                if (step.has_member(' ')) return 0;
                break;
            case Kind::replace_matches:
                // One more on both sides, which a neighbour may change.
                return step.run_of == ' ' && step.least_run > 0 ? step.least_run + 2 : 0;
            case Kind::charsmap: {
                Items items{{'a', 0, true}, {' ', 1, true}, {' ', 2, true}, {' ', 3, true}, {'a', 4, true}};
                map_clusters(items, *step.charsmap, false);
                bool const stays = items.size() == 5 && std::all_of(items.begin() + 1, items.end() - 1, [](Item const& item) { return item.code == ' '; });
                if (!stays) return 0;
                break;
            }
            default: break;
        }
    }
    return 0;
}

std::size_t StepNormalizer::most_shrunk() const {
    auto const bytes = [](std::u32string const& text) {
        std::vector<Byte> written;
        for (char32_t const code : text) put(written, code);
        return written.size();
    };
    std::size_t most = 1;
    for (NormalizationStep const& step : steps_) {
        switch (step.kind) {
            // "𝐀" is "A". No character is composed of more than three times its own bytes.
            case Kind::decompose:
            case Kind::compose: most *= 4; break;
            case Kind::lower: most *= 3; break;  // the sign of Kelvin is "k"
            case Kind::prepend:
            case Kind::prepend_unless:
            case Kind::surround: break;
            case Kind::replace:
                if (step.content.empty()) return 0;
                most *= (bytes(step.pattern) + bytes(step.content) - 1) / bytes(step.content);
                break;
            case Kind::replace_members:
                if (step.content.empty()) return 0;
                most *= 4;
                break;
            default: return 0;
        }
    }
    return most;
}

bool NormalizationStep::has_member(char32_t code) const {
    auto const next = std::upper_bound(members.begin(), members.end(), code);
    // Behind the first of a run, or on the last.
    return (next - members.begin()) % 2 != 0 || (next != members.begin() && *std::prev(next) == code);
}

StepNormalizer::Ease StepNormalizer::ease_of(char32_t code) const {
    if (!has_table_) return Ease::hard;
    if (code >= 0x10000) return Ease::hard;
    if (stays_[code >> 6] >> (code & 63) & 1) return Ease::stays;
    return image_ends_[code + 1] > image_ends_[code] ? Ease::table : Ease::hard;
}

bool StepNormalizer::drops(char32_t code) const {
    if (!drops_marks_ || code < 0x300 || code >= 0x110000) return false;
    Items items{{code, 0, true}};
    apply(items, false, false, true);
    return items.empty();
}

// The last item before which raw text can be cut, because it and the one before are dropped, and no mark that stays stands between them and the last starter, which
// a mark behind the cut might change places with. 0: there is none.
std::size_t StepNormalizer::cut_in_dropped(const Items& items) const {
    if (!drops_marks_) return 0;
    std::size_t found = 0;
    bool was_dropped = false, is_clean = true;
    for (std::size_t index = 0; index < items.size(); ++index) {
        char32_t const code = items[index].code;
        bool const is_dropped = drops(code);
        if (is_dropped && was_dropped && is_clean) found = index;
        was_dropped = is_dropped;
        if (is_dropped) continue;
        std::vector<char32_t> parts{code};
        if (code < 0x110000) decompose(code, true, parts);
        for (char32_t const part : parts) is_clean = rank_of(part) == 0 || (is_clean && drops(part));
    }
    return found;
}

Normalizer::Image StepNormalizer::image(char32_t code) const {
    switch (ease_of(code)) {
        case Ease::hard: {
            Image image;
            if (by_clusters_) {
                ClusterClass const kind = ClusterTable::instance().of(code).kind;
                image.binds = kind == ClusterClass::prepend || kind == ClusterClass::carriage_return;
            }
            if (only_forms_) {
                std::vector<char32_t> parts;
                decompose(code, true, parts);
                image.is_ink = !is_space(parts.back());
            }
            return image;
        }
        case Ease::stays: return {true, code, code, false, false};
        case Ease::table: {
            std::string_view const known = image_of(code);
            auto const* const bytes = reinterpret_cast<const Byte*>(known.data());
            std::size_t last = known.size() - 1;
            while (last > 0 && UnicodeTable::continues(bytes[last])) --last;
            return {true, UnicodeTable::instance().at(bytes, 0, known.size()).code, UnicodeTable::instance().at(bytes, last, known.size()).code, false, false};
        }
    }
    return {};
}

bool StepNormalizer::keeps(Bytes part, bool at_start, bool) const {
    if (!keeps_ascii_ || (at_start && acts_at_start_ && part.size > 0)) return false;
    UnicodeTable const& table = UnicodeTable::instance();
    for (std::size_t place = 0; place < part.size;) {
        std::uint64_t word;
        if (place + 8 <= part.size) {
            std::memcpy(&word, part.data + place, 8);
            if ((word & 0x8080808080808080ull) == 0) {
                place += 8;
                continue;
            }
        }
        count_step();
        Character const character = table.at(part.data, place, part.size);
        if (character.code >= 128 && ease_of(character.code) != Ease::stays) return false;
        place += character.size;
    }
    return true;
}

void StepNormalizer::apply(Items& items, bool at_start, bool is_first, bool at_end) const {
    std::size_t const size = items.size(), most = growth * size + growth_of_any;
    for (NormalizationStep const& step : steps_) {
        if (items.size() > most) throw GrowthError(most, size);
        switch (step.kind) {
            case Kind::decompose: change_form(items, false, step.compatible); break;
            case Kind::compose: change_form(items, true, step.compatible); break;
            case Kind::lower: lower(items); break;
            case Kind::strip_accents:
                std::erase_if(items, [](Item const& item) { return item.code >= 0x300 && item.code < 0x110000 && UnicodeForms::instance().is_mark(item.code); });
                break;
            case Kind::strip: strip(items, step, at_start, at_end); break;
            case Kind::prepend:
            case Kind::prepend_unless:
                if (at_start) prepend(items, step, is_first);
                break;
            case Kind::replace: replace(items, step, at_end); break;
            case Kind::replace_members:
            case Kind::surround: replace_members(items, step); break;
            case Kind::replace_matches: replace_matches(items, step, at_end); break;
            case Kind::charsmap: map_clusters(items, *step.charsmap, at_start); break;
        }
    }
    if (items.size() > most) throw GrowthError(most, size);
}

// What a character of the result did to those that were there: 1: put in, 0: in place of one, -n: of one and n more behind it.
void StepNormalizer::change_form(Items& items, bool compose, bool compatible) {
    UnicodeForms const& forms = UnicodeForms::instance();
    struct Made {
        char32_t code;
        int change;
        std::uint8_t rank;
    };
    if (std::all_of(items.begin(), items.end(), [](Item const& item) { return item.code < 0xA0; })) return;
    std::vector<Made> made;
    std::vector<char32_t> parts;
    made.reserve(items.size() + items.size() / 2);
    std::size_t marks = 0;  // at the end of `made`
    auto const settle = [&] {
        std::stable_sort(made.end() - static_cast<std::ptrdiff_t>(marks), made.end(), [](Made const& one, Made const& other) { return one.rank < other.rank; });
        marks = 0;
    };
    for (Item const& item : items) {
        decompose(item.code, compatible, parts);
        for (std::size_t number = 0; number < parts.size(); ++number) {
            std::uint8_t const rank = rank_of(parts[number]);
            if (rank == 0 && marks > 0) settle();
            made.push_back({parts[number], number > 0 ? 1 : 0, rank});
            if (rank != 0) ++marks;
        }
    }
    settle();
    if (compose) {
        constexpr std::size_t none = static_cast<std::size_t>(-1);
        std::size_t starter = none, size = 0;
        std::uint8_t last_rank = 0;
        for (std::size_t index = 0; index < made.size(); ++index) {
            Made const next = made[index];
            if (starter != none && (size == starter + 1 || (last_rank < next.rank && last_rank != 0))) {
                if (char32_t const whole = forms.composed(made[starter].code, next.code)) {
                    made[starter].code = whole;
                    made[starter].change += next.change - 1;
                    continue;
                }
            }
            if (next.rank == 0) starter = size;
            last_rank = next.rank;
            made[size++] = next;
        }
        made.resize(size);
    }
    Items changed;
    changed.reserve(made.size());
    std::size_t place = 0;
    for (Made const& one : made) {
        if (one.change > 0) {
            changed.push_back({one.code, items[place == 0 ? 0 : place - 1].origin, false});
            continue;
        }
        Item const& from = items[place];
        decompose(from.code, compatible, parts);
        changed.push_back({one.code, from.origin, from.is_cut && !forms.joins(parts[0])});
        place += static_cast<std::size_t>(1 - one.change);
    }
    items = std::move(changed);
}

void StepNormalizer::lower(Items& items) {
    UnicodeForms const& forms = UnicodeForms::instance();
    Items changed;
    changed.reserve(items.size());
    for (Item const& item : items) {
        if (item.code < 128) {
            changed.push_back({item.code >= 'A' && item.code <= 'Z' ? item.code + 32 : item.code, item.origin, item.is_cut});
            continue;
        }
        auto const lowered = item.code < 0x110000 ? forms.lower_case(item.code) : std::span<const char32_t>{};
        if (lowered.empty()) changed.push_back(item);
        for (std::size_t number = 0; number < lowered.size(); ++number) changed.push_back({lowered[number], item.origin, item.is_cut && number == 0});
    }
    items = std::move(changed);
}

void StepNormalizer::strip(Items& items, const NormalizationStep& step, bool at_start, bool at_end) {
    auto const is_ink = [&](Item const& item) { return step.members.empty() ? !is_space(item.code) : !step.has_member(item.code); };
    if (step.left && at_start) items.erase(items.begin(), std::find_if(items.begin(), items.end(), is_ink));
    if (!step.right) return;
    auto const end = std::find_if(items.rbegin(), items.rend(), is_ink).base();
    if (at_end) {
        items.erase(end, items.end());
    } else {
        // It may turn out to be the end of the region.
        for (auto item = end; item != items.end(); ++item) item->is_cut = false;
        if (end != items.begin()) std::prev(end)->is_cut = std::prev(end)->is_cut && end == items.end();
    }
}

void StepNormalizer::prepend(Items& items, const NormalizationStep& step, bool is_first) {
    // The first character of a text is not always what the region begins with: "``" that becomes a quotation mark comes from its second character.
    if (items.empty() || (step.first_only && (!is_first || items[0].origin != 0))) return;
    if (step.kind == Kind::prepend_unless && items.size() >= step.content.size() &&
        std::equal(step.content.begin(), step.content.end(), items.begin(), [](char32_t code, Item const& item) { return code == item.code; }))
        return;
    Item const first = items[0];
    items[0].is_cut = false;
    Items added;
    for (char32_t const code : step.content) added.push_back({code, first.origin, false});
    items.insert(items.begin(), added.begin(), added.end());
}

void StepNormalizer::replace(Items& items, const NormalizationStep& step, bool at_end) {
    std::u32string const& pattern = step.pattern;
    std::size_t const size = pattern.size();
    auto const same = [](Item const& item, char32_t code) { return item.code == code; };
    if (!at_end && size > 1) {
        // A match may begin before what is certain ends, and go on behind it.
        std::size_t certain = items.size();
        while (certain > 0 && !items[certain - 1].is_cut) --certain;
        certain = certain > 0 ? certain - 1 : 0;
        std::size_t begin = certain;
        for (std::size_t start = certain - std::min(certain, size - 1); start < certain; ++start) {
            if (std::equal(items.begin() + static_cast<std::ptrdiff_t>(start), items.begin() + static_cast<std::ptrdiff_t>(certain), pattern.begin(), same)) {
                begin = start;
                break;
            }
        }
        for (std::size_t index = begin + 1; index < items.size() && begin < certain; ++index) items[index].is_cut = false;
    }
    Items changed;
    changed.reserve(items.size());
    for (std::size_t place = 0; place < items.size();) {
        if (place + size <= items.size() && std::equal(pattern.begin(), pattern.end(), items.begin() + static_cast<std::ptrdiff_t>(place), [](char32_t code, Item const& item) { return item.code == code; })) {
            // What is put in comes from the last character of what it stands for.
            std::uint32_t const origin = items[place + size - 1].origin;
            for (std::size_t number = 0; number < step.content.size(); ++number)
                changed.push_back({step.content[number], origin, number == 0 && size == 1 && items[place].is_cut});
            place += size;
        } else {
            changed.push_back(items[place++]);
        }
    }
    items = std::move(changed);
}

void StepNormalizer::replace_members(Items& items, const NormalizationStep& step) {
    if (std::none_of(items.begin(), items.end(), [&](Item const& item) { return step.has_member(item.code); })) return;
    Items changed;
    changed.reserve(items.size() + items.size() / 2);
    for (Item const& item : items) {
        if (!step.has_member(item.code)) {
            changed.push_back(item);
            continue;
        }
        std::size_t const before = changed.size();
        auto const add = [&](char32_t code) { changed.push_back({code, item.origin, changed.size() == before && item.is_cut}); };
        for (char32_t const code : step.content) add(code);
        if (step.kind == Kind::replace_members) continue;
        add(item.code);
        for (char32_t const code : step.content) add(code);
    }
    items = std::move(changed);
}

void StepNormalizer::replace_matches(Items& items, const NormalizationStep& step, bool at_end) {
    // What is not certain yet ends behind the last cut: a match may go on there.
    std::size_t certain = items.size();
    if (!at_end) {
        while (certain > 0 && !items[certain - 1].is_cut) --certain;
        certain = certain > 0 ? certain - 1 : 0;
    }
    std::vector<Byte> text;
    std::vector<std::size_t> starts;  // of each character
    std::size_t certain_size = 0;
    for (Item const& item : items) {
        if (starts.size() == certain) certain_size = text.size();
        starts.push_back(text.size());
        put(text, item.code);
    }
    if (certain == items.size()) certain_size = text.size();
    starts.push_back(text.size());
    auto const number_at = [&](std::size_t offset) { return static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), offset) - starts.begin()); };
    regex::Cache cache(*step.program);
    Items changed;
    changed.reserve(items.size());
    std::size_t done = 0, place = 0;  // items, bytes
    while (place < text.size()) {
        if (!at_end) {
            // Whatever follows: what is before this is no part of a match that is not known.
            regex::Found const known = step.program->find(text.data(), place, place, certain_size, false, cache);
            if (!known.settled) {
                std::size_t const open = number_at(std::min(known.start_settled ? known.start : known.open_from, certain_size));
                for (std::size_t index = std::max(open, done) + 1; index < items.size(); ++index) items[index].is_cut = false;
                break;
            }
            if (known.start == regex::no_match) break;
        }
        regex::Found const found = step.program->find(text.data(), place, place, text.size(), true, cache);
        if (found.start == regex::no_match) break;
        std::size_t const first = number_at(found.start), last = number_at(found.end);
        changed.insert(changed.end(), items.begin() + static_cast<std::ptrdiff_t>(done), items.begin() + static_cast<std::ptrdiff_t>(first));
        // What is put in comes from the last character of what it stands for.
        for (char32_t const code : step.content) changed.push_back({code, items[last - 1].origin, false});
        if (!step.content.empty() && last == first + 1) changed[changed.size() - step.content.size()].is_cut = items[first].is_cut;
        done = last;
        place = found.end;
    }
    changed.insert(changed.end(), items.begin() + static_cast<std::ptrdiff_t>(done), items.end());
    items = std::move(changed);
}

// As Precompiled of Hugging Face does it.
void StepNormalizer::map_clusters(Items& items, const Charsmap& charsmap, bool at_start) {
    constexpr std::size_t too_long = 6;  // bytes
    std::size_t const most = growth * items.size() + growth_of_any;
    Items changed;
    changed.reserve(items.size() + items.size() / 8);
    ClusterBreaks breaks;
    std::vector<Byte> text;
    bool was_put_in = false;  // the last character
    // What stands in place of items[first, last), each character of it from one of those.
    auto const map = [&](std::size_t first, std::size_t last) {
        Charsmap::Match const match = charsmap.shortest({text.data(), text.size()});
        if (match.size == 0) return false;
        // What is left out belongs to the character before, which comes from there if it stood for none itself.
        if (match.content.size == 0 && was_put_in) changed.back().origin = items[first].origin;
        was_put_in = false;
        std::size_t place = first;
        for (std::size_t index = 0; index < match.content.size;) {
            Character const character = UnicodeTable::instance().at(match.content.data, index, match.content.size);
            char32_t const code = character.code <= 0x10FFFF ? character.code : 0x110000u + match.content[index];
            changed.push_back({code, items[std::min(place, last - 1)].origin, index == 0 && items[first].is_cut});
            index += character.size;
            was_put_in = place >= last;
            ++place;
        }
        if (changed.size() > 4 * most) throw GrowthError(most, items.size());
        return true;
    };
    if (!items.empty()) breaks.begins(items[0].code);
    for (std::size_t first = 0, last; first < items.size(); first = last) {
        text.clear();
        std::size_t size = 0;
        for (last = first; last < items.size(); ++last) {
            if (last > first && breaks.begins(items[last].code)) break;
            if (size >= too_long) continue;
            put(text, items[last].code);
            size = text.size();
        }
        if (size < too_long && map(first, last)) continue;
        for (std::size_t index = first; index < last; ++index) {
            text.clear();
            put(text, items[index].code);
            std::size_t const before = changed.size();
            if (!map(index, index + 1)) {
                changed.push_back(items[index]);
                was_put_in = false;
            }
            if (index > first && changed.size() > before) changed[before].is_cut = false;
        }
    }
    // What is left out at the start is part of the first character.
    if (at_start && !changed.empty()) changed[0].origin = items[0].origin;
    items = std::move(changed);
}

void StepNormalizer::write(const Items& items, Normalized& out) {
    for (Item const& item : items) {
        std::size_t const before = out.text.size();
        put(out.text, item.code);
        std::size_t const size = out.text.size() - before;
        out.origin.insert(out.origin.end(), size, item.origin);
        out.is_cut.push_back(item.is_cut);
        out.is_cut.insert(out.is_cut.end(), size - 1, 0);
    }
}

// Writes characters that stand in a table; returns where the first begins that does not, or whose next may change it.
std::size_t StepNormalizer::write_easy(const Byte* raw, std::size_t place, std::size_t limit, bool at_end, std::size_t base, Normalized& out) const {
    if (!has_table_) return place;
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t size = out.text.size();
    std::size_t const longest = std::max<std::size_t>(longest_image_, 4);
    std::size_t room = 0;
    // Of their own: a write through a pointer to bytes might change any member.
    Byte* text = nullptr;
    std::uint32_t* origins = nullptr;
    std::uint8_t* cuts = nullptr;
    auto const put = [&](Byte byte, std::uint32_t origin, bool is_cut) {
        text[size] = byte;
        origins[size] = origin;
        cuts[size++] = is_cut;
    };
    while (place < limit) {
        count_step();
        if (room < longest) {
            room = (limit - place) + (limit - place) / 2 + 4 * longest;
            out.text.resize(size + room);
            out.origin.resize(size + room);
            out.is_cut.resize(size + room);
            text = out.text.data();
            origins = out.origin.data();
            cuts = out.is_cut.data();
        }
        // Characters of ASCII that become one: all but the last, if its next may change it.
        std::size_t const stop = std::min(limit, place + (room - longest + 1));
        std::size_t const before = size;
        std::size_t end = place;
        while (end < stop && raw[end] < 128 && single_[raw[end]] >= 0) ++end;
        if (end > place && !(end < limit ? raw[end] < 128 ? single_[raw[end]] != -2 : ease_of(table.at(raw, end, limit).code) != Ease::hard : at_end)) --end;
        std::size_t const run = end - place;
        auto const origin_of_run = static_cast<std::uint32_t>(place - base);
        for (std::size_t index = 0; index < run; ++index) text[size + index] = static_cast<Byte>(single_[raw[place + index]]);
        for (std::size_t index = 0; index < run; ++index) origins[size + index] = origin_of_run + static_cast<std::uint32_t>(index);
        std::memset(cuts + size, 1, run);
        size += run;
        place = end;
        room -= size - before;
        if (place == limit) break;
        if (room < longest) continue;
        // Such as a space that becomes "▁".
        if (raw[place] < 128 && single_[raw[place]] == -1 && place + 1 < limit && raw[place + 1] < 128 && single_[raw[place + 1]] != -2) {
            auto const origin = static_cast<std::uint32_t>(place - base);
            std::uint32_t const first = image_ends_[raw[place]], last = image_ends_[raw[place] + 1];
            for (std::uint32_t number = first; number < last; ++number) put(static_cast<Byte>(images_[number]), origin, number == first);
            room -= last - first;
            ++place;
            continue;
        }
        Character const character = table.at(raw, place, limit);
        Ease const ease = ease_of(character.code);
        if (ease == Ease::hard) break;
        std::size_t const next = place + character.size;
        if (next < limit ? ease_of(table.at(raw, next, limit).code) == Ease::hard : !at_end) break;
        auto const origin = static_cast<std::uint32_t>(place - base);
        std::string_view const known = ease == Ease::table ? image_of(character.code) : std::string_view{};
        std::size_t const length = ease == Ease::table ? known.size() : character.size;
        Byte const* const image = ease == Ease::table ? reinterpret_cast<const Byte*>(known.data()) : raw + place;
        for (std::size_t number = 0; number < length; ++number) put(image[number], origin, number == 0);
        room -= length;
        place = next;
    }
    out.text.resize(size);
    out.origin.resize(size);
    out.is_cut.resize(size);
    return place;
}

std::size_t StepNormalizer::run(const Byte* raw, std::size_t from, std::size_t limit, bool at_start, bool is_first, bool at_end, std::size_t base,
                                Normalized& out) const {
    UnicodeTable const& table = UnicodeTable::instance();
    std::size_t const before = out.text.size();
    if (before == 0) {
        out.text.reserve((limit - from) + (limit - from) / 2);
        out.origin.reserve(out.text.capacity() + 1);
        out.is_cut.reserve(out.text.capacity() + 1);
    }
    Items items;
    bool starts = at_start && acts_at_start_;
    for (std::size_t place = from; place < limit;) {
        // Characters of a table, up to one whose next may change it: nothing that stands in a table does.
        if (!starts) place = write_easy(raw, place, limit, at_end, base, out);
        if (place == limit) break;
        // Up to the next two that stand in a table go through the steps.
        items.clear();
        std::size_t easy = 0;
        std::size_t stop = place;
        while (stop < limit) {
            count_step();
            Character const character = table.at(raw, stop, limit);
            easy = ease_of(character.code) == Ease::hard ? 0 : easy + 1;
            if (easy >= 2 && items.size() > 1) break;
            items.push_back({character.code <= 0x10FFFF ? character.code : 0x110000u + raw[stop], static_cast<std::uint32_t>(stop - base), true});
            stop += character.size;
        }
        bool const is_last = stop == limit;
        if (is_last && !at_end) {
            if (std::size_t const cut = cut_in_dropped(items); cut > 0) {
                std::size_t const end = items[cut].origin;
                items.resize(cut);
                apply(items, false, false, false);
                write(items, out);
                out.origin.push_back(static_cast<std::uint32_t>(end));
                out.is_cut.push_back(1);
                return base + end;
            }
        }
        apply(items, starts, starts && is_first, at_end && is_last);
        if (is_last && !at_end) {
            // What is certain ends at the last cut, before which nothing changes any more.
            std::size_t certain = items.size();
            while (certain > 0 && !items[certain - 1].is_cut) --certain;
            std::size_t const end = certain > 0 ? items[certain - 1].origin : static_cast<std::uint32_t>(place - base);
            items.resize(certain > 0 ? certain - 1 : 0);
            write(items, out);
            out.origin.push_back(static_cast<std::uint32_t>(end));
            out.is_cut.push_back(1);
            return base + end;
        }
        starts = starts && items.empty();
        write(items, out);
        if (std::size_t const most = growth * (limit - from) + growth_of_any; out.text.size() - before > 4 * most) throw GrowthError(most, limit - from);
        place = stop;
    }
    out.origin.push_back(static_cast<std::uint32_t>(limit - base));
    out.is_cut.push_back(1);
    return limit;
}

}  // namespace bpe
