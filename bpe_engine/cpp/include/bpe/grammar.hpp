// The pre-tokenization grammars: the features of each, and the end of the pre-token that starts at an offset.
//
// The grammars are regular expressions of one form. At each offset the alternatives are tried in this order, and the first match counts:
//
//     contraction     's 't 're 've 'm 'll 'd           by itself, or as the ending of a word
//     word            letters, mostly with one character before them that is neither letter nor number nor line break
//     number          digits, in groups
//     punctuation     all other characters except white space, with a space before and line breaks after
//     white space     up to the last line break; all but the last character before a word; all at the end of the text
//
// So a grammar is a few features, and one rule serves nearly all grammars (the others are in staged_grammars.hpp). The rule asks a text for runs ("where do
// the letters from here on end?"). Two classes answer: `Walk` steps through the bytes; `RunIndex` (run_index.hpp) looks the runs up, for pre-tokens that are
// too long to walk through again on each append.
//
// Sources of the grammars: see bpe_engine/patterns.py, whose patterns these rules are proven equal to.
#pragma once

#include <string_view>

#include "bpe/character_sets.hpp"
#include "bpe/types.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

struct Grammar {
    // By itself: in lower case, in any ASCII case, or in any Unicode case, in which U+017F is an S. As an ending: in any Unicode case.
    enum class Contraction { none, lower_case, ascii_case, any_case, ending };
    enum class Words { letters, letters_and_marks, cased };
    enum class Tail { nothing, newlines, newlines_and_slashes };
    enum class Space { plain, last_newline, end_first };  // no rule for line breaks; up to the last; whole at the end of the text first

    Contraction contraction = Contraction::none;
    Words words = Words::letters;
    bool space_before = false;  // only a space may come before words, numbers and punctuation; otherwise any character before words
    // In a number; 0: any number of digits. With a space before words, a single digit is split off first: no space belongs to it, and white space
    // before it is whole, as at the end of a text.
    int digits = 3;
    Tail tail = Tail::newlines;
    Space space = Space::last_newline;
    // All but the last `lookback` pre-tokens of a text are settled: no appended text moves them.
    int lookback = 2;
    bool han_apart = false;  // a run of Han is matched first, and words have no Han
};

namespace grammars {

using Contraction = Grammar::Contraction;
using Words = Grammar::Words;
using Tail = Grammar::Tail;
using Space = Grammar::Space;

inline constexpr Grammar r50k{Contraction::lower_case, Words::letters, true, 0, Tail::nothing, Space::plain, 2};
inline constexpr Grammar cl100k{Contraction::any_case, Words::letters, false, 3, Tail::newlines, Space::end_first, 1};
inline constexpr Grammar o200k{Contraction::ending, Words::cased, false, 3, Tail::newlines_and_slashes, Space::last_newline, 2};
inline constexpr Grammar llama3{Contraction::any_case, Words::letters, false, 3, Tail::newlines, Space::last_newline, 2};
inline constexpr Grammar qwen2{Contraction::any_case, Words::letters, false, 1, Tail::newlines, Space::last_newline, 2};
inline constexpr Grammar qwen35{Contraction::any_case, Words::letters_and_marks, false, 1, Tail::newlines, Space::last_newline, 2};
inline constexpr Grammar llama3_ascii{Contraction::ascii_case, Words::letters, false, 3, Tail::newlines, Space::last_newline, 2};
inline constexpr Grammar qwen2_ascii{Contraction::ascii_case, Words::letters, false, 1, Tail::newlines, Space::last_newline, 2};
inline constexpr Grammar qwen35_ascii{Contraction::ascii_case, Words::letters_and_marks, false, 1, Tail::newlines, Space::last_newline, 2};
inline constexpr Grammar tekken{Contraction::none, Words::cased, false, 1, Tail::newlines_and_slashes, Space::last_newline, 2};
inline constexpr Grammar kimi_k2{Contraction::ending, Words::cased, false, 3, Tail::newlines, Space::last_newline, 2, true};
inline constexpr Grammar starcoder{Contraction::lower_case, Words::letters, true, 1, Tail::nothing, Space::plain, 2};

}  // namespace grammars

// Facts about a text that grammars use. All ends are offsets in bytes.
struct SpaceRun {
    std::size_t end;          // of the white space
    std::size_t newline_end;  // after its last line break; the start of the run if there is none
    std::size_t last;         // where its last character starts
};

struct UpperRun {
    std::size_t end;       // of the characters that may start a word
    std::size_t both_end;  // after the last of them that may also end a word; the start of the run if there is none
};

inline bool is_newline(Character character) { return character.code == '\n' || character.code == '\r'; }

// Steps through the bytes.
class Walk {
public:
    Walk(const Byte* text, std::size_t limit) : text_(text), limit_(limit), table_(UnicodeTable::instance()) {}

    std::size_t limit() const { return limit_; }
    Character at(std::size_t place) const { return table_.at(text_, place, limit_); }

    // The end of the run of characters that are in any of the classes `wanted` and in none of `unwanted`.
    std::size_t end_of(Flags wanted, std::size_t place, Flags unwanted = 0) const {
        while (place < limit_) {
            Character const character = at(place);
            if (!(character.flags & wanted) || character.flags & unwanted) break;
            place += character.size;
        }
        return place;
    }

    // The end of the run of characters that are in none of the classes `unwanted`.
    std::size_t end_of_other(Flags unwanted, std::size_t place) const {
        while (place < limit_) {
            Character const character = at(place);
            if (character.flags & unwanted) break;
            place += character.size;
        }
        return place;
    }

    std::size_t end_of_tail(bool slashes, std::size_t place) const {
        while (place < limit_ && (text_[place] == '\n' || text_[place] == '\r' || (slashes && text_[place] == '/'))) ++place;
        return place;
    }

    SpaceRun space(std::size_t place) const {
        SpaceRun run{place, place, place};
        while (run.end < limit_) {
            Character const character = at(run.end);
            if (!(character.flags & space_class)) break;
            run.last = run.end;
            run.end += character.size;
            if (is_newline(character)) run.newline_end = run.end;
        }
        return run;
    }

    UpperRun upper(std::size_t place, Flags unwanted = 0) const {
        UpperRun run{place, place};
        while (run.end < limit_) {
            Character const character = at(run.end);
            if (!(character.flags & upper_class) || character.flags & unwanted) break;
            run.end += character.size;
            if (character.flags & lower_class) run.both_end = run.end;
        }
        return run;
    }

    // The end of the run of characters of a set.
    std::size_t end_of(Set set, std::size_t place) const {
        while (place < limit_) {
            Character const character = at(place);
            if (!holds(set, character)) break;
            place += character.size;
        }
        return place;
    }

    // The end of the run of numbers; three ASCII digits in a row end it, too.
    std::size_t end_before_triple(std::size_t place) const {
        while (place < limit_) {
            Character const character = at(place);
            if (!(character.flags & number_class) || is_triple(text_, place, limit_)) break;
            place += character.size;
        }
        return place;
    }

    // The start of the character before `place`, which is not before `start`.
    std::size_t before(std::size_t place, std::size_t start) const { return character_before(text_, place, start); }

private:
    const Byte* text_;
    std::size_t limit_;
    const UnicodeTable& table_;
};

// The end of the contraction whose apostrophe is at `text[place]`; `place` if there is none. U+017F equals "s" if case is ignored as in
// Unicode, but not in sets like [sS].
template <Grammar::Contraction contraction>
std::size_t contraction_end(const Byte* text, std::size_t place, std::size_t limit) {
    using enum Grammar::Contraction;
    constexpr bool capitals = contraction != lower_case;
    constexpr bool long_s = contraction == any_case || contraction == ending;
    std::size_t const letters = limit - place - 1;
    if (letters == 0) return place;
    auto const folded = [&](std::size_t offset) -> Byte {
        Byte const byte = text[place + offset];
        return capitals && byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
    };
    Byte const first = folded(1);
    if (first == 's' || first == 'd' || first == 'm' || first == 't') return place + 2;
    if (letters < 2) return place;
    Byte const second = folded(2);
    if ((first == 'l' && second == 'l') || (first == 'v' && second == 'e') || (first == 'r' && second == 'e')) return place + 3;
    return long_s && first == 0xC5 && text[place + 2] == 0xBF ? place + 3 : place;
}

// The end of the pre-token of `text` that starts at `place`, which is before the end of the text.
template <Grammar grammar, class Text>
std::size_t pretoken_end(const Text& text, const Byte* bytes, std::size_t place) {
    using enum Grammar::Contraction;
    using enum Grammar::Space;
    using Words = Grammar::Words;
    using Tail = Grammar::Tail;
    std::size_t const limit = text.limit();
    constexpr Flags word_flags = grammar.words == Words::letters ? letter_class : Flags(letter_class | mark_class);
    constexpr Flags not_punctuation =
        grammar.words == Words::letters_and_marks ? letter_class | mark_class | number_class | space_class : letter_class | number_class | space_class;
    constexpr bool slashes = grammar.tail == Tail::newlines_and_slashes;
    constexpr Flags apart = grammar.han_apart ? han_class : Flags{0};
    Character const first = text.at(place);
    std::size_t const after = place + first.size;

    if constexpr (grammar.han_apart)
        if (first.flags & han_class) return text.end_of(han_class, after);
    if constexpr (grammar.contraction != none && grammar.contraction != ending) {
        if (first.code == '\'') {
            std::size_t const end = contraction_end<grammar.contraction>(bytes, place, limit);
            if (end > place) return end;
        }
    }

    if constexpr (grammar.space_before) {
        std::size_t const start = first.code == ' ' && after < limit ? after : place;
        Character const lead = start == place ? first : text.at(start);
        if (lead.flags & letter_class) return text.end_of(letter_class, start);
        if constexpr (grammar.digits == 1) {
            if (first.flags & number_class) return after;
        } else if (lead.flags & number_class) {
            return text.end_of(number_class, start);
        }
        if (!(lead.flags & number_class) && !(lead.flags & space_class)) return text.end_of_other(not_punctuation, start);
    } else {
        if (first.flags & number_class) {
            std::size_t end = after;
            if constexpr (grammar.digits == 0) end = text.end_of(number_class, end);
            for (int digit = 1; digit < grammar.digits && end < limit; ++digit) {
                Character const next = text.at(end);
                if (!(next.flags & number_class)) break;
                end += next.size;
            }
            return end;
        }
        if constexpr (grammar.words == Words::cased) {
            // Upper* Lower+, else Upper+ Lower*. The upper run is greedy, and backtracks to its last character that is in both classes.
            auto const word = [&](std::size_t start, bool must_end_low) {
                UpperRun const run = text.upper(start, apart);
                if (run.end < limit) {
                    std::size_t const end = text.end_of(lower_class, run.end, apart);
                    if (end > run.end) return end;
                }
                return must_end_low ? run.both_end : run.end;
            };
            auto const ended = [&](std::size_t end) {
                if constexpr (grammar.contraction == ending)
                    if (end < limit && bytes[end] == '\'') return contraction_end<ending>(bytes, end, limit);
                return end;
            };
            bool const in_word = first.flags & (upper_class | lower_class);
            bool const may_stand_before = !is_newline(first) && !(first.flags & letter_class) && after < limit;
            for (bool const must_end_low : {true, false}) {
                if (may_stand_before) {
                    Character const next = text.at(after);
                    if (next.flags & (upper_class | lower_class) && !(next.flags & apart))
                        if (std::size_t const end = word(after, must_end_low); end > after) return ended(end);
                }
                if (in_word)
                    if (std::size_t const end = word(place, must_end_low); end > place) return ended(end);
            }
        } else {
            if (first.flags & word_flags) return text.end_of(word_flags, after);
            if (!is_newline(first) && after < limit && text.at(after).flags & word_flags) return text.end_of(word_flags, after);
        }
        std::size_t const start = first.code == ' ' && after < limit ? after : place;
        if (!((start == place ? first : text.at(start)).flags & not_punctuation)) {
            std::size_t const end = text.end_of_other(not_punctuation, start);
            return grammar.tail == Tail::nothing ? end : text.end_of_tail(slashes, end);
        }
    }

    SpaceRun const run = text.space(place);
    if (grammar.space == end_first && run.end == limit) return run.end;
    if (grammar.space != plain && run.newline_end > place) return run.newline_end;
    if (run.end == limit) return run.end;
    if constexpr (grammar.space_before && grammar.digits == 1)
        if (text.at(run.end).flags & number_class) return run.end;
    return run.last > place ? run.last : run.end;
}

}  // namespace bpe
