// Counts of slices of one long piece.
//
// The last token of each prefix leads to the prefix before it: a tree whose root is the empty prefix, in which the path from the root to a
// prefix is its encoding. The encoding of a slice soon meets the path to the slice's end: when one of its tokens ends at an offset on that path,
// and the two tokens that meet there are compatible, the rest is known. Its count is a difference of depths.
//
//     text  abacbb      prefix lengths as nodes:  0 -> 1 (a), 2 (ab)   2 -> 3 (a), 4 (ac), 6 (acbb)   4 -> 5 (b)
//     slice [1, 6)      b ends at 2, which is on the path 0 2 6, and b may be followed by acbb:  1 + (2 - 1) = 2 tokens
//
// If the two never meet, the slice is read to its end. Runs of one repeated byte, or of a few, are not read: their count follows from their length
// (repetition.hpp). Source: `IntervalEncoding` of GitHub's `bpe` crate. About 26 bytes of memory a byte of text.
#pragma once

#include <vector>

#include "bpe/repetition.hpp"
#include "bpe/shelf.hpp"
#include "bpe/token_table.hpp"

namespace bpe {

class IntervalTree {
public:
    // `data` must outlive the tree. Throws EncodingError if a byte is no token.
    IntervalTree(const Dictionary& dictionary, Bytes data);

    // The number of tokens of data[start:end], encoded by itself.
    std::size_t count(std::size_t start, std::size_t end) const;

    std::size_t memory() const { return nodes_.capacity() * sizeof(Node) + table_.size() * 9; }

private:
    // Of the prefix of each length. In depth-first order the subtree of a node has the numbers [number, number + weight).
    struct Node {
        std::uint32_t number, weight, first_child, next_sibling;
    };

    // The next offset after `place` on the path to `end`; 0 if `place` is not on that path, or is `end`.
    std::size_t step_towards(std::size_t place, std::size_t end) const;

    const Dictionary* dictionary_;
    Bytes data_;
    TokenTable table_;
    std::vector<Node> nodes_;
    Repetitions repetitions_;
    Shelf<TokenTable> own_;  // tables of slices
};

}  // namespace bpe
