// The last tokens of the slice that was counted last, kept because the search for an overlap counts many slices with the same end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bpe {

// A slice text[start:end] with `start` <= `from` has `tokens` tokens, less those of the text before `start`.
struct SliceEnd {
    std::uint64_t encoder = 0;  // the number of the encoder that counted it, and no other's
    std::size_t end = 0, from = 0, tokens = 0;

    bool holds(std::uint64_t number, std::size_t start, std::size_t stop) const { return encoder == number && end == stop && start <= from; }

    static std::uint64_t next_number() {
        static std::atomic<std::uint64_t> last = 0;
        return ++last;
    }
};

}  // namespace bpe
