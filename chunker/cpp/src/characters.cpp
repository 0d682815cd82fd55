#include "chunker/characters.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "chunker/formats/text.hpp"
#include "chunker/utf8.hpp"

namespace chunker {

Text::Text(const unsigned char* data, std::size_t bytes)
    : data_(data),
      bytes_(bytes),
      size_(bytes - count_bytes(data, bytes, continues)),
      characters_(std::make_unique_for_overwrite<char32_t[]>(size_)),
      is_decoded_(size_ / decoded_at_once + 1) {
    if (size_ == bytes) return;
    places_ = std::make_unique_for_overwrite<std::uint16_t[]>(size_ + 1);
    std::size_t at = 0;
    for (std::size_t offset = 0; offset < size_; offset += block) {
        bases_.push_back(at);
        at = find_places(at, offset, std::min(size_, offset + block));
    }
    if (size_ % block == 0) bases_.push_back(bytes);
    places_[size_] = static_cast<std::uint16_t>(bytes - bases_.back());
    continuing_.reserve(bytes / counted_at_once + 1);
    std::size_t continuing = 0;
    for (std::size_t start = 0; start <= bytes; start += counted_at_once) {
        continuing_.push_back(continuing);
        continuing += count_bytes(data + start, std::min(counted_at_once, bytes - start), continues);
    }
}

// Finds the places of a block whose first character begins at byte `at`; the byte after them.
std::size_t Text::find_places(std::size_t at, std::size_t offset, std::size_t end) {
    std::size_t const base = at;
    std::uint16_t* const places = places_.get();
    while (offset < end) {
        // Eight characters of one byte each at once.
        for (std::uint64_t word; end - offset >= sizeof(word); at += sizeof(word), offset += sizeof(word)) {
            std::memcpy(&word, data_ + at, sizeof(word));
            if (word & 0x8080808080808080u) break;
            for (std::size_t next = 0; next < sizeof(word); ++next) places[offset + next] = static_cast<std::uint16_t>(at - base + next);
        }
        // Those up to the next of one byte after one of several.
        for (bool was_wide = false; offset < end;) {
            for (; offset < end && data_[at] >= 0xE0 && data_[at] < 0xF0; at += 3, was_wide = true) places[offset++] = static_cast<std::uint16_t>(at - base);
            if (offset == end) break;
            std::size_t const width = character_size(data_[at]);
            places[offset++] = static_cast<std::uint16_t>(at - base);
            at += width;
            if (was_wide && width == 1) break;
            was_wide = width > 1;
        }
    }
    return at;
}

void Text::decode(std::size_t number) const {
    std::size_t offset = number * decoded_at_once;
    std::size_t const end = std::min(size_, offset + decoded_at_once);
    char32_t* const characters = characters_.get();
    const unsigned char* next = data_ + place(offset);
    if (!places_) std::copy_n(next, end - offset, characters + offset);
    else
        while (offset < end) {
            // Characters of three bytes come in runs, and so do those of one.
            for (; offset < end && *next >= 0xE0 && *next < 0xF0; next += 3) characters[offset++] = decoded(next, 3);
            for (; offset < end && *next < 0x80; ++next) characters[offset++] = *next;
            if (offset == end) break;
            std::size_t const width = character_size(*next);
            characters[offset++] = decoded(next, width);
            next += width;
        }
    is_decoded_[number] = true;
}

std::size_t Text::offset_at(std::size_t place) const {
    if (!places_) return place;
    std::size_t const number = place / counted_at_once, start = number * counted_at_once, end = std::min(place + 1, bytes_);
    return place - continuing_[number] - count_bytes(data_ + start, end - start, continues);
}

std::size_t Text::stripped(std::size_t start, std::size_t end) const {
    while (end > start && formats::is_space((*this)[end - 1])) --end;
    return end;
}

std::size_t Text::line_feed(std::size_t start, std::size_t end) const {
    while (start < end && (*this)[start] != '\n') ++start;
    return start;
}

}  // namespace chunker
