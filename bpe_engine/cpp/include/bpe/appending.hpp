// A text that grows to the right, and its number of tokens after every step.
//
//     settled pre-tokens: a sum             tail: at most a few pre-tokens, split again on each append
//     ┌────────────────────────────────┐┌───────────────────────────────┐
//     "def main(args):\n    return run(" "args"                            <- append
//                                      ↑ settled_end
//
// An append splits only the tail again. If the tail is long, because a single pre-token is, the end of the pre-token comes from an index of
// runs and its count from the table of its prefixes, so nothing is read twice. A state is six numbers; going back to a state truncates.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "bpe/encoder.hpp"
#include "bpe/explicit_tokens.hpp"
#include "bpe/grown_ids.hpp"
#include "bpe/open_pieces.hpp"
#include "bpe/run_index.hpp"
#include "bpe/shared_items.hpp"

namespace bpe {

class AppendingEncoder {
public:
    // Offsets in bytes.
    struct State {
        std::size_t length = 0, settled_end = 0, settled_count = 0, count = 0;
        std::size_t first_open_end = 0;  // of the first pre-token of the tail
        std::size_t tokens = 0;          // explicit tokens in the text
    };

    explicit AppendingEncoder(std::shared_ptr<const Encoder> encoder);

    std::size_t count() const { return state_.count; }
    Bytes text() const { return {text_.data(), text_.size()}; }
    const Encoder& encoder() const { return *encoder_; }

    // A lower bound for the count of this text and of every text that starts with it.
    std::size_t fewest();

    // Amortized time proportional to `more`. Throws EncodingError, and adds nothing, if a byte is in no token.
    void append(Bytes more);

    // Adds an explicit token, written as `text`: the text before it and the text after it are encoded by themselves.
    void append_token(std::uint32_t id, Bytes text);

    const ExplicitTokens& explicit_tokens() const { return tokens_; }
    // The ids of the text that was not settled in `state`, an earlier state of this text.
    void encode_from(const State& state, FreshIds& ids);
    static std::size_t settled_end(const State& state) { return state.settled_end; }
    static std::size_t settled_count(const State& state) { return state.settled_count; }

    // Share the text of `other`, which has the same encoder. Tables of long pre-tokens are not copied.
    void copy(const AppendingEncoder& other);

    const State& state() const { return state_; }
    // Go back to an earlier state, whose text is a prefix of this text.
    void return_to(const State& state);

    std::size_t memory() const;

private:
    struct Piece {
        std::size_t start, end, count;
    };

    void update(std::size_t old_length);
    // Find the pre-tokens of the tail up to `limit`, and call `on_end` with the end of each; with `settle`, settle all but the last few.
    template <class OnEnd>
    void read_tail(std::size_t old_length, std::size_t limit, bool settle, OnEnd&& on_end);
    std::size_t count_piece(std::size_t start, std::size_t end, bool still_open, Workspace& workspace);
    // Adds the ids of the open text where one of its pieces has a table; returns whether one has.
    bool read_open(FreshIds& ids);
    RunIndex& index_from(std::size_t place);
    // The bytes of the last character if it is incomplete and not part of an explicit token.
    std::size_t unfinished() const;

    std::shared_ptr<const Encoder> encoder_;
    SharedItems<Byte> text_;
    ExplicitTokens tokens_;
    State state_;
    OpenPieces pieces_;
    std::vector<RunIndex> indexes_;  // of the long tails so far, by origin
};

}  // namespace bpe
