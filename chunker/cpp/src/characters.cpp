#include "chunker/characters.hpp"

#include <algorithm>

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

}  // namespace

Text::Text(const unsigned char* data, std::size_t bytes) : data_(data) {
    auto const wide = static_cast<std::size_t>(std::count_if(data, data + bytes, continues));
    characters_.reserve(bytes - wide);
    if (wide == 0) {
        characters_.assign(data, data + bytes);
        return;
    }
    places_.reserve((bytes - wide) / stride + 1);
    for (std::size_t at = 0; at < bytes;) {
        if (characters_.size() % stride == 0) places_.push_back(at);
        unsigned char const first = data[at];
        std::size_t const size = std::min(character_size(first), bytes - at);
        char32_t character = size == 1 ? first : first & (0x7Fu >> size);
        for (std::size_t next = 1; next < size; ++next) character = character << 6 | (data[at + next] & 0x3Fu);
        characters_.push_back(character);
        at += size;
    }
    if (characters_.size() % stride == 0) places_.push_back(bytes);
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
