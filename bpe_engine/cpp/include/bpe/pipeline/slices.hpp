// The count of any slice of a text under a pipeline, after one pass over it.
//
//     whole text    def| compute|_total|(self|):\n|   | return        cuts
//     slice           ute_total(self):\n
//                     ute|_total|(self|):\n                           its own
//                     ^^^ read anew      ^^^ read anew                between, a difference of two sums
//
// A slice is read from its start until one of its cuts is a cut of the whole text, and again from the last cut that was certain before the slice ends. For
// that the text is read in windows, and each window stores its last certain cut. Memory for 64 bytes of text: a bit for each cut, the number of tokens and
// of cuts before, and a byte for each cut with its number of tokens.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "bpe/agreement.hpp"
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
    // The agreement of slices from `start` on with the whole text; none if it is not found soon, or if text is put before the slices. Thread-safe.
    std::optional<Agreement> agreement(std::size_t start, Bytes before = {}) const;
    // Not known.
    bool begins_after_line(std::size_t) const { return false; }
    // Not known: a slice may cut an unknown word, and its rest may have many tokens.
    std::size_t reach(std::size_t start, std::size_t) const { return start; }
    std::size_t reach_back(std::size_t end, std::size_t) const { return end; }
    std::size_t memory() const;

private:
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
    // The number of tokens before a cut.
    std::size_t tokens_before(std::size_t offset) const;

    std::shared_ptr<const Pipeline> pipeline_;
    Bytes text_;
    std::unique_ptr<const UnigramSlices> units_;  // instead of all members below, if the whole text is one piece of a Unigram model
    std::vector<Word> words_;
    std::vector<std::uint8_t> counts_;              // between each cut and the one before; 255: see `large_`
    std::map<std::uint64_t, std::uint64_t> large_;  // number of the cut -> tokens
    std::vector<std::size_t> after_tokens_;         // the cuts after added tokens
    std::vector<Window> windows_;
    std::uint64_t tokens_ = 0;
    std::size_t filled_ = 0;
};

}  // namespace bpe
