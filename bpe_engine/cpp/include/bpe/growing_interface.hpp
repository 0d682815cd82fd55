// Interface of an appending or a prepending encoder for other compiled modules, without a Python call at each step.
//
// `AppendingEncoder._interface()` is a capsule with a `GrowingInterface`, which keeps the encoder alive. The interface is plain C, because the
// modules need not be linked together: errors are return values, and no exception crosses it. The caller holds the GIL.
#pragma once

#include <cstddef>

extern "C" {

struct GrowingInterface {
    void* encoder;
    // Forget the text, and all marks except those of the empty text.
    void (*restart)(void* encoder);
    // Add whole characters of UTF-8 at the growing side; `count` is then the count of the text. Returns false, and adds nothing, if the text cannot be encoded.
    bool (*grow)(void* encoder, const unsigned char* text, std::size_t size, std::size_t* count);
    // Whether a text by itself has at most `limit` tokens; `count` is then its count. False, too, if the text cannot be counted.
    bool (*fits)(void* encoder, const unsigned char* text, std::size_t size, std::size_t limit, std::size_t* count);
    // Store the current state instead of the one stored before, until `restart`; go back to it from a text that has grown since.
    void (*keep)(void* encoder);
    void (*go_back)(void* encoder);
};

}  // extern "C"

inline constexpr const char* growing_interface_name = "bpe_engine.GrowingInterface";
