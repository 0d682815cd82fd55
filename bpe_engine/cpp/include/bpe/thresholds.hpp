// Sizes from which the algorithms for long texts are used. They decide speed and memory, never a result.
//
// BPE_SMALL_THRESHOLDS makes them so small that a text of a dozen bytes uses every algorithm: for tests and fuzzing, which would otherwise reach
// most of them rarely, and with texts too long to read after a failure.
#pragma once

#include <cstddef>

#ifdef BPE_NO_THRESHOLDS
#error "this source is compiled once for all thresholds, but includes them now: configure again"
#endif

namespace bpe::thresholds {

#ifdef BPE_SMALL_THRESHOLDS
inline constexpr std::size_t long_tail = 5, short_piece = 2, kept_size = 3, long_piece = 8, neighbourhood = 16, stride = 2, mark_distance = 3,
                             worth_a_trie = 60, middle_piece = 6, worth_a_table = 40, window = 8, wide_window = 14, overlap = 2, counted_part = 7,
                             cut_reach = 12, worth_a_thread = 4, listed_counts = 4, read_window = 8, slice_window = 12, slice_start = 6, look_ahead = 4,
                             open_unit = 3, scored_rows = 4, patience = 0, first_patience = 3, foresight_block = 7, resumed = 2, recalled = 8, worth_splits = 6,
                             worth_splits_soon = 4, readings = 1, worth_walks = 40;
inline constexpr int pair_bits = 3, first_bits = 1, first_long_bits = 1, count_bits = 2, ids_bits = 2, medium_count_bits = 2, medium_ids_bits = 2,
                     long_count_bits = 1, longer_bits = 1, long_ids_bits = 1, unit_bits = 2, medium_unit_bits = 2;
#else

// Bytes that a pipeline reads before it looks for safe splits: that takes a millisecond or two, about as long as is spent until then for want of them; sooner
// where each new word is normalized and searched by an expression. A text of which slices are priced counts as many times its size, for it is read again and
// again.
inline constexpr std::size_t worth_splits = 1 << 19, worth_splits_soon = 1 << 16, readings = 8;
// Look-ups that WordPiece makes in a hash table before it makes a trie: so many take about as long as making that.
inline constexpr std::size_t worth_walks = 1 << 17;
// Bytes. A growing encoder scans a tail up to this length, which is faster than looking its runs up.
inline constexpr std::size_t long_tail = 512;
// Bytes. A growing pre-token up to this length is encoded again, which is faster than a table.
inline constexpr std::size_t short_piece = 64;
// Bytes. Up to this length it is also encoded again, until an encoder has done so with `worth_a_table` bytes: the first table needs a trie.
inline constexpr std::size_t middle_piece = 1024, worth_a_table = 1 << 18;
// Bytes. A settled pre-token shorter than this drops its table: the cost of reading it again after a rollback is bounded.
inline constexpr std::size_t kept_size = 256;

// Bytes. A pre-token above this that a slice cuts has a tree.
inline constexpr std::size_t long_piece = 1024;
// Bytes. A slice that starts closer than this before a long pre-token looks its runs up.
inline constexpr std::size_t neighbourhood = 8 * long_piece;
// Bytes. The encoding of a slice is extended by this many at a time until it meets the path in the tree.
inline constexpr std::size_t stride = 32;

// Bytes of longer pre-tokens that are merged before a trie is made for them: making a trie takes as long as merging four megabytes.
inline constexpr std::size_t worth_a_trie = 4 << 20;

// Bytes. A longer pre-token is merged window by window, with wide windows if a token fills a window. Neighbouring windows share at least
// `overlap` bytes: a larger overlap makes a join more likely and merges more bytes twice.
inline constexpr std::size_t window = 128, wide_window = 512, overlap = 4;

// Bytes. Training counts a text in parts of this size, searches this far back from the end of a block for a split, and uses one more thread
// for each such number of bytes.
inline constexpr std::size_t counted_part = 1 << 18, cut_reach = 1 << 16, worth_a_thread = 1 << 16;

// Counts. In training a pair with a lower count waits in the list for its count, other pairs in a heap.
inline constexpr std::size_t listed_counts = 1 << 12;

// Bytes. A pre-token that Unigram encodes at once is forgotten as it is read from here on, wherever what follows cannot change it.
inline constexpr std::size_t scored_rows = 1 << 14;
// Characters that the search for matches may read in vain before it reads the text backwards: so many a byte of progress, and these at once.
inline constexpr std::size_t patience = 6, first_patience = 2048;
// Bytes of text for which the results of the backward pass are kept; the rest is read again.
inline constexpr std::size_t foresight_block = 8192;

// Bytes. An attempt at a match that is longer is resumed after the text has grown.
inline constexpr std::size_t resumed = 64;
// Bytes. In a text that grows to the left, attempts at a match leave a note each time they have read this many.
inline constexpr std::size_t recalled = 64;

// Characters between two states to which the search for the longest fitting prefix returns.
inline constexpr std::size_t mark_distance = 64;

// Bytes. A pipeline normalizes and cuts so much at a time, which is still in the cache then. For slices a text is read in smaller windows: more of them, and
// less to read at the end of a slice; of its start less is read at first. Half as large, slices took 5 % less time, and reading a text 23 % more. A text that
// grows to the left is read so far beyond what was added.
inline constexpr std::size_t read_window = 1 << 14, slice_window = 96, slice_start = 40, look_ahead = 64;
// Bytes. What may still grow at the end of a text is one unit, up to this length: nothing in it is looked for that is certain.
inline constexpr std::size_t open_unit = 62;

// Sizes of the caches, each as the power of two: of pairs of tokens (`pair_bits`), of pieces with their counts or ids (short, medium and long ones, which begin
// with `first_bits`, or `first_long_bits`, and grow), and of the units of Unigram.
inline constexpr int pair_bits = 17;
inline constexpr int first_bits = 10, first_long_bits = 5, count_bits = 17, ids_bits = 16, medium_count_bits = 15, medium_ids_bits = 14, long_count_bits = 15,
                     longer_bits = 12, long_ids_bits = 14, unit_bits = 16, medium_unit_bits = 14;
#endif

}  // namespace bpe::thresholds
