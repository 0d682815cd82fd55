#include "bpe/pipeline/safe_splits.hpp"

#include <cstring>
#include <optional>

#include "bpe/models/merges.hpp"
#include "bpe/regex/boundaries.hpp"
#include "bpe/steps.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

using regex::Boundaries;

struct StageFacts {
    const regex::Classes* classes;
    Boundaries boundaries;
    Behaviour behaviour;
};

Byte first_byte(char32_t code) {
    return static_cast<Byte>(code < 0x80 ? code : code < 0x800 ? 0xC0 | code >> 6 : code < 0x10000 ? 0xE0 | code >> 12 : 0xF0 | code >> 18);
}

Byte last_byte(char32_t code) { return static_cast<Byte>(code < 0x80 ? code : 0x80 | (code & 0x3F)); }

// Scripts that put no spaces between words: there it is worth to ask the model of each two characters. In others units are words.
bool runs_on(char32_t code) { return code >= 0x2E80 || (code >= 0x0E00 && code < 0x10A0) || (code >= 0x1780 && code < 0x1800) || (code >= 0x1950 && code < 0x1AB0); }

bool is_white(char32_t code) { return (UnicodeTable::instance().flags_of(code) & space_class) != 0; }

// Without flags, which cost a look into a table.
Character character_at(const Byte* text, std::size_t available) {
    if (text[0] < 0x80) return {text[0], 0, 1};
    if ((text[0] & 0xF0) == 0xE0 && available >= 3 && UnicodeTable::continues(text[1]) && UnicodeTable::continues(text[2])) {
        char32_t const code = (text[0] & 0x0Fu) << 12 | (text[1] & 0x3Fu) << 6 | (text[2] & 0x3Fu);
        if (code >= 0x800 && (code < 0xD800 || code > 0xDFFF)) return {code, 0, 3};
    }
    return UnicodeTable::instance().beyond_ascii(text, available);
}

constexpr char32_t basic_plane = 0x10000;
constexpr bool is_surrogate(char32_t code) { return code >= 0xD800 && code < 0xE000; }

}  // namespace

// What tells the characters of one class from those of others.
struct SafeSplits::Traits {
    bool is_known = false, is_white = false, stays = false, joins_space = true, runs_on = false;
    std::array<std::uint16_t, Chain::most_stages> firsts{}, lasts{};  // the classes that each stage has for both ends of the image
    bool operator==(const Traits&) const = default;
};

std::unique_ptr<const SafeSplits> SafeSplits::make(const Normalizer* normalizer, const Chain& chain) {
    if (chain.stages().empty() || (normalizer && !normalizer->parts_between_known())) return nullptr;
    for (Stage const& stage : chain.stages()) {
        if (!stage.matcher) return nullptr;
        if (!stage.matcher->expression() && !(stage.matcher->touched() && &stage == &chain.stages().back())) return nullptr;
        if (stage.behaviour != Behaviour::isolated && stage.behaviour != Behaviour::without_gap && stage.behaviour != Behaviour::without_match) return nullptr;
    }
    std::unique_ptr<const SafeSplits> made(new SafeSplits(normalizer, chain));
    return made->is_of_use_ ? std::move(made) : nullptr;
}

SafeSplits::SafeSplits(const Normalizer* normalizer, const Chain& chain) : class_of_(basic_plane, unknown), pairs_(classes * classes, no), depends_on_next_(normalizer != nullptr) {
    std::vector<StageFacts> stages;
    for (Stage const& stage : chain.stages()) {
        if (ExpressionMatcher const* const expression = stage.matcher->expression())
            stages.push_back({&expression->program().classes(), Boundaries(expression->program()), stage.behaviour});
        else touched_ = stage.matcher->touched();
    }
    auto const image_of = [&](char32_t code) {
        if (is_surrogate(code)) return Normalizer::Image{};
        return normalizer ? normalizer->image(code) : Normalizer::Image{true, code, code};
    };
    Normalizer::Image const space = image_of(' ');
    auto const traits_of = [&](char32_t code) {
        Traits traits;
        Normalizer::Image const image = image_of(code);
        traits.is_known = image.is_known;
        if (!image.is_known) return traits;
        traits.is_white = is_white(code);
        traits.stays = image.first == code && image.last == code;
        traits.runs_on = bpe::runs_on(code);
        traits.joins_space = !touched_ || !space.is_known || joins(image.last, space.first);
        for (std::size_t number = 0; number < stages.size(); ++number) {
            traits.firsts[number] = stages[number].classes->of(image.first);
            traits.lasts[number] = stages[number].classes->of(image.last);
        }
        return traits;
    };

    // ASCII, then the others by their traits; those for which there is no room are unknown.
    std::vector<Traits> all(never + 1);
    for (char32_t code = 0; code < 128; ++code) {
        all[code] = traits_of(code);
        class_of_[code] = static_cast<Class>(code);
        Normalizer::Image const image = image_of(code);
        firsts_[code] = image.first;
        lasts_[code] = image.last;
    }
    std::size_t last = unknown;
    for (char32_t code = 128; code < basic_plane; ++code) {
        Traits const traits = traits_of(code);
        if (!traits.is_known) continue;
        if (!(traits == all[last])) {
            last = never + 1;
            while (last < all.size() && !(all[last] == traits)) ++last;
            if (last == classes) {
                last = unknown;
                continue;
            }
            if (last == all.size()) all.push_back(traits);
        }
        class_of_[code] = static_cast<Class>(last);
    }

    auto const split_between = [&](std::size_t left, std::size_t right) -> std::uint8_t {
        Traits const &one = all[left], &other = all[right];
        if (left == never || right == never || !other.is_known || one.is_white) return no;
        if (!one.is_known && normalizer && !normalizer->parts_before_known()) return no;
        std::uint8_t found = yes;
        for (std::size_t number = 0; number < stages.size(); ++number) {
            StageFacts const& stage = stages[number];
            std::uint8_t const facts = stage.boundaries.between(one.is_known ? one.lasts[number] : Boundaries::any, other.firsts[number]);
            bool const cuts = number + 1 == stages.size() && !touched_ && stage.behaviour != Behaviour::without_gap;  // a piece has to end
            if (facts & (cuts ? Boundaries::ends : Boundaries::uncrossed)) continue;
            if (stage.behaviour == Behaviour::without_match || !(facts & (cuts ? Boundaries::meets : Boundaries::resumes))) return no;
            found = ask;
        }
        if (!touched_) return found == yes ? yes : no;
        if (!one.is_known) return no;
        if (left < 128 && right < 128) return joins(lasts_[left], firsts_[right]) ? no : yes;
        if (right == ' ' ) return one.joins_space ? no : yes;
        return (one.runs_on || other.runs_on) && (left < 128 || one.stays) && (right < 128 || other.stays) ? ask : no;
    };
    for (std::size_t left = 0; left < all.size(); ++left)
        for (std::size_t right = 0; right < all.size(); ++right) pairs_[left * classes + right] = split_between(left, right);
    if (normalizer) {
        for (std::string const& text : normalizer->inseparable()) {
            auto const* const bytes = reinterpret_cast<const Byte*>(text.data());
            UnicodeTable const& table = UnicodeTable::instance();
            for (std::size_t place = 0, size = 0; place < text.size(); place += size) {
                Character const character = table.at(bytes, place, text.size());
                size = character.size;
                if (place + size == text.size()) break;
                Character const next = table.at(bytes, place + size, text.size());
                if (character.code < 128 && next.code < 128) {
                    pairs_[character.code * classes + next.code] = no;
                    continue;
                }
                // Beyond ASCII that is more than it takes. Beyond the basic plane, and of what is no UTF-8, nothing is told: all is unknown.
                for (char32_t const code : {character.code, next.code}) {
                    if (code >= basic_plane) std::fill_n(pairs_.begin() + unknown * classes, classes, static_cast<std::uint8_t>(no));
                    else if (code >= 128) class_of_[code] = never;
                }
            }
        }
    }
    is_of_use_ = std::find(pairs_.begin(), pairs_.end(), yes) != pairs_.end();
}

bool SafeSplits::joins(char32_t left, char32_t right) const {
    if (touched_->by_characters()) return touched_->may_join(left, right);
    return touched_->may_join(last_byte(left), first_byte(right));
}

bool SafeSplits::asks_no_join(char32_t left, char32_t right) const {
    return !joins(left < 128 ? lasts_[left] : left, right < 128 ? firsts_[right] : right);
}

std::size_t SafeSplits::Search::next(std::size_t* offsets, std::size_t capacity) {
    std::uint8_t const* const pairs = splits_.pairs_.data();
    constexpr std::size_t block = 16;
    std::size_t count = 0, before = before_, last = last_, place = place_;
    if (held_ > 0) offsets[count++] = held_;
    held_ = 0;
    while (place < limit_ && count + block < capacity) {
        if (limit_ - place >= block) {
            std::uint64_t words[2];
            std::memcpy(words, text_ + place, block);
            if (((words[0] | words[1]) & 0x8080808080808080ull) == 0) {
                for (std::size_t index = 0; index < block; ++index) {
                    std::size_t const byte = text_[place + index];
                    offsets[count] = place + index;
                    count += pairs[before * classes + byte] & 1;
                    before = byte;
                }
                last = place + block - 1;
                place += block;
                count_step();
                continue;
            }
        }
        // Up to the next character of ASCII that begins a block.
        count_step();
        Character const character = character_at(text_ + place, limit_ - place);
        std::size_t const number = character.code < basic_plane ? splits_.class_of_[character.code] : unknown;
        if (number == unknown && splits_.depends_on_next_ && count > 0 && offsets[count - 1] == last) --count;
        std::uint8_t found = pairs[before * classes + number];
        if (found == ask) found = splits_.asks_no_join(before < 128 ? static_cast<char32_t>(before) : code_, character.code);
        offsets[count] = place;
        count += found;
        before = number;
        code_ = character.code;
        last = place;
        place += character.size;
    }
    // What follows may take back a split before the last character.
    if (count > 0 && offsets[count - 1] == last && splits_.depends_on_next_) {
        if (place < limit_) held_ = offsets[--count];
        else if (!at_end_) --count;
    }
    before_ = before;
    last_ = last;
    place_ = place;
    return count;
}

}  // namespace bpe
