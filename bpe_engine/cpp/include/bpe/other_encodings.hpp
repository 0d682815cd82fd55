// Encodings that are NOT byte-pair encodings of their bytes: for lower bounds, for comparison, and for training on varied splits.
// All throw EncodingError if no tokens make up the bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "bpe/dictionary.hpp"

namespace bpe {

// The longest token at each offset.
std::vector<Rank> encode_greedy(const Dictionary& dictionary, Bytes piece);

// The encoding with the fewest tokens: a shortest path over the offsets between bytes. Among equals, the one with the longest last token.
std::vector<Rank> encode_minimal(const Dictionary& dictionary, Bytes piece);

// Each possible merge is skipped with the probability `dropout`, drawn anew for each pair at each step; the encoding ends when all pairs are skipped.
// 0 is byte-pair encoding, 1 single bytes. The same seed gives the same tokens.
// Source: Provilkov, Emelianenko, Voita, "BPE-Dropout: Simple and Effective Subword Regularization", ACL 2020.
std::vector<Rank> encode_dropout(const Dictionary& dictionary, Bytes piece, double dropout, std::uint64_t seed);

}  // namespace bpe
