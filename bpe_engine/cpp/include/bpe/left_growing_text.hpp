// A text that grows to the left: the last bytes of a buffer that doubles when it is full. Prepending is amortized O(1) a byte, and a return to
// a shorter text costs nothing, because only its length changes, which the caller keeps.
//
//     buffer   ? ? ? ? w o r l d          length 5
//     prepend  ? h e l l o   w o r l d    length 11
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "bpe/types.hpp"

namespace bpe {

class LeftGrowingText {
public:
    // Puts `more` before the last `length` bytes, and drops the bytes that were before these.
    void prepend(Bytes more, std::size_t length) {
        std::size_t const grown = length + more.size;
        if (buffer_.size() < grown) {
            std::vector<Byte> larger(std::max<std::size_t>(grown * 2, 256));
            Bytes const old = last(length);
            if (old.size > 0) std::memcpy(larger.data() + larger.size() - old.size, old.data, old.size);
            buffer_ = std::move(larger);
        }
        if (more.size > 0) std::memcpy(buffer_.data() + buffer_.size() - grown, more.data, more.size);
    }

    // The last `length` bytes.
    Bytes last(std::size_t length) const { return {buffer_.data() + (buffer_.size() - length), length}; }

private:
    std::vector<Byte> buffer_;
};

}  // namespace bpe
