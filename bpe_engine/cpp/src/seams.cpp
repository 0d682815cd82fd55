#include "bpe/seams.hpp"

#include <bit>
#include <cstring>

namespace bpe {

Seams::Seams(Bytes tokens, std::span<const std::uint32_t> offsets) : held_((std::size_t{1} << bits) / 64) {
    auto const hold = [this](std::uint32_t window) {
        std::uint32_t const found = slot(window);
        held_[found >> 6] |= std::uint64_t{1} << (found & 63);
    };
    std::size_t token = 0;
    auto const look_at = [&](std::size_t place) {
        if (tokens[place] < first_lead) return;
        while (offsets[token + 1] <= place) ++token;
        std::size_t const start = offsets[token], end = offsets[token + 1];
        if (place == start || (tokens[place - 1] & 0xC0) != 0x80) return;
        bool const has_before = place - start >= 2, has_after = place + 1 < end;
        // Bytes that are not part of the token; `among` looks up no other values there.
        std::uint32_t const before_first = has_before ? tokens[place - 2] : 0x80, before_last = has_before ? tokens[place - 2] : 0xFF;
        std::uint32_t const after_first = has_after ? tokens[place + 1] : 0x80, after_last = has_after ? tokens[place + 1] : 0xBF;
        std::uint32_t const middle = std::uint32_t{tokens[place - 1]} << 8 | std::uint32_t{tokens[place]} << 16;
        for (std::uint32_t before = before_first; before <= before_last; ++before)
            for (std::uint32_t after = after_first; after <= after_last; ++after) hold(before | middle | after << 24);
    };
    std::size_t place = 0;
    std::uint64_t before = 0;
    for (std::uint64_t word; tokens.size - place >= sizeof(word); place += sizeof(word), before = word) {
        std::memcpy(&word, tokens.data + place, sizeof(word));
        // In most words there is no byte from 0xE3 on: 111, and a one in the next three bits, or ones in the last two. And none of them follows 10.
        std::uint64_t const from_e0 = word & word << 1 & word << 2, from_e3 = from_e0 & (word << 3 | word << 4 | word << 5 | (word << 6 & word << 7));
        std::uint64_t const shifted = word << 8 | before >> 56, after_continuation = shifted & ~(shifted << 1);
        for (std::uint64_t leads = from_e3 & after_continuation & 0x8080808080808080u; leads; leads &= leads - 1)
            look_at(place + static_cast<std::size_t>(std::countr_zero(leads)) / 8);
    }
    for (; place < tokens.size; ++place) look_at(place);
}

std::uint64_t Seams::among(const Byte* block, std::uint64_t places) const {
    std::uint64_t found = 0;
    for (std::uint64_t rest = places; rest; rest &= rest - 1) {
        auto const place = static_cast<unsigned>(std::countr_zero(rest));
        std::uint32_t window;
        std::memcpy(&window, block + place - 2, 4);
        std::uint32_t const at = slot(window);
        found |= (~held_[at >> 6] >> (at & 63) & 1) << place;
    }
    return found;
}

}  // namespace bpe
