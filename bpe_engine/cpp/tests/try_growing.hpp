// A random program for a growing encoder: grow, remember a state, return to one. After each step the count is that of the text, counted
// afresh, and no lower bound given before is above it.
#pragma once

#include "bpe/appending.hpp"
#include "bpe/prepending.hpp"
#include "vocabularies.hpp"

namespace bpe::test {

// For AppendingEncoder and PrependingEncoder.
template <class Core>
void try_growing(Choices& choices);

}  // namespace bpe::test
