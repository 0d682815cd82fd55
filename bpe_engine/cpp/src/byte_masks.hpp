// The classes of 64 bytes as masks, computed with the widest vectors of the processor.
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

// All implementations that this processor can run, the fastest first. Their results are the same.
std::vector<NamedByteMasks> byte_masks_here();

// The fastest of them.
ByteMasksOf byte_masks_for_this_processor();

}  // namespace bpe
