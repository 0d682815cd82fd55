// The little that the core's tests need: CHECK, and texts that look for trouble.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "bpe/types.hpp"

namespace bpe::test {

// Of the random choices that are being tried; 0: none.
std::uint64_t& current_seed();

[[noreturn]] void stop();

}  // namespace bpe::test

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
            bpe::test::stop();                                                             \
        }                                                                                  \
    } while (false)

namespace bpe::test {

inline Bytes view(const std::string& text) { return {reinterpret_cast<const Byte*>(text.data()), text.size()}; }

// What pre-tokenizers and UTF-8 trip over.
const std::vector<std::string>& fragments();

// A text of up to `most` fragments, some of them repeated.
std::string random_text(std::mt19937_64& random, std::size_t most);

}  // namespace bpe::test
