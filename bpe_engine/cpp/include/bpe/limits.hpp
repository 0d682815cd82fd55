// Counting with a limit: whether a text has more than a number of tokens, and how much of it fits.
#pragma once

#include <memory>
#include <optional>

#include "bpe/encoder.hpp"

namespace bpe {

// The number of tokens of `text`, or none if it is above `limit`. Stops reading soon after the limit.
std::optional<std::size_t> count_up_to(const Encoder& encoder, Bytes text, std::size_t limit);

// The size in bytes of the longest prefix (suffix) of `text`, of whole characters, whose own count is at most `most` tokens. Counts of growing
// prefixes go up and down, so a prefix that is too large proves nothing about longer ones, and a binary search can miss the longest: read until a
// lower bound for all longer texts is above the limit, then go back and check every offset.
std::size_t fitting_prefix(const std::shared_ptr<const Encoder>& encoder, Bytes text, std::size_t most);
std::size_t fitting_suffix(const std::shared_ptr<const Encoder>& encoder, Bytes text, std::size_t most);

}  // namespace bpe
