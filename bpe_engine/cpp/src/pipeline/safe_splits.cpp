#include "bpe/pipeline/safe_splits.hpp"

#include <mutex>
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

constexpr char32_t basic_plane = 0x10000, end_of_white = 0x3001;
bool is_white(char32_t code) { return (UnicodeTable::instance().flags_of(code) & space_class) != 0; }

struct StageFacts {
    const regex::Classes& classes;
    Boundaries boundaries;
    Behaviour behaviour;
    std::vector<bool> is_white_class;  // none but white space

    StageFacts(const regex::Program& program, Behaviour behaviour)
        : classes(program.classes()), boundaries(program), behaviour(behaviour), is_white_class(classes.count()) {
        std::vector<std::size_t> white(classes.count());  // characters
        for (char32_t code = 0; code < end_of_white; ++code)
            if (is_white(code)) ++white[classes.of(code)];
        for (std::size_t number = 0; number < classes.count(); ++number) is_white_class[number] = white[number] == classes.size(number);
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
    // Beside another one of them a token may be across the boundary (Edges).
    bool ends_in_token = false, begins_in_token = false, ends_word = false, begins_word = false;
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
    bool has(char32_t left, char32_t right) const {
        return any() && (pairs_.contains({left, right}) || (is_word(left) && pairs_.contains({any_word, right})) ||
                         (is_word(right) && pairs_.contains({left, any_word})));
    }

    // Whether there may be such a pair between characters of two classes.
    static bool may_have(const Traits& one, const Traits& other) {
        return (one.ends_in_token && (other.begins_in_token || other.begins_word)) || (one.ends_word && other.begins_in_token);
    }
    // Of a character with this image.
    void note(Traits& traits, char32_t first, char32_t last) const {
        traits.ends_in_token = lefts_.contains(last);
        traits.begins_in_token = rights_.contains(first);
        traits.ends_word = lefts_.contains(any_word) && is_word(last);
        traits.begins_word = rights_.contains(any_word) && is_word(first);
    }
    // Of one whose image is not known.
    void note(Traits& traits) const {
        traits.ends_in_token = traits.begins_in_token = any();
        traits.ends_word = lefts_.contains(any_word);
        traits.begins_word = rights_.contains(any_word);
    }

private:
    static constexpr char32_t no_code = 0xFFFFFFFF, any_word = 0xFFFFFFFE;

    static bool is_word(char32_t code) { return AddedTokens::is_of_word(code); }
    void add(char32_t left, char32_t right) {
        pairs_.emplace(left, right);
        lefts_.insert(left);
        rights_.insert(right);
    }

    std::set<std::pair<char32_t, char32_t>> pairs_;
    std::set<char32_t> lefts_, rights_;
};

// Finds out the classes of characters, and what is between them.
class SafeSplits::Maker {
public:
    // Those of ASCII. The rest of `splits` is given.
    Maker(SafeSplits& splits, const Normalizer* normalizer, const Chain& chain, const PieceModel* model, const std::vector<AddedToken>& inside)
        : splits_(splits), normalizer_(normalizer), edges_(inside), all_(unmade + 1) {
        for (Stage const& stage : chain.stages()) {
            if (regex::Program const* const program = program_of(stage)) {
                stages_.push_back({*program, stage.behaviour});
                continue;
            }
            if (stage.matcher && &stage == &chain.stages().back()) splits_.touched_ = stage.matcher->touched();
            break;
        }
        knows_all_ = stages_.size() + (splits_.touched_ ? 1 : 0) == chain.stages().size();
        if (stages_.empty() && !splits_.touched_) splits_.unigram_ = dynamic_cast<const UnigramModel*>(model);
        if (auto const* const merges = splits_.touched_ ? splits_.touched_ : dynamic_cast<const MergeModel*>(model))
            if (merges->knows_seams()) splits_.of_bytes_ = merges;
        splits_.depends_on_next_ = normalizer_ != nullptr;
        space_ = image_of(' ');
        if (normalizer_ && normalizer_->acts_at_start())
            for (char32_t code = 0; code < end_of_white; ++code)
                if (is_white(code))
                    if (Normalizer::Image const image = image_of(code); image.is_known) white_images_.emplace(image.first, image.last);
        hold_together();
        all_[nonblank].is_nonblank = true;
        for (std::size_t number = unknown; number <= none; ++number) edges_.note(all_[number]);
        // The first beyond the basic plane that may bind stands for all of them.
        constexpr char32_t kaithi_sign = 0x110BD;
        if (splits_.beyond_ != never) splits_.beyond_ = normalizer_ ? unknown_class(image_of(kaithi_sign)) : static_cast<Class>(nonblank);
        if (!normalizer_) splits_.invalid_ = nonblank;
        for (char32_t code = 0; code < 128; ++code) {
            Normalizer::Image const image = image_of(code);
            all_[code] = traits_of(code, image);
            splits_.firsts_[code] = image.first;
            splits_.lasts_[code] = image.last;
        }
        for (std::size_t number = 0; number <= none; ++number) pair(number);
        // Lines that cannot be split before a line feed are split after it. The indentation then belongs to the word that follows.
        if (of_pair('a', '\n') == no && all_['\n'].stays) of_pair('\n', ' ') = split_between('\n', ' ');
        for (auto const& [left, right] : inseparable_) of_pair(left, right) = no;
        make_block(0);
    }

    // Whether there is a split at all. Nearly always there is one beside ASCII; else all characters are looked at.
    bool is_of_use() {
        auto const has_split = [&] { return std::find(splits_.pairs_.begin(), splits_.pairs_.end(), yes) != splits_.pairs_.end(); };
        for (char32_t begin = 256; begin < basic_plane && !has_split(); begin += 256) make_block(begin);
        return has_split();
    }

    // The class of a character of the basic plane. Several threads may ask at once.
    std::size_t class_of(char32_t code) {
        std::lock_guard const lock(mutex_);
        if (splits_.class_of_[code].load(std::memory_order_relaxed) == unmade) make_block(code & ~char32_t{255});
        return splits_.class_of_[code].load(std::memory_order_relaxed);
    }

private:
    bool is_touched() const { return splits_.touched_ || splits_.unigram_; }
    bool asks_model() const { return is_touched() || splits_.of_bytes_; }
    std::uint8_t& of_pair(std::size_t left, std::size_t right) { return splits_.pairs_[left * classes + right]; }

    Normalizer::Image image_of(char32_t code) const {
        if (is_surrogate(code)) return {};
        return normalizer_ ? normalizer_->image(code) : Normalizer::Image{true, code, code, false, false};
    }

    static Class unknown_class(const Normalizer::Image& image) {
        return static_cast<Class>(image.binds ? never : image.follows_nonblank ? joined : image.is_nonblank ? nonblank : unknown);
    }

    Traits traits_of(char32_t code, const Normalizer::Image& image) const {
        Traits traits;
        traits.is_known = image.is_known;
        if (!image.is_known) {
            edges_.note(traits);
            return traits;
        }
        traits.is_white = is_white(code) || white_images_.contains({image.first, image.last});
        traits.is_lonely = image.is_lonely;
        traits.begins_alike = image.begins_alike;
        traits.stays = image.first == code && image.last == code;
        traits.runs_on = splits_.of_bytes_ ? code >= 0x3000 : bpe::runs_on(code);  // seams are looked for from there on
        traits.joins_space = !asks_model() || !space_.is_known || splits_.joins(image.last, space_.first);
        traits.is_plain = splits_.touched_ && splits_.touched_->joins_plainly(code);
        for (std::size_t number = 0; number < stages_.size(); ++number) {
            traits.firsts[number] = stages_[number].classes.of(image.first);
            traits.lasts[number] = stages_[number].classes.of(image.last);
        }
        edges_.note(traits, image.first, image.last);
        return traits;
    }

    // Characters that the normalizer does not take apart.
    void hold_together() {
        if (!normalizer_) return;
        for (std::string const& text : normalizer_->inseparable()) {
            auto const* const bytes = reinterpret_cast<const Byte*>(text.data());
            UnicodeTable const& table = UnicodeTable::instance();
            for (std::size_t place = 0, size = 0; place < text.size(); place += size) {
                Character const character = table.at(bytes, place, text.size());
                size = character.size;
                if (place + size == text.size()) break;
                Character const next = table.at(bytes, place + size, text.size());
                if (character.code < 128 && next.code < 128) {
                    inseparable_.emplace_back(character.code, next.code);
                    continue;
                }
                // Beyond ASCII that is more than it takes.
                for (char32_t const code : {character.code, next.code}) {
                    if (code > 0x10FFFF) splits_.invalid_ = never;
                    else if (code >= basic_plane) splits_.beyond_ = never;
                    else if (code >= 128) held_together_.insert(code);
                }
            }
        }
    }

    // ASCII characters have classes of their own, the others by their traits; those without a free class are unknown.
    void make_block(char32_t begin) {
        std::size_t last = unknown;
        for (char32_t code = begin; code < begin + 256; ++code) {
            auto const is_of = [&](std::size_t number) { splits_.class_of_[code].store(static_cast<Class>(number), std::memory_order_release); };
            if (code < 128) {
                is_of(code);
                continue;
            }
            if (held_together_.contains(code)) {
                is_of(never);
                continue;
            }
            Normalizer::Image const image = image_of(code);
            if (!image.is_known) {
                is_of(unknown_class(image));
                continue;
            }
            if (Traits const traits = traits_of(code, image); !(traits == all_[last])) {
                last = unmade + 1;
                while (last < all_.size() && !(all_[last] == traits)) ++last;
                if (last == classes) {
                    last = unknown;
                } else if (last == all_.size()) {
                    all_.push_back(traits);
                    pair(last);
                }
            }
            is_of(last);
        }
    }

    // Notes what is between a new class and those before it.
    void pair(std::size_t number) {
        Traits const& traits = all_[number];
        splits_.leaves_nonblank_[number] = traits.is_known ? !traits.is_white && !traits.is_lonely : number == nonblank;
        if (normalizer_ && normalizer_->acts_at_start())
            splits_.may_leave_nothing_[number] = number != none && number != never && (!traits.is_known || traits.is_white);
        for (std::size_t other = 0; other <= number; ++other) {
            if (!traits.is_white) of_pair(number, other) = split_between(number, other);
            if (!all_[other].is_white) of_pair(other, number) = split_between(other, number);
        }
    }

    std::uint8_t split_between(std::size_t left, std::size_t right) const {
        Traits const &one = all_[left], &other = all_[right];
        if (left == never || left == none || left == joined || left == unmade || !other.is_known || one.is_lonely) return no;
        if ((!one.is_known && !one.is_nonblank && normalizer_ && normalizer_->has_lonely()) || !other.begins_alike) return no;
        if (!one.is_known && normalizer_ && !normalizer_->parts_before(right < 128 ? static_cast<char32_t>(right) : basic_plane - 1)) return no;
        bool const are_of_ascii = left < 128 && right < 128;
        if (are_of_ascii && one.is_known ? edges_.has(splits_.lasts_[left], splits_.firsts_[right]) : Edges::may_have(one, other)) return no;
        std::uint8_t found = yes;
        bool ends = false;  // a piece, for certain
        for (std::size_t number = 0; number < stages_.size(); ++number) {
            StageFacts const& stage = stages_[number];
            std::uint8_t const facts = one.is_known      ? stage.boundaries.between(one.lasts[number], other.firsts[number])
                                       : one.is_nonblank ? stage.after_nonblank(other.firsts[number])
                                                         : stage.boundaries.between(Boundaries::any, other.firsts[number]);
            ends = facts & stage.ends_piece();
            if (ends) break;
            bool const is_last = number + 1 == stages_.size() && !is_touched() && knows_all_;
            if (!is_last && facts & Boundaries::uncrossed) continue;
            if (!(facts & stage.enough_if_not_merged(is_last))) return no;
            found = ask;
        }
        if (!ends && !knows_all_) return no;
        auto const of_ascii = [&] { return splits_.joins(splits_.lasts_[left], splits_.firsts_[right]) ? no : yes; };
        if (splits_.of_bytes_ && (found == ask || (splits_.touched_ && !ends))) {
            if (!one.is_known) return no;
            // Inside of a word units would be too short.
            if (are_of_ascii) return !splits_.touched_ && is_of_word(left) && is_of_word(right) ? no : of_ascii();
            if (right == ' ') return one.joins_space ? no : yes;
            return one.runs_on && other.runs_on && one.stays && other.stays ? ask : no;
        }
        if (ends || !is_touched()) return found == yes ? yes : no;
        if (!one.is_known) return no;
        if (are_of_ascii) return of_ascii();
        if (right == ' ') return one.joins_space ? no : yes;
        if (!(one.runs_on || other.runs_on) || !(left < 128 || one.stays) || !(right < 128 || other.stays)) return no;
        return left >= 128 && right >= 128 && one.is_plain && other.is_plain ? ask_table : ask;
    }

    SafeSplits& splits_;
    const Normalizer* normalizer_;
    std::vector<StageFacts> stages_;  // up to the first of which nothing is known
    bool knows_all_ = false;
    Edges edges_;
    Normalizer::Image space_;
    // Some normalizers make white space of what is none, and strip it where a region begins.
    std::set<std::pair<char32_t, char32_t>> white_images_;
    std::vector<std::pair<char32_t, char32_t>> inseparable_;
    std::set<char32_t> held_together_;
    std::vector<Traits> all_;  // of the classes
    std::mutex mutex_;
};

std::unique_ptr<const SafeSplits> SafeSplits::make(const Normalizer* normalizer, const Chain& chain, const PieceModel* model,
                                                   const std::vector<AddedToken>& inside) {
    // One that takes along white space is across many splits.
    if (std::any_of(inside.begin(), inside.end(), [](AddedToken const& token) { return token.lstrip || token.rstrip; })) return nullptr;
    if (chain.stages().empty() || (normalizer && !normalizer->parts_known())) return nullptr;
    Stage const& first = chain.stages().front();
    if (!program_of(first) && !(chain.stages().size() == 1 && first.matcher && first.matcher->touched())) return nullptr;
    return made_of(normalizer, chain, model, inside);
}

std::unique_ptr<const SafeSplits> SafeSplits::inside_of_piece(const Normalizer* normalizer, const UnigramModel& model) {
    if (normalizer && !normalizer->parts_known()) return nullptr;
    return made_of(normalizer, Chain({}), &model, {});
}

std::unique_ptr<const SafeSplits> SafeSplits::made_of(const Normalizer* normalizer, const Chain& chain, const PieceModel* model,
                                                      const std::vector<AddedToken>& inside) {
    std::unique_ptr<SafeSplits> made(new SafeSplits);
    made->maker_ = std::make_unique<Maker>(*made, normalizer, chain, model, inside);
    return made->maker_->is_of_use() ? std::move(made) : nullptr;
}

SafeSplits::SafeSplits() : class_of_(new std::atomic<Class>[basic_plane]), pairs_(classes * classes, no) {
    for (char32_t code = 0; code < basic_plane; ++code) class_of_[code].store(unmade, std::memory_order_relaxed);
}

SafeSplits::~SafeSplits() = default;

const Seams& SafeSplits::made_seams() const {
    Seams const& made = of_bytes_->seams();
    seams_.store(&made, std::memory_order_release);
    return made;
}

std::size_t SafeSplits::made_class_of(char32_t code) const { return maker_->class_of(code); }

bool SafeSplits::joins(char32_t left, char32_t right) const {
    if (of_bytes_) return of_bytes_->may_join(last_byte(left), first_byte(right));
    if (unigram_) return unigram_->may_join(left, right);
    if (touched_->by_characters()) return touched_->may_join(left, right);
    return touched_->may_join(last_byte(left), first_byte(right));
}

bool SafeSplits::asks_no_join(char32_t left, char32_t right, const Byte* place) const {
    if (of_bytes_) return seams().is_at(place);
    return !joins(left < 128 ? lasts_[left] : left, right < 128 ? firsts_[right] : right);
}

}  // namespace bpe
