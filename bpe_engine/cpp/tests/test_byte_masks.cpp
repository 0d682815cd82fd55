// The masks of 64 bytes: each way that this processor can go tells of each byte what it is, and of letters beyond ASCII what Unicode says.
#include "byte_masks.hpp"

#include <array>
#include <vector>

#include "bpe/unicode.hpp"
#include "choices.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

void try_block(const Byte* block) {
    for (MaskedBytes const& implementation : masked_bytes_here()) {
        ByteMasks masks;
        std::memset(static_cast<void*>(&masks), 0xAA, sizeof masks);  // what was there does not stay
        implementation.masks(block, masks);
        for (int index = 0; index < 64; ++index) {
            Byte const byte = block[index];
            auto const is = [&](std::uint64_t mask) -> bool { return mask >> index & 1; };
            bool const newline = byte == '\n' || byte == '\r', space = newline || byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f';
            bool const same = is(masks.upper) == (byte >= 'A' && byte <= 'Z') && is(masks.lower) == (byte >= 'a' && byte <= 'z') &&
                              is(masks.digit) == (byte >= '0' && byte <= '9') && is(masks.space) == space && is(masks.newline) == newline &&
                              is(masks.blank) == (byte == ' ') && is(masks.apostrophe) == (byte == '\'') && is(masks.slash) == (byte == '/') &&
                              is(masks.high) == (byte > 127) && is(masks.continuation) == (byte > 127 && byte < 192) && is(masks.wide) == (byte >= 0xE3);
            if (same) continue;
            std::fprintf(stderr, "%s: byte %02x at %d\n", implementation.name, byte, index);
            stop();
        }
    }
}

// All ways find the same letters. Returns them.
LetterMasks letters_in(const Byte* block) {
    std::vector<LetterMasks> found;
    for (MaskedBytes const& implementation : masked_bytes_here()) {
        ByteMasks masks;
        implementation.masks(block, masks);
        LetterMasks const letters = implementation.letters(block, masks);
        LetterMasks const &first = found.emplace_back(letters), &here = found.front();
        CHECK(first.upper == here.upper && first.lower == here.lower && first.both == here.both && first.han == here.han);
    }
    return found.front();
}

// Letters are whole characters, and of the class that Unicode gives them.
void try_letters(const Byte* block) {
    LetterMasks const letters = letters_in(block);
    UnicodeTable const& table = UnicodeTable::instance();
    CHECK((letters.upper & letters.lower) == 0 && ((letters.upper | letters.lower) & letters.both) == 0);
    CHECK(((letters.upper | letters.lower | letters.both) & letters.han) == 0);
    for (std::size_t index = 0; index < 64;) {
        if (!(letters.all() >> index & 1)) {
            ++index;
            continue;
        }
        Character const character = table.beyond_ascii(block + index, 64 - index);
        CHECK(character.code != 0xFFFFFFFF);
        Flags const cased = character.flags & (upper_class | lower_class);
        for (std::size_t const end = index + character.size; index < end; ++index) {
            auto const is = [&](std::uint64_t mask) -> bool { return mask >> index & 1; };
            CHECK(character.flags & letter_class && !(character.flags & (space_class | number_class)));
            CHECK(is(letters.han) == ((character.flags & han_class) != 0));
            CHECK(is(letters.upper) == (cased == upper_class) && is(letters.lower) == (cased == lower_class));
            CHECK(is(letters.all()));
        }
    }
}

// The characters of a script fill a block, whatever stands before it: all of them are found.
void finds_all(const char* text) {
    Byte block[64] = {};
    std::size_t const size = std::strlen(text);
    std::memcpy(block, text, size);
    CHECK(letters_in(block).all() == (std::uint64_t{1} << size) - 1);
}

}  // namespace

int main(int count, char** arguments) {
    CHECK(!masked_bytes_here().empty());
    for (MaskedBytes const& implementation : masked_bytes_here()) std::printf("%s\n", implementation.name);
    Byte block[64 + 64];
    // Each value at each place.
    for (int value = 0; value < 256; ++value) {
        for (int index = 0; index < 64; ++index) block[index] = static_cast<Byte>(value + index);
        try_block(block);
    }
    finds_all("\u3072\u3089\u304C\u306A\u30AB\u30BF\u30AB\u30CA\u30FC\u6F22\u5B57\u4E2D\u9FA0");
    finds_all("\uAC00\uB098\uB2E4\uD55C\uAE00\uC5B4");
    finds_all("\u041F\u0440\u0438\u0432\u0435\u0442\u0401\u0451");
    // Each character of the planes that Unicode 16 has letters in, between others of its script, at any offset and cut off at the end.
    for (std::uint32_t code = 0x80; code < 0x10000; ++code) {
        if (code >= 0xD800 && code < 0xE000) continue;
        std::array<Byte, 3> bytes{static_cast<Byte>(0xE0 | code >> 12), static_cast<Byte>(0x80 | (code >> 6 & 0x3F)), static_cast<Byte>(0x80 | (code & 0x3F))};
        std::size_t const size = code < 0x800 ? 2 : 3;
        if (size == 2) bytes = {static_cast<Byte>(0xC0 | code >> 6), static_cast<Byte>(0x80 | (code & 0x3F)), 0};
        for (std::size_t const offset : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
            std::memset(block, 'a', sizeof block);
            for (std::size_t index = offset; index < 64; index += size) std::memcpy(block + index, bytes.data(), size);
            try_letters(block);
        }
    }
    repeat(count, arguments, 500, [&](Choices& choices) {
        static const char* const parts[] = {"\u3072", "\u30AB", "\u30FB",   "\u3040", "\u3097", "\u309B", "\u6F22",    "\u4DC0",
                                            "\u3400", "\uAC00", "\uD7A3",   "\uD7B0", "\u041F", "\u0440", "\u0460",    "\u0482",
                                            "\xE3",   "\x81",   "\xE5\xA0", "\xD0",   "a",      " ",      "\U00020000"};
        std::string text;
        while (text.size() < 64) text += parts[choices.below(std::size(parts))];
        try_letters(reinterpret_cast<const Byte*>(text.data()));
    });
    repeat(count, arguments, 500, [&](Choices& choices) {
        for (Byte& byte : block) byte = static_cast<Byte>(choices.below(256));
        try_block(block + choices.below(64));  // at any alignment
    });
    return 0;
}
