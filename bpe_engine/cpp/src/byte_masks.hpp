// The classes of 64 bytes as masks, computed with the widest vectors of the processor.
#pragma once

#include <vector>

#include "bpe/types.hpp"

namespace bpe {

// `blank` is U+0020 alone; `high` all bytes from 0x80 on; `wide` the first bytes of U+3000 and beyond.
struct ByteMasks {
    std::uint64_t upper = 0, lower = 0, digit = 0, space = 0, newline = 0, blank = 0, apostrophe = 0, slash = 0, high = 0, continuation = 0, wide = 0;
};

// Letters beyond ASCII; each byte of a character has its bit. `both` have no case; `han` have none, either.
struct LetterMasks {
    std::uint64_t upper = 0, lower = 0, both = 0, han = 0;

    std::uint64_t all() const { return upper | lower | both | han; }
};

// One way to compute them. All ways have the same results.
struct MaskedBytes {
    const char* name;
    // Of the 64 bytes from `block` on.
    void (*masks)(const Byte* block, ByteMasks& masks);
    // The letters of the first script beyond ASCII in the block, if that is one of those which whole ranges of bytes belong to: kana and Han, Hangul,
    // Cyrillic. Not all letters of it: rare ones, and a character that is cut at the end of the block, are left out. `masks` are those of the block.
    LetterMasks (*letters)(const Byte* block, const ByteMasks& masks);
};

// All ways that this processor can go, the fastest first.
std::vector<MaskedBytes> masked_bytes_here();

}  // namespace bpe
