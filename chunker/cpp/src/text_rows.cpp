#include "chunker/text_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "chunker/constants.hpp"
#include "chunker/formats/text.hpp"
#include "chunker/utf8.hpp"

namespace chunker {

namespace {

constexpr unsigned most_blank = plain_text::most_blank;

bool ends_line(unsigned char byte) { return byte >= '\n' && byte <= '\r'; }

// Whether a line may end with a character that begins with this byte.
bool may_end_line(unsigned char byte) { return ends_line(byte) || byte == 0xC2 || byte == 0xE2; }

// The first place from `place` on where a line may end; `size` if there is none.
std::size_t skip_inner(const unsigned char* text, std::size_t place, std::size_t size) {
    // Eight bytes at a time: a word of which a byte is marked has such a byte.
    constexpr std::uint64_t ones = ~std::uint64_t{0} / 255, tops = ones * 0x80, lows = ones * 0x7F;
    auto const zero = [](std::uint64_t word) { return (word - ones) & ~word & tops; };
    for (; place + 8 <= size; place += 8) {
        std::uint64_t word;
        std::memcpy(&word, text + place, 8);
        std::uint64_t const low = word & lows;
        std::uint64_t const line_end = (low + ones * (0x80 - '\n')) & ~(low + ones * (0x7F - '\r')) & ~word & tops;
        if (line_end | zero(word ^ ones * 0xC2) | zero(word ^ ones * 0xE2)) break;
    }
    while (place < size && !may_end_line(text[place])) ++place;
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

void simple_rows(const unsigned char* text, std::size_t size, std::vector<TextRow>& rows) {
    unsigned blank = 0;
    for (std::size_t start = 0; start < size;) {
        auto const* const found = static_cast<const unsigned char*>(std::memchr(text + start, '\n', size - start));
        std::size_t const end = found ? static_cast<std::size_t>(found - text) : size;
        std::size_t place = start;
        while (place < end && (text[place] == ' ' || text[place] == '\t')) ++place;
        bool const nonblank = place < end;
        if (nonblank || start == 0) rows.push_back({start, blank});
        blank = nonblank ? 0 : std::min(blank + 1, most_blank);
        start = end + 1;
    }
}

}  // namespace

std::vector<TextRow> text_rows(const unsigned char* text, std::size_t size) {
    std::vector<TextRow> rows;
    rows.reserve(size / 64 + 1);
    if (is_simple(text, size)) {
        simple_rows(text, size, rows);
        return rows;
    }
    std::size_t start = 0;  // of the line, in characters
    std::size_t wide = 0;   // bytes so far that begin no character
    unsigned blank = 0;     // lines directly above
    unsigned above = 0;     // the same, where a paragraph separator counts for one
    for (std::size_t place = 0; place < size;) {
        bool nonblank = false, separates = false, ended = false;
        while (place < size && !ended) {
            if (nonblank && !may_end_line(text[place])) {
                std::size_t const from = place;
                place = skip_inner(text, place, size);
                wide += count_bytes(text + from, place - from, continues);
                continue;
            }
            unsigned char const byte = text[place];
            if (byte < 0x80) {
                ++place;
                ended = ends_line(byte);
                if (ended && byte == '\r' && place < size && text[place] == '\n') ++place;
                nonblank |= !ended && byte != ' ' && byte != '\t';
                continue;
            }
            std::size_t const length = std::min(character_size(byte), size - place);
            char32_t const character = decoded(text + place, length);
            separates = character == 0x2029;
            ended = separates || character == 0x85 || character == 0x2028;
            nonblank |= !formats::is_space(character);
            place += length;
            wide += length - 1;
        }
        if (nonblank || start == 0) rows.push_back({start, above});
        blank = nonblank ? 0 : std::min(blank + 1, most_blank);
        above = separates ? std::max(blank, 1u) : blank;
        start = place - wide;
    }
    return rows;
}

}  // namespace chunker
