// Sizes that the two growing encoders share.
#pragma once

#include "bpe/types.hpp"

namespace bpe::growing {

// Bytes. A tail up to this length is scanned, which is quicker than to look its runs up.
inline constexpr std::size_t long_tail = 512;
// Bytes. Up to this length a pre-token that grows is encoded anew, which is quicker than a table.
inline constexpr std::size_t short_piece = 64;

}  // namespace bpe::growing
