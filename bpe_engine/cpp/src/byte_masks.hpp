// The classes of 64 bytes as masks, by the widest vectors that the processor has.
#pragma once

#include <vector>

#include "bpe/types.hpp"

namespace bpe {

struct ByteMasks {
    std::uint64_t upper, lower, digit, space, newline, blank, apostrophe, slash, high, continuation, wide;
};

// `block` has 64 bytes. `blank` is U+0020 alone; `high` all bytes from 0x80 on; `wide` the first
// bytes of U+3000 and beyond.
using ByteMasksOf = void (*)(const Byte* block, ByteMasks& masks);

struct NamedByteMasks {
    const char* name;
    ByteMasksOf masks;
};

// All that this processor can run, the quickest first. They say the same.
std::vector<NamedByteMasks> byte_masks_here();

// The quickest of them.
ByteMasksOf byte_masks_for_this_processor();

}  // namespace bpe
