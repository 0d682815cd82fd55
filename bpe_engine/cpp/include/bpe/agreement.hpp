// The place from which on a slice and the whole text have the same pre-tokens.
#pragma once

#include <cstddef>

namespace bpe {

// From which end on a slice, after what stands before it, grows by the tokens of the whole text: with nothing before it, count(start, end) == count(0, end) +
// shift for each end from `from` on.
struct Agreement {
    std::size_t from;
    std::ptrdiff_t shift;
};

}  // namespace bpe
