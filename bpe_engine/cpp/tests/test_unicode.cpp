// Characters from bytes, against the well-formed sequences as the Unicode Standard lists them.
#include "bpe/unicode.hpp"

#include <set>

#include "vocabularies.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

std::string utf8(char32_t code) {
    if (code < 0x80) return {static_cast<char>(code)};
    if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), static_cast<char>(0x80 | (code & 0x3F))};
    if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 0x3F)), static_cast<char>(0x80 | (code & 0x3F))};
    return {static_cast<char>(0xF0 | code >> 18), static_cast<char>(0x80 | (code >> 12 & 0x3F)), static_cast<char>(0x80 | (code >> 6 & 0x3F)),
            static_cast<char>(0x80 | (code & 0x3F))};
}

void every_code_point() {
    UnicodeTable const& table = UnicodeTable::instance();
    for (char32_t code = 0; code < 0x110000; ++code) {
        std::string const bytes = utf8(code);
        Character const character = table.at(view(bytes).data, 0, bytes.size());
        if (code >= 0xD800 && code <= 0xDFFF) {
            CHECK(character.size == 1 && character.flags == 0 && character.code == 0xFFFFFFFF);
            continue;
        }
        CHECK(character.code == code && character.size == bytes.size() && character.flags == table.flags_of(code));
        // What letters are made of agrees with itself.
        Flags const flags = character.flags;
        CHECK(!(flags & letter_class) || flags & (upper_class | lower_class));
        CHECK(!(flags & mark_class) || (flags & upper_class && flags & lower_class && !(flags & letter_class)));
        CHECK(!(flags & (number_class | space_class | symbol_class)) || !(flags & (letter_class | mark_class)));
        for (std::size_t size = 1; size < bytes.size(); ++size) {
            Character const cut = table.at(view(bytes).data, 0, size);
            CHECK(cut.size == 1 && cut.flags == 0 && cut.code == 0xFFFFFFFF);
            CHECK(unfinished_end(view(bytes).part(0, size)) == size);
        }
        CHECK(unfinished_end(view(bytes)) == 0);
    }
}

void known_classes() {
    UnicodeTable const& table = UnicodeTable::instance();
    struct Known {
        char32_t code;
        Flags flags;
    };
    constexpr Flags any_case = upper_class | lower_class;
    for (Known const known : {Known{U'A', upper_class | letter_class},
                              Known{U'z', lower_class | letter_class},
                              Known{U'7', number_class},
                              Known{U' ', space_class},
                              Known{U'\n', space_class},
                              Known{U'/', symbol_class},
                              Known{U'\0', 0},
                              Known{0x1F, 0},
                              Known{0x85, space_class},
                              Known{0x01C5, upper_class | letter_class},  // Lt
                              Known{0x02B0, any_case | letter_class},
                              Known{0x0301, any_case | mark_class},  // Lm, Mn
                              Known{0x2167, number_class},
                              Known{0x4E2D, any_case | letter_class | han_class},  // Nl, Lo
                              Known{0xAC00, any_case | letter_class},
                              Known{0x1F600, symbol_class},
                              Known{0x1C89, upper_class | letter_class},
                              Known{0x10D4A, any_case | letter_class},  // the last two are new in Unicode 16
                              Known{0x20000, any_case | letter_class | han_class},
                              Known{0x323B0, 0},
                              Known{0xE0061, 0},
                              Known{0x10FFFF, 0}}) {
        if (table.flags_of(known.code) != known.flags) std::fprintf(stderr, "U+%04X: %u\n", static_cast<unsigned>(known.code), table.flags_of(known.code));
        CHECK(table.flags_of(known.code) == known.flags);
    }
}

// All beginnings of characters that are not yet whole.
const std::set<std::string>& beginnings() {
    static const std::set<std::string> all = [] {
        std::set<std::string> made;
        for (char32_t code = 0x80; code < 0x110000; ++code) {
            if (code >= 0xD800 && code <= 0xDFFF) continue;
            std::string bytes = utf8(code);
            // Which code it is decides nothing beyond its first bytes.
            for (bytes.pop_back(); !bytes.empty(); bytes.pop_back()) made.insert(bytes);
            code += code >= 0x800 ? 0x3F - (code & 0x3F) : 0;
        }
        return made;
    }();
    return all;
}

void any_bytes(Choices& choices) {
    static const std::vector<int> telling = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF,
                                             0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF};
    std::string text;
    for (std::size_t size = 1 + choices.below(8); size > 0; --size)
        text.push_back(static_cast<char>(choices.one_in(4) ? static_cast<int>(choices.below(256)) : choices.of(telling)));
    UnicodeTable const& table = UnicodeTable::instance();
    for (std::size_t place = 0; place < text.size(); ++place) {
        std::size_t const size = naive_character(text, place);
        Character const character = table.at(view(text).data, place, text.size());
        CHECK(character.size == size);
        bool const valid = size > 1 || static_cast<unsigned char>(text[place]) < 0x80;
        CHECK(valid ? utf8(character.code) == text.substr(place, size) : character.code == 0xFFFFFFFF && character.flags == 0);
    }
    std::size_t unfinished = 0;
    for (std::size_t size = 1; size <= 3 && size <= text.size(); ++size)
        if (beginnings().contains(text.substr(text.size() - size))) unfinished = size;
    if (unfinished_end(view(text)) != unfinished) {
        std::fprintf(stderr, "%s: %zu unfinished bytes, not %zu\n", hexadecimal(text).c_str(), unfinished_end(view(text)), unfinished);
        stop();
    }
}

}  // namespace

int main(int count, char** arguments) {
    every_code_point();
    known_classes();
    repeat(count, arguments, 50000, any_bytes);
    return 0;
}
