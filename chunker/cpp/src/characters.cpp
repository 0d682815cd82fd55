#include "chunker/characters.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "chunker/utf8.hpp"

namespace chunker {

namespace {

constexpr std::size_t stride = 4;

std::size_t width(char32_t character) { return 1u + (character >= 0x80) + (character >= 0x800) + (character >= 0x10000); }

bool is_space(char32_t character) {
    if (character < 0x80) return character == ' ' || (character >= 0x09 && character <= 0x0D) || (character >= 0x1C && character <= 0x1F);
    return character == 0x85 || character == 0xA0 || character == 0x1680 || (character >= 0x2000 && character <= 0x200A) || character == 0x2028 ||
           character == 0x2029 || character == 0x202F || character == 0x205F || character == 0x3000;
}

char32_t decoded(const unsigned char* character, std::size_t size) {
    auto const rest = [&](std::size_t number) -> char32_t { return character[number] & 0x3Fu; };
    if (size == 1) return character[0];
    if (size == 2) return (character[0] & 0x1Fu) << 6 | rest(1);
    if (size == 3) return (character[0] & 0x0Fu) << 12 | rest(1) << 6 | rest(2);
    return (character[0] & 0x07u) << 18 | rest(1) << 12 | rest(2) << 6 | rest(3);
}

}  // namespace

Text::Text(const unsigned char* data, std::size_t bytes) : data_(data) {
    if (is_ascii(data, bytes)) {
        characters_.assign(data, data + bytes);
        return;
    }
    std::size_t const size = bytes - count_bytes(data, bytes, continues);
    characters_.resize(size);
    places_.resize(size / stride + 1);
    std::size_t at = 0, offset = 0;
    while (at < bytes) {
        // Twice a stride of characters of one byte each.
        for (std::uint64_t word; bytes - at >= sizeof(word); at += sizeof(word), offset += sizeof(word)) {
            std::memcpy(&word, data + at, sizeof(word));
            if (word & 0x8080808080808080u) break;
            std::copy_n(data + at, sizeof(word), characters_.begin() + static_cast<std::ptrdiff_t>(offset));
            std::size_t const skipped = (stride - offset % stride) % stride, multiple = (offset + skipped) / stride;
            places_[multiple] = at + skipped;
            places_[multiple + 1] = at + skipped + stride;
        }
        // Those up to the next of one byte after one of several.
        for (bool was_wide = false; at < bytes;) {
            if (offset % stride == 0) places_[offset / stride] = at;
            std::size_t const width = std::min(character_size(data[at]), bytes - at);
            characters_[offset++] = decoded(data + at, width);
            at += width;
            if (was_wide && width == 1) break;
            was_wide = width > 1;
        }
    }
    if (size % stride == 0) places_[size / stride] = bytes;
}

std::size_t Text::place(std::size_t offset) const {
    if (places_.empty()) return offset;
    std::size_t place = places_[offset / stride];
    for (std::size_t at = offset - offset % stride; at < offset; ++at) place += width(characters_[at]);
    return place;
}

std::size_t Text::offset_at(std::size_t place) const {
    if (places_.empty()) return place;
    auto const next = std::upper_bound(places_.begin(), places_.end(), place);
    std::size_t offset = static_cast<std::size_t>(next - places_.begin() - 1) * stride;
    std::size_t end = *(next - 1);
    while (offset < size() && (end += width(characters_[offset])) <= place) ++offset;
    return offset;
}

std::size_t Text::stripped(std::size_t start, std::size_t end) const {
    while (end > start && is_space(characters_[end - 1])) --end;
    return end;
}

std::size_t Text::line_feed(std::size_t start, std::size_t end) const {
    auto const first = characters_.begin() + static_cast<std::ptrdiff_t>(start), last = characters_.begin() + static_cast<std::ptrdiff_t>(end);
    return static_cast<std::size_t>(std::find(first, last, U'\n') - characters_.begin());
}

}  // namespace chunker
