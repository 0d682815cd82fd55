// The slices of a random text: each has the count that it has by itself.
#pragma once

#include "vocabularies.hpp"

namespace bpe::test {

void try_interval(Choices& choices);

}  // namespace bpe::test
