// A text that grows to the right, and its number of tokens after every step.
//
//     settled pre-tokens: a sum             tail: at most a few pre-tokens, looked at anew on each append
//     ┌────────────────────────────────┐┌───────────────────────────────┐
//     "def main(args):\n    return run(" "args"                            <- append
//                                      ↑ settled_end
//
// An append re-opens the tail alone. Where the tail is long, because a single pre-token is, its end comes from an index of runs and its
// count from the table of its prefixes, so nothing is read twice. A state is five numbers; going back to one truncates.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bpe/encoder.hpp"
#include "bpe/open_pieces.hpp"
#include "bpe/run_index.hpp"

namespace bpe {

class AppendingEncoder {
public:
    // Offsets in bytes.
    struct State {
        std::size_t length = 0, settled_end = 0, settled_count = 0, count = 0;
        std::size_t first_open_end = 0;  // of the first pre-token of the tail
    };

    explicit AppendingEncoder(std::shared_ptr<const Encoder> encoder);

    std::size_t count() const { return state_.count; }
    Bytes text() const { return {text_.data(), text_.size()}; }
    const Encoder& encoder() const { return *encoder_; }

    // A lower bound for the count of this text and of every text that begins with it.
    std::size_t fewest();

    // Amortized time proportional to `more`. Throws EncodingError, and adds nothing, where a byte is in no token.
    void append(Bytes more);

    const State& state() const { return state_; }
    // Back to an earlier state, whose text is still there.
    void return_to(const State& state);

    std::size_t memory() const;

private:
    struct Piece {
        std::size_t start, end, count;
    };

    void update(std::size_t old_length);
    // The pre-tokens of the tail up to `limit`; with `settle`, all but the last few are settled.
    void read_tail(std::size_t old_length, std::size_t limit, bool settle);
    std::size_t count_piece(std::size_t start, std::size_t end, bool still_open, Workspace& workspace);
    RunIndex& index_from(std::size_t place);

    std::shared_ptr<const Encoder> encoder_;
    std::vector<Byte> text_;
    State state_;
    OpenPieces pieces_;
    std::vector<RunIndex> indexes_;  // of the long tails that were, by origin
};

}  // namespace bpe
