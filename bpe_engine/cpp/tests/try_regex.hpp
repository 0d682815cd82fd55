// One pattern on one text: all ways to find its matches find the same, what is settled stays, and the work is linear.
#pragma once

#include <string>

#include "choices.hpp"

namespace bpe::test {

// Does nothing where the pattern is not well formed or not supported.
void try_regex(const std::string& pattern, const std::string& text, const std::string& more);

// An expression of up to `most` parts.
std::string random_pattern(Choices& choices, std::size_t most);

}  // namespace bpe::test
