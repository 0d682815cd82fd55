// Bits of a word.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bpe {

// The number of bits that are set, inline: without the instruction for it, which the oldest processors of x86-64 lack, std::popcount is a call.
constexpr std::size_t ones(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    return ((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F) * 0x0101010101010101 >> 56;
}

}  // namespace bpe
