#include "bpe/pipeline/safe_splits.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bpe/models/merges.hpp"
#include "bpe/models/unigram.hpp"
#include "bpe/regex/boundaries.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

namespace {

using regex::Boundaries;

const regex::Program* program_of(const Stage& stage) {
    if (!stage.matcher) return stage.expression.get();
    ExpressionMatcher const* const expression = stage.matcher->expression();
    return expression ? &expression->program() : nullptr;
}

constexpr char32_t basic_plane = 0x10000;
bool is_white(char32_t code) { return (UnicodeTable::instance().flags_of(code) & space_class) != 0; }

struct StageFacts {
    const regex::Classes& classes;
    Boundaries boundaries;
    Behaviour behaviour;
    std::vector<bool> is_white_class;  // none but white space

    StageFacts(const regex::Program& program, Behaviour behaviour)
        : classes(program.classes()), boundaries(program), behaviour(behaviour), is_white_class(classes.count()) {
        // All white space is in the basic plane.
        for (char32_t code = 0; code < basic_plane; ++code)
            if (is_white(code)) is_white_class[classes.of(code)] = true;
        for (char32_t code = 0; code < basic_plane; ++code)
            if (!is_white(code)) is_white_class[classes.of(code)] = false;
    }

    // The facts after all characters but white space.
    std::uint8_t after_nonblank(std::size_t right) const {
        std::uint8_t facts = 0xFF;
        for (std::size_t left = 0; left < classes.count(); ++left)
            if (!is_white_class[left]) facts &= boundaries.between(left, right);
        return facts;
    }

    // The facts that end a piece at a place: no later stage looks across it.
    std::uint8_t ends_piece() const {
        switch (behaviour) {
        case Behaviour::without_gap: return Boundaries::uncrossed;
        case Behaviour::with_next: return Boundaries::begins;
        case Behaviour::with_previous: return Boundaries::ends;
        case Behaviour::contiguous: return 0;
        default: return Boundaries::ends | Boundaries::begins;
        }
    }
    // The flags that suffice if the model merges nothing across the offset.
    std::uint8_t enough_if_not_merged(bool is_last) const {
        if (behaviour == Behaviour::without_gap) return Boundaries::resumes;
        if (behaviour == Behaviour::isolated) return is_last ? Boundaries::meets : Boundaries::resumes;
        return 0;
    }
};

Byte first_byte(char32_t code) {
    return static_cast<Byte>(code < 0x80 ? code : code < 0x800 ? 0xC0 | code >> 6 : code < 0x10000 ? 0xE0 | code >> 12 : 0xF0 | code >> 18);
}

Byte last_byte(char32_t code) { return static_cast<Byte>(code < 0x80 ? code : 0x80 | (code & 0x3F)); }

// Scripts that put no spaces between words: there it is worth to ask the model of each two characters. In others units are words.
bool runs_on(char32_t code) {
    return code >= 0x2E80 || (code >= 0x0E00 && code < 0x10A0) || (code >= 0x1780 && code < 0x1800) || (code >= 0x1950 && code < 0x1AB0);
}

constexpr bool is_surrogate(char32_t code) { return code >= 0xD800 && code < 0xE000; }

bool is_of_word(std::size_t ascii) { return (UnicodeTable::instance().flags_of(static_cast<char32_t>(ascii)) & (letter_class | number_class)) != 0; }

}  // namespace

// The traits that all characters of one class share.
struct SafeSplits::Traits {
    bool is_known = false, is_nonblank = false, is_white = false, stays = false, joins_space = true, runs_on = false, is_plain = false, is_lonely = false,
         begins_alike = true;
    std::array<std::uint16_t, Chain::most_stages> firsts{}, lasts{};  // the classes that each stage has for both ends of the image
    bool operator==(const Traits&) const = default;
};

// The pairs of characters between which there is no safe split because of added tokens in normalized text: two neighbours inside a token; and, for a token
// that must be a whole word, its first or last character beside a letter.
class SafeSplits::Edges {
public:
    explicit Edges(const std::vector<AddedToken>& tokens) {
        UnicodeTable const& table = UnicodeTable::instance();
        for (AddedToken const& token : tokens) {
            std::string const& sought = token.sought.empty() ? token.text : token.sought;
            auto const* const bytes = reinterpret_cast<const Byte*>(sought.data());
            char32_t before = no_code;
            for (std::size_t place = 0, size = 0; place < sought.size(); place += size) {
                Character const character = table.at(bytes, place, sought.size());
                size = character.size;
                if (place > 0) add(before, character.code);
                else if (token.single_word) add(any_word, character.code);
                before = character.code;
            }
            if (token.single_word) add(before, any_word);
        }
    }

    bool any() const { return !pairs_.empty(); }

    // A character of a class, beyond ASCII or not, has this image.
    void note(std::size_t number, char32_t first, char32_t last) {
        if (auto const found = firsts_.find(first); found != firsts_.end()) found->second[number] = true;
        if (auto const found = lasts_.find(last); found != lasts_.end()) found->second[number] = true;
        if (is_word(first)) firsts_.find(any_word)->second[number] = true;
        if (is_word(last)) lasts_.find(any_word)->second[number] = true;
    }

    // Calls `use(left, right)` for two classes between which there may be such a pair. `is_known(number)`: whether all images of a class were noted.
    template <class Known, class Use>
    void for_each(std::size_t count, Known&& is_known, Use&& use) const {
        for (auto const& [left, right] : pairs_)
            for (std::size_t one = 0; one < count; ++one)
                if (!is_known(one) || lasts_.at(left)[one])
                    for (std::size_t other = 0; other < count; ++other)
                        if (!is_known(other) || firsts_.at(right)[other]) use(one, other);
    }

private:
    static constexpr char32_t no_code = 0xFFFFFFFF, any_word = 0xFFFFFFFE;

    static bool is_word(char32_t code) { return AddedTokens::is_of_word(code); }
    void add(char32_t left, char32_t right) {
        for (char32_t const code : {left, any_word}) lasts_.try_emplace(code, classes);
        for (char32_t const code : {right, any_word}) firsts_.try_emplace(code, classes);
        pairs_.emplace(left, right);
    }

    std::set<std::pair<char32_t, char32_t>> pairs_;
    std::map<char32_t, std::vector<bool>> firsts_, lasts_;  // code -> whether the image of a character of a class begins, or ends, with it
};

std::unique_ptr<const SafeSplits> SafeSplits::make(const Normalizer* normalizer, const Chain& chain, const PieceModel* model,
                                                   const std::vector<AddedToken>& inside) {
    // One that takes along white space is across many splits.
    if (std::any_of(inside.begin(), inside.end(), [](AddedToken const& token) { return token.lstrip || token.rstrip; })) return nullptr;
    if (chain.stages().empty() || (normalizer && !normalizer->parts_known())) return nullptr;
    Stage const& first = chain.stages().front();
    if (!program_of(first) && !(chain.stages().size() == 1 && first.matcher && first.matcher->touched())) return nullptr;
    std::unique_ptr<const SafeSplits> made(new SafeSplits(normalizer, chain, model, inside));
    return made->is_of_use_ ? std::move(made) : nullptr;
}

std::unique_ptr<const SafeSplits> SafeSplits::inside_of_piece(const Normalizer* normalizer, const UnigramModel& model) {
    if (normalizer && !normalizer->parts_known()) return nullptr;
    std::unique_ptr<const SafeSplits> made(new SafeSplits(normalizer, Chain({}), &model, {}));
    return made->is_of_use_ ? std::move(made) : nullptr;
}

SafeSplits::SafeSplits(const Normalizer* normalizer, const Chain& chain, const PieceModel* model, const std::vector<AddedToken>& inside)
    : class_of_(basic_plane, unknown), pairs_(classes * classes, no), depends_on_next_(normalizer != nullptr) {
    std::vector<StageFacts> stages;  // up to the first of which nothing is known
    for (Stage const& stage : chain.stages()) {
        if (regex::Program const* const program = program_of(stage)) {
            stages.push_back({*program, stage.behaviour});
            continue;
        }
        if (stage.matcher && &stage == &chain.stages().back()) touched_ = stage.matcher->touched();
        break;
    }
    bool const knows_all = stages.size() + (touched_ ? 1 : 0) == chain.stages().size();
    if (stages.empty() && !touched_) unigram_ = dynamic_cast<const UnigramModel*>(model);
    if (auto const* const merges = touched_ ? touched_ : dynamic_cast<const MergeModel*>(model)) {
        seams_ = merges->seams();
        if (seams_) of_bytes_ = merges;
    }
    auto const image_of = [&](char32_t code) {
        if (is_surrogate(code)) return Normalizer::Image{};
        return normalizer ? normalizer->image(code) : Normalizer::Image{true, code, code, false, false};
    };
    Normalizer::Image const space = image_of(' ');
    // Some normalizers make white space of what is none, and strip it where a region begins.
    std::set<std::pair<char32_t, char32_t>> white_images;
    if (normalizer && normalizer->acts_at_start())
        for (char32_t code = 0; code < basic_plane; ++code)
            if (is_white(code))
                if (Normalizer::Image const image = image_of(code); image.is_known) white_images.emplace(image.first, image.last);
    auto const traits_of = [&](char32_t code) {
        Traits traits;
        Normalizer::Image const image = image_of(code);
        traits.is_known = image.is_known;
        if (!image.is_known) return traits;
        traits.is_white = is_white(code) || white_images.contains({image.first, image.last});
        traits.is_lonely = image.is_lonely;
        traits.begins_alike = image.begins_alike;
        traits.stays = image.first == code && image.last == code;
        traits.runs_on = seams_ ? code >= 0x3000 : bpe::runs_on(code);  // seams are looked for from there on
        traits.joins_space = !asks_model() || !space.is_known || joins(image.last, space.first);
        traits.is_plain = touched_ && touched_->joins_plainly(code);
        for (std::size_t number = 0; number < stages.size(); ++number) {
            traits.firsts[number] = stages[number].classes.of(image.first);
            traits.lasts[number] = stages[number].classes.of(image.last);
        }
        return traits;
    };

    // ASCII, then the others by their traits; those without a free class are unknown.
    Edges edges(inside);
    std::vector<Traits> all(none + 1);
    all[nonblank].is_nonblank = true;
    bool const has_lonely = normalizer && normalizer->has_lonely();
    auto const unknown_class = [](Normalizer::Image const& image) {
        return static_cast<Class>(image.binds ? never : image.follows_nonblank ? joined : image.is_nonblank ? nonblank : unknown);
    };
    // The first beyond the basic plane that may bind stands for all of them.
    constexpr char32_t kaithi_sign = 0x110BD;
    beyond_ = normalizer ? unknown_class(image_of(kaithi_sign)) : static_cast<Class>(nonblank);
    if (!normalizer) invalid_ = nonblank;
    for (char32_t code = 0; code < 128; ++code) {
        all[code] = traits_of(code);
        class_of_[code] = static_cast<Class>(code);
        Normalizer::Image const image = image_of(code);
        firsts_[code] = image.first;
        lasts_[code] = image.last;
        if (edges.any()) edges.note(code, image.first, image.last);
    }
    std::size_t last = unknown;
    for (char32_t code = 128; code < basic_plane; ++code) {
        Traits const traits = traits_of(code);
        if (!traits.is_known) {
            class_of_[code] = unknown_class(image_of(code));
            continue;
        }
        if (!(traits == all[last])) {
            last = none + 1;
            while (last < all.size() && !(all[last] == traits)) ++last;
            if (last == classes) {
                last = unknown;
                continue;
            }
            if (last == all.size()) all.push_back(traits);
        }
        class_of_[code] = static_cast<Class>(last);
        if (!edges.any()) continue;
        Normalizer::Image const image = image_of(code);
        edges.note(last, image.first, image.last);
    }

    auto const split_between = [&](std::size_t left, std::size_t right) -> std::uint8_t {
        Traits const &one = all[left], &other = all[right];
        if (left == never || left == none || left == joined || !other.is_known || one.is_lonely) return no;
        if ((!one.is_known && !one.is_nonblank && has_lonely) || !other.begins_alike) return no;
        if (!one.is_known && normalizer && !normalizer->parts_before(right < 128 ? static_cast<char32_t>(right) : basic_plane - 1)) return no;
        std::uint8_t found = yes;
        bool ends = false;  // a piece, for certain
        for (std::size_t number = 0; number < stages.size(); ++number) {
            StageFacts const& stage = stages[number];
            std::uint8_t const facts = one.is_known      ? stage.boundaries.between(one.lasts[number], other.firsts[number])
                                       : one.is_nonblank ? stage.after_nonblank(other.firsts[number])
                                                         : stage.boundaries.between(Boundaries::any, other.firsts[number]);
            ends = facts & stage.ends_piece();
            if (ends) break;
            bool const is_last = number + 1 == stages.size() && !is_touched() && knows_all;
            if (!is_last && facts & Boundaries::uncrossed) continue;
            if (!(facts & stage.enough_if_not_merged(is_last))) return no;
            found = ask;
        }
        if (!ends && !knows_all) return no;
        if (seams_ && (found == ask || (touched_ && !ends))) {
            if (!one.is_known) return no;
            // Inside of a word units would be too short.
            if (left < 128 && right < 128) return (!touched_ && is_of_word(left) && is_of_word(right)) || joins(lasts_[left], firsts_[right]) ? no : yes;
            if (right == ' ') return one.joins_space ? no : yes;
            return one.runs_on && other.runs_on && one.stays && other.stays ? ask : no;
        }
        if (ends || !is_touched()) return found == yes ? yes : no;
        if (!one.is_known) return no;
        if (left < 128 && right < 128) return joins(lasts_[left], firsts_[right]) ? no : yes;
        if (right == ' ') return one.joins_space ? no : yes;
        if (!(one.runs_on || other.runs_on) || !(left < 128 || one.stays) || !(right < 128 || other.stays)) return no;
        return left >= 128 && right >= 128 && one.is_plain && other.is_plain ? ask_table : ask;
    };
    for (std::size_t left = 0; left < all.size(); ++left)
        for (std::size_t right = 0; right < all.size() && !all[left].is_white; ++right) pairs_[left * classes + right] = split_between(left, right);
    // Lines that cannot be split before a line feed are split after it. The indentation then belongs to the word that follows.
    if (pairs_['a' * classes + '\n'] == no && all['\n'].stays) pairs_['\n' * classes + ' '] = split_between('\n', ' ');
    edges.for_each(
        all.size(), [&](std::size_t number) { return all[number].is_known; },
        [&](std::size_t left, std::size_t right) { pairs_[left * classes + right] = no; });
    for (std::size_t number = 0; number < all.size(); ++number)
        leaves_nonblank_[number] = all[number].is_known ? !all[number].is_white && !all[number].is_lonely : number == nonblank;
    if (normalizer && normalizer->acts_at_start())
        for (std::size_t number = 0; number < all.size(); ++number)
            may_leave_nothing_[number] = number != none && number != never && (!all[number].is_known || all[number].is_white);
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
                // Beyond ASCII that is more than it takes.
                for (char32_t const code : {character.code, next.code}) {
                    if (code > 0x10FFFF) invalid_ = never;
                    else if (code >= basic_plane) beyond_ = never;
                    else if (code >= 128) class_of_[code] = never;
                }
            }
        }
    }
    is_of_use_ = std::find(pairs_.begin(), pairs_.end(), yes) != pairs_.end();
}

bool SafeSplits::joins(char32_t left, char32_t right) const {
    if (of_bytes_) return of_bytes_->may_join(last_byte(left), first_byte(right));
    if (unigram_) return unigram_->may_join(left, right);
    if (touched_->by_characters()) return touched_->may_join(left, right);
    return touched_->may_join(last_byte(left), first_byte(right));
}

bool SafeSplits::asks_no_join(char32_t left, char32_t right, const Byte* place) const {
    if (seams_) return seams_->is_at(place);
    return !joins(left < 128 ? lasts_[left] : left, right < 128 ? firsts_[right] : right);
}

}  // namespace bpe
