// Interface of an interval encoder for other compiled modules, without a Python call for each slice: see growing_interface.hpp.
//
// `IntervalEncoder._interface()` is a capsule with an `IntervalInterface`, which keeps the encoder alive.
#pragma once

#include <cstddef>

extern "C" {

struct IntervalInterface {
    const void* encoder;
    // Count the tokens of text[start:end] by itself; offsets are bytes. Returns false if they cannot be counted.
    bool (*count)(const void* encoder, std::size_t start, std::size_t end, std::size_t* count);
    // Find the end from which `before` + text[start:end] has `shift` more tokens than text[:end], because both have the same pre-tokens from some offset on.
    // Returns false if it is not found soon.
    bool (*agreement)(const void* encoder, const unsigned char* before, std::size_t size, std::size_t start, std::size_t* from, std::ptrdiff_t* shift);
    // Whether the count of any text that ends with a line feed can be added to the counts of slices from `start` on. It holds from the end on that `agreement`
    // finds without a text before.
    bool (*begins_after_line)(const void* encoder, std::size_t start);
    // Estimate the other end of a slice with a number of tokens: `reach` for a slice that starts at `start`, `reach_back` for one that ends at `end`. No
    // shorter slice has many more tokens: not even one that ends inside a word, where WordPiece knows the beginning of the word but not all of it.
    std::size_t (*reach)(const void* encoder, std::size_t start, std::size_t tokens);
    std::size_t (*reach_back)(const void* encoder, std::size_t end, std::size_t tokens);
};

}  // extern "C"

inline constexpr const char* interval_interface_name = "bpe_engine.IntervalInterface";
