// The offset from which a slice and the whole text have the same pre-tokens.
#pragma once

#include <cstddef>

namespace bpe {

// From the end `from` on, the counts of a slice and of the whole text differ by a constant: with nothing before the slice, count(start, end) ==
// count(0, end) + shift for each end from `from` on.
struct Agreement {
    std::size_t from;
    std::ptrdiff_t shift;
};

}  // namespace bpe
