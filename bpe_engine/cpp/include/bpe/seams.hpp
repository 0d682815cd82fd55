// Seams: offsets inside a pre-token that no token of a vocabulary crosses, so that counts add up there.
//
//     自由软件基金会        one pre-token of 21 bytes, which hardly any other text has
//     自由|软件|基金|会      four units that occur in many texts: no token holds 由软, nor 件基, nor 金会
//
// Merging never joins neighbours that no token holds side by side. So runs of Chinese, Japanese and Korean are split nearly into words; in other
// scripts tokens cross most pairs of characters. The two bytes on either side decide whether an offset p is a seam:
//
//     window   [ text[p - 2], text[p - 1] | text[p], text[p + 1] ]  -> a bit of a table: some token may hold it
//
// A token that ends one byte after p, or starts one byte before it, counts for all windows that agree with it. The table may have the bit of a
// window that no token holds; then two units stay one.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

class Seams {
public:
    // The first byte of the characters before which there may be seams: U+3000 and beyond.
    static constexpr Byte first_lead = 0xE3;

    // Made for tokens whose bytes are one after the other: token i begins at `offsets[i]` and ends at `offsets[i + 1]`; one offset more than tokens.
    Seams(Bytes tokens, std::span<const std::uint32_t> offsets);

    // The seams among `places`, which are bits of a block of 64 bytes. Each is the place of such a first byte between two continuation bytes,
    // with another byte from 0x80 on before them, and all four bytes in the block.
    std::uint64_t among(const Byte* block, std::uint64_t places) const;

    // Whether `place`, which is the place of such a first byte, is a seam: two characters of three bytes or more meet there.
    bool is_at(const Byte* place) const {
        std::uint32_t window;
        std::memcpy(&window, place - 2, 4);
        std::uint32_t const at = slot(window);
        return !(held_[at >> 6] >> (at & 63) & 1);
    }

private:
    static constexpr unsigned bits = 18;

    static std::uint32_t slot(std::uint32_t window) { return window * 0x9E3779B1u >> (32 - bits); }

    std::vector<std::uint64_t> held_;  // a bit a slot
};

}  // namespace bpe
