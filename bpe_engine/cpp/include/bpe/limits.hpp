// Questions with a limit: is it more than so many tokens, and how much of the text fits?
#pragma once

#include <memory>
#include <optional>

#include "bpe/encoder.hpp"

namespace bpe {

// The number of tokens of `text`, nothing if it is above `limit`. Stops reading soon after the limit.
std::optional<std::size_t> count_up_to(const Encoder& encoder, Bytes text, std::size_t limit);

// How many bytes from the start (or up to the end) of `text` make the longest prefix (suffix) of whole characters whose own count is at
// most `most` tokens. Counts of growing prefixes go up and down, so the first that is too large proves nothing, and a binary search can
// miss: read on until a lower bound for all that may come is above the limit, then go back and look at every place.
std::size_t fitting_prefix(const std::shared_ptr<const Encoder>& encoder, Bytes text, std::size_t most);
std::size_t fitting_suffix(const std::shared_ptr<const Encoder>& encoder, Bytes text, std::size_t most);

}  // namespace bpe
