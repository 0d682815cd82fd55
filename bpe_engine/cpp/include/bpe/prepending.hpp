// A text that grows to the left, and its number of tokens after every step.
//
// The first pre-token from an offset on depends only on the text after that offset. So the count from an offset on is the count of its first
// pre-token plus the count of the text after that pre-token, and both stay true whatever is prepended:
//
//     total(place) = count(first pre-token at place) + total(its end)
//
// Prepending follows this chain from the new start until it reaches an offset whose total is known, usually after one or two pre-tokens. Even a
// shift of phase ("123 456" -> "012 345 6") visits each offset only once, because totals are kept. Offsets are distances from the end of the text.
#pragma once

#include <memory>
#include <vector>

#include "bpe/encoder.hpp"
#include "bpe/left_growing_text.hpp"
#include "bpe/open_pieces.hpp"
#include "bpe/run_index.hpp"

namespace bpe {

class PrependingEncoder {
public:
    // In bytes; `settled` is the distance of the end of the first pre-token from the end of the text.
    struct State {
        std::size_t length = 0, settled = 0, count = 0;
    };

    explicit PrependingEncoder(std::shared_ptr<const Encoder> encoder);

    std::size_t count() const { return state_.count; }
    Bytes text() const { return from(state_.length); }
    const Encoder& encoder() const { return *encoder_; }

    // A lower bound for the count of this text and of every text that ends with it.
    std::size_t fewest();

    // Amortized time proportional to `more`. Throws EncodingError, and adds nothing, if a byte is in no token.
    void prepend(Bytes more);

    const State& state() const { return state_; }
    void return_to(const State& state);

private:
    // A first pre-token, by the distances of its start and end.
    struct Link {
        std::size_t start, end;
    };
    static constexpr std::uint32_t unknown = 0xFFFFFFFF;

    // The text from an offset on.
    Bytes from(std::size_t distance) const { return text_.last(distance); }
    std::size_t total(std::size_t added);
    // The first pre-tokens from `place` on, as distances of their ends; at least one.
    void first_ends(std::size_t place, std::size_t window, std::vector<std::size_t>& ends);
    std::size_t indexed_end(std::size_t place);
    std::size_t count_piece(std::size_t start, std::size_t end, bool still_open, Workspace& workspace);

    std::shared_ptr<const Encoder> encoder_;
    LeftGrowingText text_;
    std::vector<std::uint32_t> totals_{0};  // of each distance; unknown if no chain has passed
    State state_;
    OpenPieces pieces_;
    std::unique_ptr<RunIndex> index_;  // made for the first long pre-token
    // Scratch space of `total`, kept so that it is allocated once: most texts are prepended word by word.
    std::vector<Link> chain_;
    std::vector<std::size_t> ends_;
};

}  // namespace bpe
