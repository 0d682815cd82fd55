// Questions with a limit, against the count of every prefix and every suffix.
#pragma once

#include "vocabularies.hpp"

namespace bpe::test {

void try_limits(Choices& choices);

}  // namespace bpe::test
