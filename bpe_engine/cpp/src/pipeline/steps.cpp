#include "bpe/pipeline/steps.hpp"

#include <algorithm>

#include "bpe/steps.hpp"
#include "step_characters.hpp"

namespace bpe {

namespace {

using Kind = NormalizationStep::Kind;

// Whether a step looks at more than one such character, or at the end of a region.
bool watches(const NormalizationStep& step, char32_t code) {
    switch (step.kind) {
    case Kind::strip: return step.right && (step.members.empty() ? is_space(code) : step.has_member(code));
    case Kind::replace: return step.pattern.size() > 1 && step.pattern.find(code) != std::u32string::npos;
    case Kind::replace_matches: return code == step.run_of || (step.of_white_space && is_space(code));
    default: return false;
    }
}

}  // namespace

void StepNormalizer::apply(Items& items, bool at_start, bool is_first, bool at_end, std::vector<Watched>* watched, std::size_t first) const {
    std::size_t const size = items.size(), most = growth * size + growth_of_any;
    for (std::size_t number = first; number < steps_.size(); ++number) {
        NormalizationStep const& step = steps_[number];
        if (watched)
            for (Item const& item : items)
                if (watches(step, item.code)) watched->push_back({number, item.origin});
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

// The change that a character of the result made to those that were there: 1: put in, 0: in place of one, -n: of one and n more after it.
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
            changed.push_back({one.code, items[place == 0 ? 0 : place - 1].origin, no_cut});
            continue;
        }
        Item const& from = items[place];
        decompose(from.code, compatible, parts);
        changed.push_back({one.code, from.origin, forms.joins(parts[0]) ? no_cut : from.cut});
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
            changed.push_back({item.code >= 'A' && item.code <= 'Z' ? item.code + 32 : item.code, item.origin, item.cut});
            continue;
        }
        auto const lowered = item.code < 0x110000 ? forms.lower_case(item.code) : std::span<const char32_t>{};
        if (lowered.empty()) changed.push_back(item);
        for (std::size_t number = 0; number < lowered.size(); ++number) changed.push_back({lowered[number], item.origin, number == 0 ? item.cut : no_cut});
    }
    items = std::move(changed);
}

void StepNormalizer::strip(Items& items, const NormalizationStep& step, bool at_start, bool at_end) {
    auto const is_nonblank = [&](Item const& item) { return step.members.empty() ? !is_space(item.code) : !step.has_member(item.code); };
    if (step.left && at_start) items.erase(items.begin(), std::find_if(items.begin(), items.end(), is_nonblank));
    if (!step.right) return;
    if (at_end) {
        items.erase(std::find_if(items.rbegin(), items.rend(), is_nonblank).base(), items.end());
        return;
    }
    // Later text may remove all characters after the last cut. Then the white space before the cut is the end of the region, and is stripped.
    auto last_cut = std::find_if(items.rbegin(), items.rend(), [](Item const& item) { return is_cut(item); });
    if (last_cut != items.rend()) ++last_cut;
    auto const open = last_cut.base(), end = std::find_if(last_cut, items.rend(), is_nonblank).base();
    bool const blanks_before = end != open, blank_at = open != items.end() && !is_nonblank(*open);
    if (open != items.end() && !blanks_before && !blank_at) return;
    for (auto item = end; item != items.end(); ++item) item->cut = no_cut;
    if (end != items.begin() && end != items.end()) std::prev(end)->cut = no_cut;
}

void StepNormalizer::prepend(Items& items, const NormalizationStep& step, bool is_first) {
    // The first character of a text is not always what the region begins with: "``" that becomes a quotation mark comes from its second character.
    if (items.empty() || (step.first_only && (!is_first || items[0].origin != 0))) return;
    if (step.kind == Kind::prepend_unless && items.size() >= step.content.size() &&
        std::equal(step.content.begin(), step.content.end(), items.begin(), [](char32_t code, Item const& item) { return code == item.code; }))
        return;
    Item const first = items[0];
    items[0].cut = no_cut;
    Items added;
    for (char32_t const code : step.content) added.push_back({code, first.origin, no_cut});
    items.insert(items.begin(), added.begin(), added.end());
}

void StepNormalizer::replace(Items& items, const NormalizationStep& step, bool at_end) {
    std::u32string const& pattern = step.pattern;
    std::size_t const size = pattern.size();
    auto const same = [](Item const& item, char32_t code) { return item.code == code; };
    if (!at_end && size > 1) {
        // A match may begin before what is certain ends, and go on after it.
        std::size_t certain = items.size();
        while (certain > 0 && !is_cut(items[certain - 1])) --certain;
        certain = certain > 0 ? certain - 1 : 0;
        std::size_t begin = certain;
        for (std::size_t start = certain - std::min(certain, size - 1); start < certain; ++start) {
            if (std::equal(items.begin() + static_cast<std::ptrdiff_t>(start), items.begin() + static_cast<std::ptrdiff_t>(certain), pattern.begin(), same)) {
                begin = start;
                break;
            }
        }
        for (std::size_t index = begin + 1; index < items.size() && begin < certain; ++index) items[index].cut = no_cut;
    }
    Items changed;
    changed.reserve(items.size());
    for (std::size_t place = 0; place < items.size();) {
        if (place + size <= items.size() && std::equal(pattern.begin(), pattern.end(), items.begin() + static_cast<std::ptrdiff_t>(place),
                                                       [](char32_t code, Item const& item) { return item.code == code; })) {
            // Inserted characters come from the last character that they replace.
            std::uint32_t const origin = items[place + size - 1].origin;
            for (std::size_t number = 0; number < step.content.size(); ++number)
                changed.push_back({step.content[number], origin, number == 0 && size == 1 ? items[place].cut : no_cut});
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
        auto const add = [&](char32_t code) { changed.push_back({code, item.origin, changed.size() == before ? item.cut : no_cut}); };
        for (char32_t const code : step.content) add(code);
        if (step.kind == Kind::replace_members) continue;
        add(item.code);
        for (char32_t const code : step.content) add(code);
    }
    items = std::move(changed);
}

// Adds to `changed` what stands in place of items[first:last), which the pattern of a step matches.
void StepNormalizer::put_in_place(const Items& items, std::size_t first, std::size_t last, const NormalizationStep& step, Items& changed) {
    // Inserted characters come from the last character that they replace.
    for (char32_t const code : step.content) changed.push_back({code, items[last - 1].origin, no_cut});
    // A pattern of whole runs finds the same run in a text that begins with it.
    bool const is_found_alone = last == first + 1 || step.least_run > 0;
    if (!step.content.empty() && is_found_alone) changed[changed.size() - step.content.size()].cut = items[first].cut;
}

// Do what `replace_matches` does for a pattern that matches whole runs of spaces, in a text that ends here, without a regular expression, which takes longer
// to begin than most words to normalize.
void StepNormalizer::replace_runs(Items& items, const NormalizationStep& step) {
    auto const belongs = [&](Item const& item) { return item.code == step.run_of || (step.of_white_space && is_space(item.code)); };
    Items changed;
    std::size_t done = 0;
    for (std::size_t first = 0; first < items.size(); ++first) {
        if (!belongs(items[first])) continue;
        std::size_t last = first + 1;
        while (last < items.size() && belongs(items[last])) ++last;
        if (last - first >= step.least_run) {
            changed.insert(changed.end(), items.begin() + static_cast<std::ptrdiff_t>(done), items.begin() + static_cast<std::ptrdiff_t>(first));
            put_in_place(items, first, last, step, changed);
            done = last;
        }
        first = last;
    }
    if (done == 0) return;
    changed.insert(changed.end(), items.begin() + static_cast<std::ptrdiff_t>(done), items.end());
    items = std::move(changed);
}

void StepNormalizer::replace_matches(Items& items, const NormalizationStep& step, bool at_end) {
    if (at_end && step.least_run > 0) return replace_runs(items, step);
    auto const begins_match = [&first = step.program->first_bytes()](Item const& item) { return item.code >= 0x80 || first[item.code]; };
    if (std::none_of(items.begin(), items.end(), begins_match)) return;
    // Uncertain text is kept from the last cut on: a match may continue there.
    std::size_t certain = items.size();
    if (!at_end) {
        while (certain > 0 && !is_cut(items[certain - 1])) --certain;
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
    auto const number_at = [&](std::size_t offset) {
        return static_cast<std::size_t>(std::lower_bound(starts.begin(), starts.end(), offset) - starts.begin());
    };
    regex::Cache cache(*step.program);
    Items changed;
    std::size_t done = 0, place = 0;  // items, bytes
    while (place < text.size()) {
        if (!at_end) {
            // Whatever follows, text before this match is in no later one.
            regex::Match const known = step.program->find(text.data(), place, place, certain_size, false, cache);
            if (!known.settled) {
                std::size_t const open = number_at(std::min(known.start_settled ? known.start : known.open_from, certain_size));
                for (std::size_t index = std::max(open, done) + 1; index < items.size(); ++index) items[index].cut = no_cut;
                break;
            }
            if (known.start == regex::no_match) break;
        }
        regex::Match const found = step.program->find(text.data(), place, place, text.size(), true, cache);
        if (found.start == regex::no_match) break;
        std::size_t const first = number_at(found.start), last = number_at(found.end);
        if (changed.empty()) changed.reserve(items.size());
        changed.insert(changed.end(), items.begin() + static_cast<std::ptrdiff_t>(done), items.begin() + static_cast<std::ptrdiff_t>(first));
        put_in_place(items, first, last, step, changed);
        done = last;
        place = found.end;
    }
    if (done == 0) return;
    changed.insert(changed.end(), items.begin() + static_cast<std::ptrdiff_t>(done), items.end());
    items = std::move(changed);
}

// Precompiled, in the manner of Hugging Face.
void StepNormalizer::map_clusters(Items& items, const Charsmap& charsmap, bool at_start) {
    constexpr std::size_t too_long = 6;  // bytes
    std::size_t const most = growth * items.size() + growth_of_any;
    Items changed;
    changed.reserve(items.size() + items.size() / 8);
    ClusterBreaks breaks;
    std::vector<Byte> text;
    bool was_put_in = false;  // the last character
    // Replace items[first, last); each new character comes from one of them.
    auto const map = [&](std::size_t first, std::size_t last) {
        Charsmap::Match const match = charsmap.shortest({text.data(), text.size()});
        if (match.size == 0) return false;
        // The inserted character before a removed one now stands for it.
        if (match.content.size == 0 && was_put_in) changed.back().origin = items[first].origin;
        was_put_in = false;
        std::size_t place = first;
        for (std::size_t index = 0; index < match.content.size;) {
            Character const character = UnicodeTable::instance().at(match.content.data, index, match.content.size);
            char32_t const code = character.code <= 0x10FFFF ? character.code : 0x110000u + match.content[index];
            changed.push_back({code, items[std::min(place, last - 1)].origin, index == 0 ? items[first].cut : no_cut});
            index += character.size;
            was_put_in = place >= last;
            ++place;
        }
        if (changed.size() > 4 * most) throw GrowthError(most, items.size());
        return true;
    };
    if (!items.empty()) breaks.begins(items[0].code);
    std::vector<bool> parts;  // whether each character of a cluster may begin a text of its own
    for (std::size_t first = 0, last; first < items.size(); first = last) {
        text.clear();
        parts.clear();
        std::size_t size = 0;
        for (last = first; last < items.size(); ++last) {
            if (last > first && breaks.begins(items[last].code)) break;
            parts.push_back(size >= too_long && breaks.goes_on_alone(items[last].code));
            if (size >= too_long) continue;
            put(text, items[last].code);
            size = text.size();
        }
        if (size < too_long && map(first, last)) continue;
        // In a long cluster each character is mapped by itself, so it comes apart where both sides are long.
        for (std::size_t index = last, right = 0; index-- > first;) {
            text.clear();
            put(text, items[index].code);
            right += text.size();
            if (right >= too_long) break;
            parts[index - first] = false;
        }
        for (std::size_t index = first; index < last; ++index) {
            text.clear();
            put(text, items[index].code);
            std::size_t const before = changed.size();
            if (!map(index, index + 1)) {
                changed.push_back(items[index]);
                was_put_in = false;
            }
            if (index > first && changed.size() > before && !parts[index - first]) changed[before].cut = no_cut;
        }
    }
    // Characters removed at the start belong to the first that is left.
    if (at_start && !changed.empty()) {
        changed[0].origin = items[0].origin;
        if (is_cut(changed[0])) changed[0].cut = items[0].origin;
    }
    items = std::move(changed);
}

}  // namespace bpe
