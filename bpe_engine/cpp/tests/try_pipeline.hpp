// Pipelines of all kinds against themselves: growing texts and slices have the counts of fresh ones.
#pragma once

#include "choices.hpp"

namespace bpe::test {

void try_pipeline(Choices& choices);

}  // namespace bpe::test
