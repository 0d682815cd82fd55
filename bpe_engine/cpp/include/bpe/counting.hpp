// Counts the pre-tokens of texts, in several threads and in parts.
//
// A text is split into parts only where a pre-token ends whatever the text around it (a *safe split*: after a letter or number, before white
// space or punctuation), so the parts have the pre-tokens of the text:
//
//     def area(r): return r * r        may be cut at    def|  area|(r|):  return|  r|  * r
//
// A text that comes in blocks is counted as far as later blocks cannot change it; the caller passes the rest again, with more after it.
#pragma once

#include <cstdint>
#include <vector>

#include "bpe/pretoken_counts.hpp"
#include "bpe/scanner.hpp"
#include "bpe/types.hpp"

namespace bpe {

// Whether every grammar ends a pre-token at `place` of `text`, whatever the text around the two characters next to it.
bool is_safe_split(Bytes text, std::size_t place);

class PretokenCounter {
public:
    // `scanner` null: each text is one pre-token.
    PretokenCounter(const Scanner* scanner, std::size_t threads);

    // Counts whole texts. Their order here is their order in the corpus.
    void add(const std::vector<Bytes>& texts);

    // Counts the next block of a longer text. Returns the number of bytes counted; the rest belongs before the next block. The number is 0
    // if no pre-token certainly ends in the block.
    std::size_t add_open(Bytes block);

    // Counts one pre-token that the caller has split.
    void add_pretoken(Bytes piece, std::uint64_t times) {
        if (piece.size > 0) tables_[0].add(piece, piece.size, place_, times);
        place_ += piece.size + 1;
    }

    // All counts, in one table.
    PretokenCounts& result();

    std::uint64_t bytes() const { return place_; }

private:
    struct Part {
        Bytes text;
        std::uint64_t place;  // of its first byte, in the corpus
    };

    void count(const std::vector<Part>& parts);
    void divide(Bytes text, std::vector<Part>& parts);

    const Scanner* scanner_;
    std::vector<PretokenCounts> tables_;  // of each thread
    std::uint64_t place_ = 0;
};

}  // namespace bpe
