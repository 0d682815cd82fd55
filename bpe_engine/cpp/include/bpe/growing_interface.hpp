// Interface of an appending or a prepending encoder for other compiled modules, without a Python call a step.
//
// `AppendingEncoder._interface()` is a capsule with a `GrowingInterface` in it, which keeps the encoder. Plain C, for the two modules
// need not be linked together: an error is a return value, and no exception passes. The caller holds the GIL.
#pragma once

#include <cstddef>

extern "C" {

struct GrowingInterface {
    void* encoder;
    // Forget the text, and all marks but those of no text.
    void (*restart)(void* encoder);
    // Add whole characters of UTF-8 at the growing side; `count` is that of the text then. False, and nothing added, where that cannot be.
    bool (*grow)(void* encoder, const unsigned char* text, std::size_t size, std::size_t* count);
    // Whether a text by itself has at most `limit` tokens: `count` then. False, too, where it cannot be counted.
    bool (*fits)(void* encoder, const unsigned char* text, std::size_t size, std::size_t limit, std::size_t* count);
    // Remember this state in place of the one before, until `restart`; go back to it, from whatever has grown since.
    void (*keep)(void* encoder);
    void (*go_back)(void* encoder);
};

}  // extern "C"

inline constexpr const char* growing_interface_name = "bpe_engine.GrowingInterface";
