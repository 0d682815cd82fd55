// The ends of the units of an outline.
#pragma once

#include <cstdint>
#include <vector>

namespace chunker {

// For each boundary the offset of the next stronger one, `end` where there is none. Offsets ascend; linear.
//
//     offsets 0 3 5 7, strengths 9 2 1 2, end 8   ->   8 8 7 8
std::vector<std::int64_t> enclosing_ends(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& strengths, std::int64_t end);

}  // namespace chunker
