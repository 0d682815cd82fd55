// The sets of characters of grammars that need more than classes: ranges of code points, and ASCII.
#pragma once

#include "bpe/types.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

// The kana and ideographs of deepseek_v3. Fixed ranges of code points, independent of Unicode.
constexpr bool in_cjk(char32_t code) { return (code >= 0x3040 && code <= 0x30FF) || (code >= 0x4E00 && code <= 0x9FA5); }

constexpr bool is_ascii_digit(char32_t code) { return code >= '0' && code <= '9'; }
constexpr bool is_ascii_letter(char32_t code) { return (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z'); }

inline bool is_ascii_punctuation(Character character) { return character.code < 0x80 && character.flags & symbol_class; }

// The characters that the first split of falcon splits at: P and $+<=>^~|`. In ASCII these are all punctuation.
inline bool is_cut_by_falcon(Character character) { return is_ascii_punctuation(character) || UnicodeTable::instance().is_punctuation(character.code); }

// Whether three ASCII digits start at `text[place]`.
inline bool is_triple(const Byte* text, std::size_t place, std::size_t limit) {
    return limit - place >= 3 && is_ascii_digit(text[place]) && is_ascii_digit(text[place + 1]) && is_ascii_digit(text[place + 2]);
}

enum class Set {
    ascii_letters,
    cut,  // at which falcon splits, and what it leaves besides letters, numbers and white space
    uncut,
    cjk_word,  // L or M in the ranges of deepseek_v3, and outside of them
    other_word,
    cjk_symbol,  // P or S
    other_symbol,
    cjk_left_over,  // all others except N and white space
    other_left_over,
};

inline bool holds(Set set, Character character) {
    constexpr Flags in_words = letter_class | mark_class;
    constexpr Flags not_left_over = in_words | symbol_class | number_class | space_class;
    Flags const flags = character.flags;
    bool const cjk = in_cjk(character.code);
    switch (set) {
    case Set::ascii_letters: return is_ascii_letter(character.code);
    case Set::cut: return is_cut_by_falcon(character);
    case Set::uncut: return !(flags & (letter_class | number_class | space_class)) && !is_cut_by_falcon(character);
    case Set::cjk_word: return flags & in_words && cjk;
    case Set::other_word: return flags & in_words && !cjk;
    case Set::cjk_symbol: return flags & symbol_class && cjk;
    case Set::other_symbol: return flags & symbol_class && !cjk;
    case Set::cjk_left_over: return !(flags & not_left_over) && cjk;
    case Set::other_left_over: return !(flags & not_left_over) && !cjk;
    }
    return false;
}

}  // namespace bpe
