// Encode one pre-token, by several algorithms with the same result.
//
//     short      merge the lowest pair until none is left, in arrays on the stack: quadratic, and the fastest for a word
//     medium     the same up to 128 bytes
//     windows    the same for each window of 128 bytes, joined where the tokens of two windows fit side by side: linear
//     whole      backtracking: longest token first, step back if two do not fit side by side: linear, and needs a trie
//     heap       the definition with a heap of pairs: n log n          (to check the others, and because it is clear)
//     table      the last token of each prefix: see token_table.hpp
//
// And three that are NOT byte-pair encodings: greedy, fewest tokens, dropout: see other_encodings.hpp.
#pragma once

#include <vector>

#include "bpe/dictionary.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/types.hpp"

namespace bpe {

// Bytes. Up to this length `merge_short` is faster.
inline constexpr std::size_t short_length = 16;

// Encodes a piece of at most `short_length` bytes, all of which are tokens. `out` has room for that many tokens. Returns the number of tokens.
std::size_t merge_short(const Dictionary& dictionary, Bytes piece, Rank* out);

// For pieces of up to `medium_length` bytes.
inline constexpr std::size_t medium_length = 128;
std::size_t merge_medium(const Dictionary& dictionary, Bytes piece, Rank* out);

// Encodes a piece of any length, all bytes of which are tokens, window by window. Returns false if two windows cannot be joined, which
// happens only with a token as long as a wide window or a vocabulary made for it; then `tokens` are not valid.
//
//     window     [ a | b | c | d ]
//     next                 [ c | e | f ]           starts at a boundary of the one before, a few bytes before its end
//     joined     [ a | b | c | e | f ]             at the first boundary of both where the tokens on its sides fit side by side
//
// A sequence of tokens is an encoding if each two neighbours fit. The tokens of one window do, so only the join has to be checked.
bool merge_windows(const Dictionary& dictionary, Bytes piece, std::vector<Rank>& tokens);

// Encodes pieces longer than a word. One owner at a time.
class Merging {
public:
    // The tokens of `piece`, valid until the next call. Throws EncodingError if a byte is no token.
    const std::vector<Rank>& encode(const Dictionary& dictionary, Bytes piece);

    // The result of `encode` for a piece that is known to be this one token.
    const std::vector<Rank>& single(Rank token) {
        tokens_.assign(1, token);
        return tokens_;
    }

    // By backtracking, for any length.
    const std::vector<Rank>& backtrack(const Dictionary& dictionary, Bytes piece);

private:
    static constexpr std::size_t worth_a_trie = thresholds::worth_a_trie;

    std::vector<Rank> tokens_;
    std::vector<std::uint64_t> possible_;  // a bit for each offset: whether an encoding may have a boundary there
    std::size_t merged_ = 0;               // bytes merged without the trie
};

// The definition, with a heap. Throws EncodingError if a byte is no token.
std::vector<Rank> encode_by_heap(const Dictionary& dictionary, Bytes piece);

}  // namespace bpe
