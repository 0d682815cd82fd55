// Training against its definition, and counting in blocks and threads against the pre-tokens of the whole text.
#pragma once

#include "choices.hpp"

namespace bpe::test {

// Words of a few symbols: the merges are those of counting all pairs anew before each.
void try_training(Choices& choices);

// A text: however it is cut into blocks, and over however many threads, its pre-tokens are counted as they are found in one go.
void try_counting(Choices& choices);

}  // namespace bpe::test
