// The grammars that are published as several splits, each applied to the pieces of the one before.
//
// The later splits see the edges of an earlier split as edges of the text: no run crosses them, and white space before one of them is whole.
// Here all splits are one rule, over the same texts as the rule of grammar.hpp. Both rules return the end of the pre-token that starts at
// `place`, which is before the end of the text.
#pragma once

#include "bpe/grammar.hpp"

namespace bpe {

// falcon. Punctuation and some signs are split off first, so no contraction is left to find; ASCII digits in threes are split off last.
struct Falcon {
    static constexpr int lookback = 1;

    // " 12" becomes " " and "123".
    static bool gives_back(Character last) { return last.flags & space_class || is_ascii_digit(last.code); }

    template <class Text>
    static std::size_t pretoken_end(const Text& text, const Byte* bytes, std::size_t place) {
        std::size_t const limit = text.limit();
        Character const first = text.at(place);
        std::size_t const after = place + first.size;
        if (is_cut_by_falcon(first)) return text.end_of(Set::cut, after);

        std::size_t const start = first.code == ' ' && after < limit ? after : place;
        Character const lead = start == place ? first : text.at(start);
        if (lead.flags & letter_class) return text.end_of(letter_class, start);
        if (is_triple(bytes, place, limit)) return place + 3;
        if (lead.flags & number_class) {
            if (std::size_t const end = text.end_before_triple(start); end > start) return end;
        } else if (holds(Set::uncut, lead)) {
            return text.end_of(Set::uncut, start);
        }

        SpaceRun const run = text.space(place);
        bool const whole = run.end == limit || run.last == place || is_cut_by_falcon(text.at(run.end));
        return whole ? run.end : run.last;
    }
};

// deepseek_v3. Numbers are split off first, then runs of its ranges of kana and ideographs ("cjk"). The third split has the same alternatives
// inside such a run as outside of it.
struct DeepseekV3 {
    static constexpr int lookback = 2;

    // A run of characters that no split matches loses its last character to a word.
    static bool gives_back(Character last) { return !(last.flags & (letter_class | mark_class | number_class | symbol_class)); }

    template <class Text>
    static std::size_t pretoken_end(const Text& text, const Byte* bytes, std::size_t place) {
        std::size_t const limit = text.limit();
        Character const first = text.at(place);
        std::size_t const after = place + first.size;
        bool const cjk = in_cjk(first.code);
        Set const word = cjk ? Set::cjk_word : Set::other_word;

        if (first.flags & number_class) {
            std::size_t end = after;
            for (int digit = 1; digit < 3 && end < limit; ++digit) {
                Character const next = text.at(end);
                if (!(next.flags & number_class)) break;
                end += next.size;
            }
            return end;
        }
        if (after < limit) {
            if (is_ascii_punctuation(first) && is_ascii_letter(bytes[after])) return text.end_of(Set::ascii_letters, after);
            if (!(first.flags & symbol_class) && !is_newline(first) && holds(word, text.at(after))) return text.end_of(word, after);
        }
        if (holds(word, first)) return text.end_of(word, place);

        if (cjk && first.flags & symbol_class) return text.end_of(Set::cjk_symbol, place);
        std::size_t const start = first.code == ' ' && after < limit ? after : place;
        if (holds(Set::other_symbol, start == place ? first : text.at(start))) return text.end_of_tail(false, text.end_of(Set::other_symbol, start));

        if (first.flags & space_class) {
            SpaceRun const run = text.space(place);
            if (run.newline_end > place) return run.newline_end;
            if (run.end == limit || run.last == place) return run.end;
            Character const next = text.at(run.end);
            return next.flags & number_class || in_cjk(next.code) ? run.end : run.last;
        }

        // Text that no split matches stays together; its last character belongs to a word that follows.
        std::size_t const end = text.end_of(cjk ? Set::cjk_left_over : Set::other_left_over, place);
        if (end < limit && holds(word, text.at(end))) return text.before(end, place);
        return end;
    }
};

}  // namespace bpe
