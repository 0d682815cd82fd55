// Bytes at the growing side of a text, which is stored in the order in which it was added.
#pragma once

#include <vector>

#include "bpe/models/piece_model.hpp"
#include "bpe/unicode.hpp"

namespace bpe {

// The number of bytes at the growing side that may still become part of a character.
inline std::size_t unfinished_at(Side side, const std::vector<Byte>& text) {
    if (side == Side::right) return unfinished_end({text.data(), text.size()});
    std::size_t size = 0;
    while (size < 3 && size < text.size() && UnicodeTable::continues(text[text.size() - 1 - size])) ++size;
    return size;
}

// The bytes between two distances from the fixed side, in reading order.
inline std::vector<Byte> as_read(Side side, const std::vector<Byte>& text, std::size_t from, std::size_t to) {
    if (side == Side::right) return {text.begin() + static_cast<std::ptrdiff_t>(from), text.begin() + static_cast<std::ptrdiff_t>(to)};
    return {text.rend() - static_cast<std::ptrdiff_t>(to), text.rend() - static_cast<std::ptrdiff_t>(from)};
}

}  // namespace bpe
