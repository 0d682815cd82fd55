// Explicit tokens in a growing text.
//
//     text      "You are a helper.<|im_end|>\nHi"
//     spans      You are a helper.|          |\nHi       each is encoded by itself
//     ids        2610 525 264 ...  | 151645  | 198 13048
//
// An explicit token ends a span: no merge crosses its two ends, and the text after it is encoded as a new text.
#pragma once

#include <cstdint>
#include <vector>

#include "bpe/shared_items.hpp"
#include "bpe/types.hpp"

namespace bpe {

// Offsets in bytes.
struct ExplicitToken {
    std::size_t start = 0, end = 0;
    std::uint32_t id = 0;
    bool operator==(const ExplicitToken&) const = default;
};

class ExplicitTokens {
public:
    std::size_t size() const { return tokens_.size(); }
    ExplicitToken operator[](std::size_t number) const {
        Kept const& token = tokens_[number];
        return {token.start, token.start + token.size, token.id};
    }
    void push(ExplicitToken token) { tokens_.push_back({token.start, static_cast<std::uint32_t>(token.end - token.start), token.id}); }
    void truncate(std::size_t size) { tokens_.truncate(size); }
    // The offset where the first `size` tokens end; 0 for none.
    std::size_t end_of(std::size_t size) const { return size == 0 ? 0 : (*this)[size - 1].end; }

private:
    // 32-bit offsets take two thirds of the size, and a conversation has some explicit tokens in each message.
    struct Kept {
        std::size_t start;
        std::uint32_t size, id;
    };
    SharedItems<Kept> tokens_;
};

}  // namespace bpe
