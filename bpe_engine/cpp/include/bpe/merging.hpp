// The encoding of one pre-token, in six ways that give the same tokens.
//
//     short    merge the lowest pair until none is left, in arrays on the stack: quadratic, and the quickest for a word
//     medium   the same up to 128 bytes
//     whole    backtracking: longest token first, step back where two do not fit side by side: linear
//     heap     the definition with a heap of pairs: n log n          (here to check the others and for its clarity)
//     table    the last token of each prefix: see token_table.hpp
//
// And three that are NOT byte-pair encodings: greedy, fewest tokens, dropout: see other_encodings.hpp.
#pragma once

#include <vector>

#include "bpe/dictionary.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/zeroed_array.hpp"
#include "bpe/thresholds.hpp"
#include "bpe/types.hpp"

namespace bpe {

// Remembers which pairs of tokens are compatible. One owner at a time; direct-mapped, so a new pair takes the place of an old one.
class PairMemory {
public:
    PairMemory() : slots_(std::size_t{1} << bits) {}

    bool compatible(const Dictionary& dictionary, Rank left, Rank right) {
        std::uint64_t const key = (std::uint64_t{left} + 1) << 32 | right;  // never 0, as a free slot is
        std::uint64_t& slot = slots_[key * 0x9E3779B97F4A7C15ull >> (64 - bits)];
        if (slot >> 1 == key) return slot & 1;
        bool const fits = bpe::compatible(dictionary, left, right);
        slot = key << 1 | (fits ? 1u : 0u);
        return fits;
    }

private:
    static constexpr int bits = thresholds::pair_bits;
    ZeroedArray<std::uint64_t> slots_;  // left + 1 (31 bits), right (32), whether they fit (1)
};

// Bytes. Up to this length `merge_short` is the quicker one.
inline constexpr std::size_t short_length = 16;

// Encodes a piece of at most `short_length` bytes, all of which are tokens. `out` takes up to as many tokens. Returns how many.
std::size_t merge_short(const Dictionary& dictionary, Bytes piece, Rank* out);

// The same for pieces of up to `medium_length` bytes.
inline constexpr std::size_t medium_length = 128;
std::size_t merge_medium(const Dictionary& dictionary, Bytes piece, Rank* out);

// Encodes pieces of any length: by backtracking, or by merging as long as that is less work than to make the trie. One owner at a time.
class Backtracking {
public:
    // The tokens of `piece`, valid until the next call. Throws EncodingError where a byte is no token.
    const std::vector<Rank>& encode(const Dictionary& dictionary, Bytes piece);

    // The same for a piece that is known to be one token.
    const std::vector<Rank>& single(Rank token) {
        tokens_.assign(1, token);
        return tokens_;
    }

private:
    static constexpr std::size_t worth_a_trie = thresholds::worth_a_trie;
    static constexpr std::size_t cost_of_heap = 16;  // of a byte, in bytes of a piece of middle length

    std::vector<Rank> tokens_;
    std::vector<std::uint64_t> possible_;  // a bit for each place: whether an encoding may have a boundary there
    PairMemory pairs_;
    std::size_t merged_ = 0;  // bytes, without the trie
};

// The definition, with a heap. Throws EncodingError where a byte is no token.
std::vector<Rank> encode_by_heap(const Dictionary& dictionary, Bytes piece);

}  // namespace bpe
