// Interface of an interval encoder for other compiled modules, without a Python call a slice: see growing_interface.hpp.
//
// `IntervalEncoder._interface()` is a capsule with an `IntervalInterface` in it, which keeps the encoder.
#pragma once

#include <cstddef>

extern "C" {

struct IntervalInterface {
    const void* encoder;
    // The tokens of text[start:end], by itself, in bytes. False where they cannot be counted.
    bool (*count)(const void* encoder, std::size_t start, std::size_t end, std::size_t* count);
    // From which end on the tokens of `before` and text[start:end] together are those of text[:end] and `shift` more: both have the same pre-tokens from some
    // place on. False where that is not soon known.
    bool (*agreement)(const void* encoder, const unsigned char* before, std::size_t size, std::size_t start, std::size_t* from, std::ptrdiff_t* shift);
    // Estimates of the other end of a slice of so many tokens: `reach` for one that begins at `start`, `reach_back` for one that ends at `end`.
    std::size_t (*reach)(const void* encoder, std::size_t start, std::size_t tokens);
    std::size_t (*reach_back)(const void* encoder, std::size_t end, std::size_t tokens);
};

}  // extern "C"

inline constexpr const char* interval_interface_name = "bpe_engine.IntervalInterface";
