#include "chunker/text_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "chunker/utf8.hpp"

namespace chunker {

namespace {

bool ends_line(unsigned char byte) { return byte >= '\n' && byte <= '\r'; }

// ASCII from here on ends no line.
constexpr unsigned char first_inner = 0x0E;
constexpr std::uint64_t each_byte = 0x0101010101010101;

// The first place from `place` on, or a few bytes before it, where a line may end or a character is not ASCII: eight bytes at a time.
std::size_t skip_inner(const unsigned char* text, std::size_t place, std::size_t size) {
    for (; place + 8 <= size; place += 8) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, text + place, 8);
        if (((bytes - each_byte * first_inner) | bytes) & each_byte * 0x80) break;
    }
    return place;
}

// Whether lines end with line feeds alone, and all is ASCII.
bool is_simple(const unsigned char* text, std::size_t size) {
    // Without an early end, which keeps compilers from looking at many bytes at once.
    unsigned char other = 0;
    for (std::size_t place = 0; place < size; ++place) {
        unsigned char const byte = text[place];
        other |= static_cast<unsigned char>(byte & 0x80) | static_cast<unsigned char>(static_cast<unsigned char>(byte - '\v') <= '\r' - '\v');
    }
    return other == 0;
}

void simple_rows(const unsigned char* text, std::size_t size, unsigned most, std::vector<TextRow>& rows) {
    unsigned blank = 0;
    for (std::size_t start = 0; start < size;) {
        auto const* const found = static_cast<const unsigned char*>(std::memchr(text + start, '\n', size - start));
        std::size_t const end = found ? static_cast<std::size_t>(found - text) : size;
        std::size_t place = start;
        while (place < end && (text[place] == ' ' || text[place] == '\t')) ++place;
        bool const nonblank = place < end;
        if (nonblank || start == 0) rows.push_back({start, blank});
        blank = nonblank ? 0 : std::min(blank + 1, most);
        start = end + 1;
    }
}

}  // namespace

std::vector<TextRow> text_rows(const unsigned char* text, std::size_t size, unsigned most) {
    std::vector<TextRow> rows;
    rows.reserve(size / 64 + 1);
    if (is_simple(text, size)) {
        simple_rows(text, size, most, rows);
        return rows;
    }
    std::size_t start = 0;  // of the line, in characters
    std::size_t wide = 0;   // bytes so far that begin no character
    unsigned blank = 0;     // lines directly above
    unsigned above = 0;     // the same, where a paragraph separator counts for one
    for (std::size_t place = 0; place < size;) {
        bool nonblank = false, separates = false, ended = false;
        while (place < size && !ended) {
            unsigned char byte = text[place];
            if (byte < 0x80) {
                if (nonblank && byte >= first_inner) place = skip_inner(text, place, size);
                if (place == size || text[place] >= 0x80) continue;
                byte = text[place++];
                ended = ends_line(byte);
                if (ended && byte == '\r' && place < size && text[place] == '\n') ++place;
                nonblank |= !ended && byte != ' ' && byte != '\t';
                continue;
            }
            std::size_t const length = std::min(character_size(byte), size - place);
            unsigned char const* const character = text + place;
            ended = (length == 2 && byte == 0xC2 && character[1] == 0x85) ||
                    (length == 3 && byte == 0xE2 && character[1] == 0x80 && (character[2] == 0xA8 || character[2] == 0xA9));
            separates = ended && length == 3 && character[2] == 0xA9;
            nonblank |= !is_wide_space(character, length);
            place += length;
            wide += length - 1;
        }
        if (nonblank || start == 0) rows.push_back({start, above});
        blank = nonblank ? 0 : std::min(blank + 1, most);
        above = separates ? std::max(blank, 1u) : blank;
        start = place - wide;
    }
    return rows;
}

}  // namespace chunker
