#include "bpe/seams.hpp"

#include <bit>

#include "bpe/dictionary.hpp"

namespace bpe {

Seams::Seams(const Dictionary& dictionary) : Seams(dictionary.size(), [&](std::size_t token) { return dictionary.bytes(static_cast<Rank>(token)); }) {}

Seams::Seams(std::size_t count, const std::function<Bytes(std::size_t)>& bytes_of) : held_((std::size_t{1} << bits) / 64) {
    for (std::size_t token = 0; token < count; ++token) {
        Bytes const bytes = bytes_of(token);
        for (std::size_t place = 1; place < bytes.size; ++place) {
            if (bytes[place] < first_lead || (bytes[place - 1] & 0xC0) != 0x80) continue;
            bool const has_before = place >= 2, has_after = place + 1 < bytes.size;
            // Bytes that are not part of the token; `among` looks up no other values there.
            std::uint32_t const before_first = has_before ? bytes[place - 2] : 0x80, before_last = has_before ? bytes[place - 2] : 0xFF;
            std::uint32_t const after_first = has_after ? bytes[place + 1] : 0x80, after_last = has_after ? bytes[place + 1] : 0xBF;
            std::uint32_t const middle = std::uint32_t{bytes[place - 1]} << 8 | std::uint32_t{bytes[place]} << 16;
            for (std::uint32_t before = before_first; before <= before_last; ++before) {
                for (std::uint32_t after = after_first; after <= after_last; ++after) {
                    std::uint32_t const found = slot(before | middle | after << 24);
                    held_[found >> 6] |= std::uint64_t{1} << (found & 63);
                }
            }
        }
    }
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
