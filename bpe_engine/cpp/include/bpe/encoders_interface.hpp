// The encoders of a tokenizer for other compiled modules, without a Python call at each step.
//
// `Tokenizer._interface()` is a capsule with an `EncodersInterface`, which keeps the engine alive. The interface is plain C, because the modules need not be
// linked together: errors are return values, and no exception crosses it. No function needs the GIL. Threads may share the engine, and an interval encoder,
// but not an encoder that grows.
#pragma once

#include <cstddef>

extern "C" {

// An appending or a prepending encoder.
struct GrowingInterface {
    void* encoder;
    void (*drop)(void* encoder);
    // Forget the text.
    void (*restart)(void* encoder);
    // Add whole characters of UTF-8 at the growing side; `count` is then the count of the text. Returns false, and adds nothing, if the text cannot be encoded.
    bool (*grow)(void* encoder, const unsigned char* text, std::size_t size, std::size_t* count);
    // Store the current state instead of the one stored before, until `restart`; go back to it from a text that has grown since.
    void (*keep)(void* encoder);
    void (*go_back)(void* encoder);
};

// An interval encoder of a text, which has to stay where it is. Offsets are bytes.
struct IntervalInterface {
    void* encoder;
    void (*drop)(void* encoder);
    // Count the tokens of text[start:end] by itself. Returns false if they cannot be counted.
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

struct EncodersInterface {
    const void* engine;
    // Whether a text has at most `limit` tokens; `count` is then its count. False, too, if the text cannot be counted.
    bool (*fits)(const void* engine, const unsigned char* text, std::size_t size, std::size_t limit, std::size_t* count);
    // Make an encoder, which the caller drops: one of an empty text that grows to the right, one to the left, one of a text. Returns false if it cannot be
    // made, as of a text that cannot be encoded.
    bool (*appending)(const void* engine, GrowingInterface* made);
    bool (*prepending)(const void* engine, GrowingInterface* made);
    bool (*intervals)(const void* engine, const unsigned char* text, std::size_t size, IntervalInterface* made);
};

}  // extern "C"

inline constexpr const char* encoders_interface_name = "bpe_engine.EncodersInterface";
