// Texts that grow to the right or to the left under a pipeline, and their number of tokens after every step.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "bpe/explicit_tokens.hpp"
#include "bpe/grown_ids.hpp"
#include "bpe/left_growing_text.hpp"
#include "bpe/pipeline/mark_run.hpp"
#include "bpe/pipeline/open_tail.hpp"
#include "bpe/pipeline/pipeline.hpp"
#include "bpe/shared_items.hpp"

namespace bpe {

//     certain: a sum                        tail: read anew on each append, or where it is long, from where that ended (open_tail.hpp)
//     ┌────────────────────────────────┐┌───────────────────────────────┐
//     "def main(args):\n    return run(" "args"                            <- append
//                                      ↑ the last cut that nothing can move
class PipelineAppendingEncoder {
public:
    struct State {
        std::size_t length = 0;  // bytes
        Position certain;        // the last cut that nothing appended can move
        std::size_t certain_count = 0, count = 0;
        std::size_t tokens = 0;  // that stand in the text as such
    };

    // `before`: what stands before the text.
    explicit PipelineAppendingEncoder(std::shared_ptr<const Pipeline> pipeline, Before before = Before::nothing)
        : pipeline_(std::move(pipeline)), before_(before) {
        state_.certain.before = before;
    }

    std::size_t count() const { return state_.count; }
    Bytes text() const { return {text_.data(), text_.size()}; }
    const Pipeline& encoder() const { return *pipeline_; }
    // A lower bound for the count of this text and of every text that begins with it.
    std::size_t fewest() const { return state_.certain_count; }

    // Amortized time proportional to `more`. Throws EncodingError, and adds nothing, where a character has no token.
    void append(Bytes more);

    // Adds a token as such, which is written `text`. What stands before it is encoded by itself, and what stands after it as after an added token: of one that
    // is looked for in normalized text both are parts of one text to the normalizer.
    void append_token(std::uint32_t id, Bytes text);

    const ExplicitTokens& explicit_tokens() const { return tokens_; }
    // The ids of all that was not certain in `state`, from which this text has grown.
    void encode_from(const State& state, FreshIds& ids);
    static std::size_t settled_end(const State& state) { return state.certain.offset; }
    static std::size_t settled_count(const State& state) { return state.certain_count; }

    // Share the text of `other`, which has the same pipeline.
    void copy(const PipelineAppendingEncoder& other) {
        text_ = other.text_;
        tokens_ = other.tokens_;
        state_ = other.state_;
        tails_.clear();
        marks_ = nullptr;
        before_nonblank_ = {};
    }

    const State& state() const { return state_; }
    // Back to an earlier state, whose text is still there.
    void return_to(const State& state);

private:
    // The offsets of a tail are those of its span, which begins at `base`.
    struct Tail {
        std::size_t base;
        OpenTail tail;
    };

    OpenTail* tail_from(std::size_t base);
    // Adds the ids of the open text where its long pieces have tables; returns whether they have.
    bool read_open(FreshIds& ids);
    // Counts the text where it ends with a long run of marks; returns whether it does.
    bool count_marks(PieceCoder::Workspace& workspace);
    // Counts the text where it ends inside of a character; returns whether a memory for that helps.
    bool count_before_nonblank();

    std::shared_ptr<const Pipeline> pipeline_;
    Before before_;
    SharedItems<Byte> text_;
    ExplicitTokens tokens_;
    State state_;
    std::vector<Tail> tails_;
    // The text from a certain cut on, as if white space at its end were kept.
    struct BeforeNonblank {
        std::size_t start = 0, tokens_before = 0;
        std::unique_ptr<GrowingPiece> table = nullptr;
        FreshIds::Reading known = {};
    };
    BeforeNonblank before_nonblank_;
    std::unique_ptr<MarkRun> marks_;  // null: the text ends with no run that is known
    std::size_t marks_tried_ = 0;     // the length of the open end that was last searched for one in vain
};

// The count of the text from a cut on does not depend on what stands before it:
//
//     total(cut) = count(up to the next cut) + total(next cut)
//
// Prepending reads from the new start until it meets a cut whose total is known, mostly after a piece or two. Cuts are distances from the end. Where no cut
// comes soon, memory of what was read before helps (open_head.hpp).
class PipelinePrependingEncoder {
public:
    struct State {
        std::size_t length = 0, count = 0;
    };

    // `before`: what stands before the text, however long it grows.
    explicit PipelinePrependingEncoder(std::shared_ptr<const Pipeline> pipeline, Before before = Before::nothing)
        : pipeline_(std::move(pipeline)), before_(before) {}

    std::size_t count() const { return state_.count; }
    Bytes text() const { return text_.last(state_.length); }
    const Pipeline& encoder() const { return *pipeline_; }
    // A lower bound for the count of this text and of every text that ends with it.
    std::size_t fewest();

    void prepend(Bytes more);

    const State& state() const { return state_; }
    void return_to(const State& state);

private:
    static constexpr std::uint32_t unknown = 0xFFFFFFFF;

    std::size_t total(std::size_t added);
    // Forget the totals that depend on what stands before the text.
    void forget_start();
    std::uint32_t& total_at(std::size_t distance, Before before) {
        return before == Before::region ? totals_[distance] : after_tokens_.emplace(distance, unknown).first->second;
    }

    // The memory of a text. White space that is stripped at the start is back where the end of a character is before it.
    std::unique_ptr<OpenHead>& head_of(Bytes text) {
        Normalizer const* const normalizer = pipeline_->normalizer();
        return heads_[normalizer && normalizer->acts_at_start() && text.size > 0 && UnicodeTable::continues(text[0])];
    }

    std::shared_ptr<const Pipeline> pipeline_;
    Before before_;
    LeftGrowingText text_;
    std::vector<std::uint32_t> totals_{unknown};  // of each distance, inside of a region; unknown where no cut is known
    std::map<std::size_t, std::uint32_t> after_tokens_;
    std::array<std::unique_ptr<OpenHead>, 2> heads_;  // once they are worth it
    State state_;
};

}  // namespace bpe
