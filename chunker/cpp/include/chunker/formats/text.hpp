// A text by its characters, as the readers of the formats see it: any str of Python, halves of surrogate pairs included.
#pragma once

#include <cstddef>
#include <string_view>

namespace chunker::formats {

using Text = std::u32string_view;

constexpr std::size_t none = Text::npos;

// The tests of a character take one of a copy in ASCII, too.

// White space as \s of Python's expressions has it.
constexpr bool is_space(char32_t character) {
    if (character <= ' ') return character == ' ' || (character >= '\t' && character <= '\r') || character >= 0x1C;
    return character >= 0x85 && (character == 0x85 || character == 0xA0 || character == 0x1680 || (character >= 0x2000 && character <= 0x200A) ||
                                 character == 0x2028 || character == 0x2029 || character == 0x202F || character == 0x205F || character == 0x3000);
}
constexpr bool is_blank(char32_t character) { return character == ' ' || character == '\t'; }
constexpr bool is_line_end(char32_t character) { return character == '\n' || character == '\r'; }
constexpr bool is_digit(char32_t character) { return character >= '0' && character <= '9'; }
constexpr bool is_letter(char32_t character) { return (character | 0x20) >= 'a' && (character | 0x20) <= 'z'; }
// Whether it is part of an ASCII word, or another character that is not white space.
constexpr bool is_of_name(char32_t character) {
    return character < 0x80 ? is_letter(character) || is_digit(character) || character == '_' : !is_space(character);
}

// The end of the line end that begins at `at`; `at` if none does.
constexpr std::size_t after_line_end(Text text, std::size_t at) {
    if (at >= text.size() || !is_line_end(text[at])) return at;
    return at + (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1);
}
// The first character from `at` on of which `test` is false, or the end.
template <class Test>
constexpr std::size_t skip_while(Text text, std::size_t at, Test test) {
    while (at < text.size() && test(text[at])) ++at;
    return at;
}
constexpr std::size_t after_blanks(Text text, std::size_t at) { return skip_while(text, at, is_blank); }
constexpr std::size_t line_end(Text text, std::size_t at) {
    return skip_while(text, at, [](char32_t character) { return !is_line_end(character); });
}
// The start of the white space at the end of text[start:end].
constexpr std::size_t stripped(Text text, std::size_t start, std::size_t end) {
    while (end > start && is_space(text[end - 1])) --end;
    return end;
}
constexpr bool begins(Text text, std::size_t at, Text with) { return text.substr(at < text.size() ? at : text.size(), with.size()) == with; }

}  // namespace chunker::formats
