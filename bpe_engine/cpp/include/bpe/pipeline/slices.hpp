// The count of any slice of a text under a pipeline, after one pass over it.
//
//     whole text    def| compute|_total|(self|):\n|   | return        cuts
//     slice           ute_total(self):\n
//                     ute|_total|(self|):\n                           its own
//                     ^^^ read anew      ^^^ read anew                between, a difference of two sums
//
// A slice is read from its start until one of its cuts is a cut of the whole text, and again from a cut that its end does not change. Where the pipeline has
// safe splits (safe_splits.hpp) these are its first and its last one, so that both ends are units, and looked up. Else the slice is scanned; for that the text
// is read in windows, and each window stores its last certain cut. Memory for 64 bytes of text: a bit for each cut, the number of tokens and
// of cuts before, and a byte for each cut with its number of tokens.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "bpe/agreement.hpp"
#include "bpe/pipeline/growing.hpp"
#include "bpe/pipeline/pipeline.hpp"

namespace bpe {

class UnigramSlices;

class PipelineIntervalEncoder {
public:
    // `text`, of less than 4 GiB, must outlive the encoder. Throws EncodingError if a character has no token.
    PipelineIntervalEncoder(std::shared_ptr<const Pipeline> pipeline, Bytes text);
    ~PipelineIntervalEncoder();

    std::size_t size() const { return text_.size; }
    // The number of tokens of text[start:end], 0 <= start <= end <= size. Thread-safe.
    std::size_t count(std::size_t start, std::size_t end) const;
    // The agreement of slices from `start` on, put after `before`, with the whole text, where all are whole characters; none if it is not found soon, or if
    // text is put before the slices and no safe splits are known. Thread-safe.
    std::optional<Agreement> agreement(std::size_t start, Bytes before = {}) const;
    // Not known.
    bool begins_after_line(std::size_t) const { return false; }
    // Estimates of how far `tokens` tokens reach, forward from `start` and back from `end`: see reach.hpp. Thread-safe.
    std::size_t reach(std::size_t start, std::size_t tokens) const;
    std::size_t reach_back(std::size_t end, std::size_t tokens) const;
    std::size_t memory() const;

private:
    template <class Words, class Starts>
    friend class Reach;

    struct Slice;
    struct Word {
        std::uint64_t cuts = 0;    // a bit for each of 64 bytes
        std::uint64_t tokens = 0;  // before the first of these cuts
        std::uint64_t before = 0;  // cuts before
    };
    struct Window {
        std::uint32_t limit;    // the end of the text that was read
        std::uint32_t certain;  // the last certain cut then
    };

    void add(Position at, std::size_t tokens);
    bool is_cut(Position at) const;
    Position cut_at(std::size_t offset) const;
    // The first cut of [start, end), or `end`.
    std::size_t cut_from(std::size_t start, std::size_t end) const;
    // The first and the last safe split of text[start:end] that are near its ends, and its end if one is there; 0: none. `follows`: whatever is before it.
    std::size_t first_split(std::size_t start, std::size_t end, bool follows = false) const;
    std::size_t last_split(std::size_t start, std::size_t end) const;
    bool has_split(std::size_t start, std::size_t place, std::size_t end, bool follows = false) const;
    // Whether an added token overlaps text[start:end].
    bool has_token(std::size_t start, std::size_t end) const;
    bool cuts_character(std::size_t place) const { return place < text_.size && UnicodeTable::continues(text_[place]); }
    std::optional<std::size_t> count_by_splits(std::size_t start, std::size_t end, Pipeline::Workspace& workspace) const;
    // Whether a text may begin with `tokens` tokens before a safe split. None are what is dropped, after which the text begins, unless that is not seen.
    bool may_begin(std::size_t tokens) const { return tokens > 0 || !pipeline_->acts_at_start(); }
    std::optional<Agreement> agreement_by_splits(std::size_t start, Bytes before) const;
    std::size_t count_scanned(std::size_t start, std::size_t end, Pipeline::Workspace& workspace) const;
    // The number of tokens of text[from.offset:end], which is long and has no cut that its end does not change. Ends mostly ascend: each goes on from the last.
    std::size_t count_tail(Position from, std::size_t end) const;

    // The cuts in 64 bytes; the number of tokens before one, or before the last one up to any place.
    std::uint64_t bits(std::size_t word) const { return words_[word].cuts; }
    std::size_t tokens_before(std::size_t offset) const;
    std::size_t sum_before(std::size_t place) const { return tokens_before(place); }

    std::shared_ptr<const Pipeline> pipeline_;
    std::uint64_t number_;  // no other has it
    Bytes text_;
    const SafeSplits* splits_ = nullptr;          // null: none are known
    Pipeline::Places added_;                      // of added tokens
    std::size_t most_fall_ = 0;                   // of the count of a slice as its end moves on through a word, in tokens
    std::size_t last_cut_ = 0, longest_gap_ = 0;  // between two cuts, in bytes
    std::unique_ptr<const UnigramSlices> units_;  // instead of all members below, if the whole text is one piece of a Unigram model
    std::vector<Word> words_;
    std::vector<std::uint8_t> counts_;              // between each cut and the one before; 255: see `large_`
    std::map<std::uint64_t, std::uint64_t> large_;  // number of the cut -> tokens
    std::vector<std::size_t> after_tokens_;         // the cuts after added tokens
    std::vector<Window> windows_;
    std::uint64_t tokens_ = 0;
    std::size_t filled_ = 0;

    // A long tail, as far as it was read, and states of it on the way.
    struct Tail {
        Position from;
        PipelineAppendingEncoder encoder;
        std::vector<PipelineAppendingEncoder::State> states{encoder.state()};
    };
    mutable std::mutex tail_mutex_;
    mutable std::unique_ptr<Tail> tail_;
};

}  // namespace bpe
