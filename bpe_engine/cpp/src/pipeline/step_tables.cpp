// Tables of a normalizer: the image of each character of the basic plane that does not depend on its neighbours.
#include <algorithm>
#include <utility>

#include "bpe/pipeline/steps.hpp"
#include "step_characters.hpp"

namespace bpe {

namespace {

using Kind = NormalizationStep::Kind;

}  // namespace

StepNormalizer::StepNormalizer(std::vector<NormalizationStep> steps) : steps_(std::move(steps)) {
    acts_at_start_ = std::any_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) {
        return step.kind == Kind::strip || step.kind == Kind::prepend || step.kind == Kind::prepend_unless;
    });
    // Apart from the order of marks, each character has the same image as alone.
    drops_marks_ = !acts_at_start_ && std::all_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) {
        return step.kind == Kind::decompose || step.kind == Kind::lower || step.kind == Kind::strip_accents || step.kind == Kind::replace_members ||
               step.kind == Kind::surround;
    });
    orders_marks_ = can_order_marks();
    if (can_have_table()) make_table();
}

void StepNormalizer::make_table() {
    has_table_ = true;
    by_clusters_ = std::any_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) { return step.kind == Kind::charsmap; });
    only_forms_ = std::all_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) {
        return step.kind == Kind::decompose || step.kind == Kind::compose || step.kind == Kind::lower;
    });
    Items items{item_at('a', 0)};
    apply(items, false, false, false);
    letter_stays_ = items.size() == 1 && items[0].code == 'a';
    std::vector<Charsmap::Texts> texts;
    for (NormalizationStep const& step : steps_) texts.push_back(step.charsmap ? step.charsmap->texts() : Charsmap::Texts{});
    try {
        for (char32_t const begin : blocks_to_look_at(texts)) keep(begin, make_block(begin, &lonely_));
    } catch (const GrowthError&) {
        // It is said when a text is normalized.
        has_table_ = false;
        lonely_.clear();
        return;
    }
    keeps_ascii_ = true;
    for (char32_t code = 0; code < 128; ++code) {
        std::string_view const image = block(code).image(code);
        bool const is_single = image.size() == 1 && static_cast<Byte>(image[0]) < 128;
        keeps_ascii_ = keeps_ascii_ && is_single && static_cast<Byte>(image[0]) == code;
        single_[code] = is_single ? static_cast<std::int16_t>(image[0]) : image.empty() ? std::int16_t{-2} : std::int16_t{-1};
    }
    if (!lonely_.empty()) find_lonely(texts);
}

const StepNormalizer::Block& StepNormalizer::keep(char32_t code, std::unique_ptr<Block> made) const {
    std::lock_guard const lock(mutex_);
    std::atomic<const Block*>& place = blocks_[code / block_size];
    if (!place.load(std::memory_order_relaxed)) {
        kept_.push_back(std::move(made));
        place.store(kept_.back().get(), std::memory_order_release);
    }
    return *place.load(std::memory_order_relaxed);
}

std::unique_ptr<StepNormalizer::Block> StepNormalizer::make_block(char32_t first, std::vector<std::uint64_t>* lonely) const {
    // Many at a time, each after a letter, with which it must not combine; the image must also begin a cluster, so that it combines with no other.
    std::uint32_t const together = letter_stays_ ? block_size : 1;
    auto made = std::make_unique<Block>();
    Items items;
    std::vector<Byte> image;
    std::vector<Watched> watched;
    for (char32_t begin = first; begin < first + block_size; begin += together) {
        if (together > 1 && treats_alike(begin, begin + together - 1)) {
            items.assign({item_at('a', 0), item_at(begin, 1)});
            watched.clear();
            apply(items, false, false, false, &watched);
            // Spaces that are put around ideographs may be stripped: then these are lonely.
            if (watched.empty()) {
                for (std::uint32_t number = 0; number < together; ++number) {
                    image.clear();
                    for (Item const& item : items)
                        if (item.origin == 1) put(image, item.code == begin ? begin + number : item.code);
                    made->add(begin + number, image);
                }
                continue;
            }
        }
        items.clear();
        for (std::uint32_t number = 0; number < together; ++number) {
            char32_t const code = begin + number;
            if (code >= 0xD800 && code < 0xE000) continue;
            items.push_back(item_at('a', 2 * number));
            items.push_back(item_at(code, 2 * number + 1));
        }
        items.push_back(item_at('a', 2 * together));
        watched.clear();
        apply(items, false, false, true, &watched);
        for (auto const [step, origin] : watched) {
            lonely->resize(0x10000 / 64);
            char32_t const code = begin + origin / 2;
            if (origin % 2 != 0) (*lonely)[code >> 6] |= std::uint64_t{1} << (code & 63);
        }
        auto item = items.begin();
        for (std::uint32_t number = 0; number < together; ++number) {
            char32_t const code = begin + number;
            image.clear();
            while (item != items.end() && item->origin < 2 * number + 1) ++item;
            bool const is_apart = item != items.end() && item->origin == 2 * number + 1 && is_cut(*item) && !UnicodeForms::instance().joins(item->code);
            for (; item != items.end() && item->origin == 2 * number + 1; ++item)
                if (is_apart) put(image, item->code);
            if (by_clusters_ && joins_clusters(code)) image.clear();
            made->add(code, image);
        }
    }
    return made;
}

void StepNormalizer::Block::add(char32_t code, const std::vector<Byte>& image) {
    std::string same;  // too short for memory of its own
    put_utf8(same, code);
    if (code >= 128 && Bytes{image.data(), image.size()} == Bytes{reinterpret_cast<const Byte*>(same.data()), same.size()})
        stays[code >> 6 & 3] |= std::uint64_t{1} << (code & 63);
    // A longer image is left out, as if the character depended on its neighbours: the growth of the text is then checked when the character is normalized.
    else if (image.size() <= growth) images.append(image.begin(), image.end());
    ends[(code & 0xFF) + 1] = static_cast<std::uint16_t>(images.size());
}

// Whether what becomes of most characters depends on nothing around them: but for those that are lonely, which are few. Characters of a pattern are looked at
// between letters, so no pattern may have that letter.
bool StepNormalizer::can_have_table() const {
    return std::all_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) {
        // When characters are deleted, those before and after become neighbours. They may then combine into one character or grapheme cluster.
        if (step.kind == Kind::replace) return step.pattern.find(U'a') == std::u32string::npos && !step.content.empty();
        return step.kind != Kind::replace_matches || (step.least_run > 0 && step.run_of != 'a' && !step.content.empty());
    });
}

// Whether the characters from `first` to `last` are ideographs, or of private use, which have no forms, case or marks, and no step knows one of them from
// another.
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

// Spaces that come to a step which makes one thing of all of them.
std::size_t StepNormalizer::settled_spaces(Place place) const {
    for (NormalizationStep const& step : steps_) {
        switch (step.kind) {
        case Kind::strip:
            if (((place == Place::start && step.left) || (place == Place::end && step.right)) && (step.members.empty() || step.has_member(' '))) return 3;
            break;
        case Kind::prepend:
        case Kind::prepend_unless:
            // Spaces are no longer at the start.
            if (place == Place::start) return 0;
            break;
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
            Items items{item_at('a', 0), item_at(' ', 1), item_at(' ', 2), item_at(' ', 3), item_at('a', 4)};
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

std::optional<std::vector<std::u32string>> StepNormalizer::made_of_run(Place place, const std::u32string& run) const {
    std::vector<std::u32string> made;
    for (bool const starts : {false, true}) {
        for (bool const ends : {false, true}) {
            if ((place == Place::start && !starts) || (place == Place::end && !ends)) continue;
            Items items;
            for (char32_t const code : (starts ? U"" : U"a") + run + (ends ? U"" : U"a")) items.push_back(item_at(code, items.size()));
            try {
                apply(items, starts, starts, true);
            } catch (const GrowthError&) {
                // It is said when a text is normalized.
                return std::nullopt;
            }
            made.emplace_back();
            for (Item const& item : items) made.back().push_back(item.code);
        }
    }
    return made;
}

// Such a pattern may be of more than two of the characters of a run: no pair of them would show it.
bool StepNormalizer::is_in_pattern_without_space(char32_t code) const {
    Items items{item_at('a', 0), item_at(code, 1), item_at('a', 2)};
    std::vector<Watched> watched;
    try {
        apply(items, false, false, true, &watched);
    } catch (const GrowthError&) {
        return true;
    }
    return std::any_of(watched.begin(), watched.end(), [&](Watched const& one) {
        return steps_[one.step].kind == Kind::replace && steps_[one.step].pattern.find(U' ') == std::u32string::npos;
    });
}

// With spaces are other characters that come to the same: white space, what a table makes spaces of, and what is deleted before spaces are stripped.
SettlingRun StepNormalizer::settling_runs(Place place) const {
    std::size_t const spaces = settled_spaces(place);
    if (spaces == 0) return {};
    // CR LF may be one space: half of a run has to be enough.
    std::size_t const enough = 2 * spaces;
    auto const of_spaces = made_of_run(place, std::u32string(enough, U' '));
    if (!of_spaces) return {};
    SettlingRun found{.enough = spaces, .like = U" "};
    auto const is_alike = [&](char32_t code) {
        std::u32string const spaces_alone(enough, U' '), alone(enough, code);
        std::u32string beside_all;
        while (beside_all.size() < 2 * enough)
            for (char32_t const other : found.like) beside_all += {code, other};
        for (std::u32string const& run :
             {alone, alone + spaces_alone, spaces_alone + alone, beside_all, std::u32string(beside_all.rbegin(), beside_all.rend())})
            if (made_of_run(place, run) != of_spaces) return false;
        return true;
    };
    auto const add = [&](char32_t code) {
        // Characters of one grapheme cluster may become something else together.
        bool const is_apart =
            code < 128 || std::none_of(steps_.begin(), steps_.end(), [](auto const& step) { return step.kind == Kind::charsmap; }) || !joins_clusters(code);
        if (code == ' ' || !is_apart || is_in_pattern_without_space(code) || !is_alike(code)) return;
        found.like.insert(std::upper_bound(found.like.begin(), found.like.end(), code), code);
        found.enough = enough;
    };
    constexpr char32_t end_of_controls = 0xA0;
    for (char32_t code = 0; code < end_of_controls; ++code)
        if (is_lonely(code) || ease_of(code) == Ease::hard || (code >= '\t' && code <= '\r')) add(code);
    auto const is_stripped = [&](char32_t code) {
        return std::any_of(steps_.begin(), steps_.end(), [&](NormalizationStep const& step) {
            return step.kind == Kind::strip && (step.members.empty() ? is_space(code) : step.has_member(code));
        });
    };
    for (char32_t code = end_of_controls; code < 0x10000; ++code)
        if (is_lonely(code) || (place != Place::between && is_stripped(code))) add(code);
    return found;
}

// Marks of which nothing is left, and which earlier steps know only as what is between two other characters: one of many is enough for that. (What a later
// table of characters joins may be on both sides of them, so the text cannot be cut in such a run.)
SettlingRun StepNormalizer::stripped_marks() const {
    auto const strips = std::find_if(steps_.begin(), steps_.end(), [](auto const& step) { return step.kind == Kind::strip_accents; });
    bool const are_apart = std::all_of(steps_.begin(), strips, [](NormalizationStep const& step) {
        return step.kind != Kind::compose && step.kind != Kind::charsmap && (step.kind != Kind::replace_matches || step.least_run > 0);
    });
    // With `drops_marks_` a text can be cut inside of a run of marks, which is better than leaving out its middle.
    if (strips == steps_.end() || !are_apart || drops_marks_) return {};
    UnicodeForms const& forms = UnicodeForms::instance();
    std::vector<char32_t> parts;
    auto const is_stripped = [&](char32_t code) {
        return forms.is_mark(code) && forms.lower_case(code).empty() && std::none_of(steps_.begin(), strips, [&](NormalizationStep const& step) {
                   return step.run_of == code || step.has_member(code) || step.pattern.find(code) != std::u32string::npos;
               });
    };
    SettlingRun found{.enough = 1, .like = {}};
    constexpr std::array<std::pair<char32_t, char32_t>, 2> with_marks{{{0x300, 0x20000}, {0xE0100, 0xE01F0}}};
    for (auto const& [first, end] : with_marks) {
        for (char32_t code = first; code < end; ++code) {
            decompose(code, true, parts);
            if (is_stripped(code) && std::all_of(parts.begin(), parts.end(), is_stripped)) found.like.push_back(code);
            // Marks that stay are put in order up to the next one without a class, which may be in the run.
            else if (std::any_of(parts.begin(), parts.end(), [&](char32_t part) { return rank_of(part) != 0 && !is_stripped(part); }))
                found.unlike.push_back(code);
        }
    }
    return found;
}

std::shared_ptr<const Normalizer> StepNormalizer::before_nonblank() const {
    std::vector<NormalizationStep> steps = steps_;
    bool strips_end = false;
    for (NormalizationStep& step : steps) {
        // Such steps may look at bytes.
        if (step.kind == Kind::charsmap || (step.kind == Kind::replace_matches && step.least_run == 0)) return nullptr;
        if (step.kind == Kind::strip) strips_end = std::exchange(step.right, false) || strips_end;
    }
    return strips_end ? std::make_shared<const StepNormalizer>(std::move(steps)) : nullptr;
}

// Whether there are normalization forms, and no step puts marks in, takes them away or looks at any that it does not name.
bool StepNormalizer::can_order_marks() const {
    bool const has_forms =
        std::any_of(steps_.begin(), steps_.end(), [](auto const& step) { return step.kind == Kind::decompose || step.kind == Kind::compose; });
    return has_forms && std::all_of(steps_.begin(), steps_.end(), [](NormalizationStep const& step) {
               if (std::any_of(step.content.begin(), step.content.end(), [](char32_t code) { return rank_of(code) != 0; })) return false;
               if (step.kind == Kind::replace_matches) return step.least_run > 0 && rank_of(step.run_of) == 0;
               return step.kind != Kind::strip_accents && step.kind != Kind::charsmap;
           });
}

std::uint8_t StepNormalizer::order(char32_t code) const {
    std::u32string const made = marks(code);
    return made.size() == 1 && made[0] == code ? rank_of(code) : 0;
}

std::u32string StepNormalizer::marks(char32_t code) const {
    if (!orders_marks_ || code < 0x300 || code >= 0x110000) return {};
    auto const is_left_alone = [&](char32_t one) {
        return UnicodeForms::instance().lower_case(one).empty() && std::none_of(steps_.begin(), steps_.end(), [&](NormalizationStep const& step) {
                   return step.has_member(one) || step.pattern.find(one) != std::u32string::npos;
               });
    };
    std::vector<char32_t> parts;
    decompose(code, true, parts);
    bool const are_marks =
        is_left_alone(code) && std::all_of(parts.begin(), parts.end(), [&](char32_t part) { return rank_of(part) != 0 && is_left_alone(part); });
    return are_marks ? std::u32string(parts.begin(), parts.end()) : std::u32string();
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
    // After the first of a run, or on the last.
    return (next - members.begin()) % 2 != 0 || (next != members.begin() && *std::prev(next) == code);
}

StepNormalizer::Ease StepNormalizer::ease_of(char32_t code) const {
    if (!has_table_) return Ease::hard;
    if (code >= 0x10000) return Ease::hard;
    Block const& known = block(code);
    if (known.stays[code >> 6 & 3] >> (code & 63) & 1) return Ease::stays;
    return known.image(code).empty() ? Ease::hard : Ease::table;
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
            image.is_nonblank = !is_space(parts.back());
        }
        // In a cluster it may be changed with others, or by itself.
        image.follows_nonblank = has_lonely() && !image.binds && clusters_leave_nonblank_ && code < 0x10000 && leaves_nonblank({item_at(code, 0)}, 0);
        return image;
    }
    case Ease::stays: return {true, code, code, false, false, is_lonely(code), !is_lonely(code) || begins_alike(code)};
    case Ease::table: {
        std::string_view const known = block(code).image(code);
        auto const* const bytes = reinterpret_cast<const Byte*>(known.data());
        std::size_t last = known.size() - 1;
        while (last > 0 && UnicodeTable::continues(bytes[last])) --last;
        UnicodeTable const& table = UnicodeTable::instance();
        char32_t const first = table.at(bytes, 0, known.size()).code;
        return {true, first, table.at(bytes, last, known.size()).code, false, false, is_lonely(code), !is_lonely(code) || begins_alike(code)};
    }
    }
    return {};
}

}  // namespace bpe
