// A tokenizer file, mostly damaged: it is read or refused, and what is read holds together.
#pragma once

#include <string>

#include "choices.hpp"

namespace bpe::test {

// Whatever the bytes are, with each of the readers.
void try_file(const std::string& data);

// A file that one of the readers takes, with a few places overwritten, left out or repeated.
std::string random_file(Choices& choices);

}  // namespace bpe::test
