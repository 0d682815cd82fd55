// A text that grows to the right, and its number of tokens after every step.
//
//     settled pre-tokens: a sum             tail: at most a few pre-tokens, looked at anew on each append
//     ┌────────────────────────────────┐┌───────────────────────────────┐
//     "def main(args):\n    return run(" "args"                            <- append
//                                      ↑ settled_end
//
// An append re-opens the tail alone. Where the tail is long, because a single pre-token is, its end comes from an index of runs and its
// count from the table of its prefixes, so nothing is read twice. A state is six numbers; going back to one truncates.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bpe/encoder.hpp"
#include "bpe/explicit_tokens.hpp"
#include "bpe/open_pieces.hpp"
#include "bpe/run_index.hpp"

namespace bpe {

class AppendingEncoder {
public:
    // Offsets in bytes.
    struct State {
        std::size_t length = 0, settled_end = 0, settled_count = 0, count = 0;
        std::size_t first_open_end = 0;  // of the first pre-token of the tail
        std::size_t tokens = 0;          // that stand in the text as such
    };

    explicit AppendingEncoder(std::shared_ptr<const Encoder> encoder);

    std::size_t count() const { return state_.count; }
    Bytes text() const { return {text_.data(), text_.size()}; }
    const Encoder& encoder() const { return *encoder_; }

    // A lower bound for the count of this text and of every text that begins with it.
    std::size_t fewest();

    // Amortized time proportional to `more`. Throws EncodingError, and adds nothing, where a byte is in no token.
    void append(Bytes more);

    // Adds a token as such, which is written `text`: what stands before and after it is encoded by itself.
    void append_token(std::uint32_t id, Bytes text);

    const ExplicitTokens& explicit_tokens() const { return tokens_; }
    // The ids of all that `state`, from which this text has grown, had not settled.
    void encode_from(const State& state, std::vector<std::uint32_t>& ids) const;
    static std::size_t settled_end(const State& state) { return state.settled_end; }
    static std::size_t settled_count(const State& state) { return state.settled_count; }

    // Copy the text of `other`, which has the same encoder. Tables of long pre-tokens are not copied.
    void copy(const AppendingEncoder& other);

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
    // Bytes of the last character, where it is not complete and no token as such.
    std::size_t unfinished() const;

    std::shared_ptr<const Encoder> encoder_;
    std::vector<Byte> text_;
    ExplicitTokens tokens_;
    State state_;
    OpenPieces pieces_;
    std::vector<RunIndex> indexes_;  // of the long tails that were, by origin
};

}  // namespace bpe
