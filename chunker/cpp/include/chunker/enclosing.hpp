// The nearest stronger boundaries around each boundary of an outline: where the unit begins and ends that a cut there breaks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chunker {

// For each index the nearest stronger one before it; 0 where there is none. Linear.
//
//     strengths 9 2 1 2 3   ->   0 0 1 0 0
std::vector<std::size_t> stronger_before(const std::vector<std::int64_t>& strengths);

// For each index the nearest stronger one after it; their number where there is none. Linear.
//
//     strengths 9 2 1 2 3   ->   5 4 3 4 5
std::vector<std::size_t> stronger_after(const std::vector<std::int64_t>& strengths);

}  // namespace chunker
