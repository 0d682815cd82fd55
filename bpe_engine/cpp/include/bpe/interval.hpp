// The count of any slice of a text, after one pass over it.
//
// A slice may start and end inside pre-tokens of the whole text. Its own pre-tokens differ there, and agree in between:
//
//     whole text    def| compute|_total|(self|):\n|   | return
//     slice           ute_total(self):\n
//                     ute|_total|(self|):\n              its own
//                     ^^^ read anew      ^^^ read anew   the rest: a difference of two sums
//
// A pre-token of Chinese, Japanese or Korean comes apart at its seams (seams.hpp), whose sums are kept like those of pre-tokens. So a slice inside it is a
// difference of two sums as well, with what is cut off at both ends.
//
// Most cuts are inside a word. What is left of lower-case letters, or of letters without case, is one pre-token on either side of a cut, so that nothing is
// scanned there: scanning took most of the time of a count. Tried and rejected: a bit for each such word, which makes reading a text a fifth slower.
//
// Memory for 64 bytes of text: two bits for each byte at which a pre-token may start or a seam may be, the number of tokens and of pieces before (8 bytes
// each), and a byte for each piece with the tokens before it: about .7 bytes for each byte of text, without the text itself. A pre-token of more than
// `long_piece` bytes (thresholds.hpp) without seams nearby has a tree, made when a slice first cuts it.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "bpe/agreement.hpp"
#include "bpe/encoder.hpp"
#include "bpe/interval_tree.hpp"
#include "bpe/run_index.hpp"

namespace bpe {

class IntervalEncoder {
public:
    // `text` must outlive the encoder. Throws EncodingError if a byte is in no token; if the whole text is one pre-token, `count` throws instead.
    IntervalEncoder(std::shared_ptr<const Encoder> encoder, Bytes text);

    std::size_t size() const { return text_.size; }

    // The number of tokens of text[start:end], 0 <= start <= end <= size. Thread-safe.
    std::size_t count(std::size_t start, std::size_t end) const;
    // The agreement of slices from `start` on, put after `before` (whole characters), with the whole text; none if it is not found soon, as inside long
    // pre-tokens. Thread-safe.
    std::optional<Agreement> agreement(std::size_t start, Bytes before = {}) const;
    // Whether no pre-token joins text[start:end] with a text before it that ends with a line feed. Then the counts of both add up, for each `end` from
    // `agreement(start)->from` on. False where the first 64 bytes do not show it. Thread-safe.
    bool begins_after_line(std::size_t start) const;
    // Estimates of how far `tokens` tokens reach, forward from `start` and back from `end`: see reach.hpp. Thread-safe.
    std::size_t reach(std::size_t start, std::size_t tokens) const;
    std::size_t reach_back(std::size_t end, std::size_t tokens) const;

    std::size_t memory() const;

private:
    template <class Words, class Starts>
    friend class Reach;

    // Pieces are the pre-tokens, cut at their seams: the counts of all of them add up.
    struct Word {
        std::uint64_t pieces = 0;  // a bit for each of 64 bytes at which one starts
        std::uint64_t seams = 0;   // those of them that are inside of a pre-token
        std::uint64_t tokens = 0;  // before the first of these pieces
        std::uint64_t before = 0;  // pieces
        std::uint64_t starts() const { return pieces & ~seams; }
    };

    // No pre-token starts in an empty text, nor in a text that is one pre-token.
    bool has_starts() const { return !words_.empty() && text_.size > 0; }
    bool is_start(std::size_t place) const { return place == text_.size || (words_[place >> 6].starts() >> (place & 63) & 1); }
    // Whether the slice text[...:end] has text[start:end], the beginning of one pre-token or all of it, as its last pre-token, because it is a word.
    bool begins_word(std::size_t start, std::size_t end) const;
    // The offset after the first letter of the word that starts at `start`, a start of a pre-token; 0 if it is no word. A slice that has a pre-token at
    // `start` when it ends far away has it as soon as it contains this letter.
    std::size_t after_first_letter(std::size_t start) const;
    // Whether there are only letters that are lower-case or without case, and no character is cut.
    bool are_low_letters(std::size_t start, std::size_t end) const;
    // The end of the longest such text[start:...], at most `end`.
    std::size_t low_letters_end(std::size_t start, std::size_t end) const;
    // Whether a word before `place` may be longer in another slice: before a letter, a mark, or an apostrophe, which may begin a contraction.
    bool may_go_on(std::size_t place) const;
    // The starts of pieces in 64 bytes; the number of tokens before one, and before the last one up to any place.
    std::uint64_t bits(std::size_t word) const { return words_[word].pieces; }
    std::size_t tokens_before(std::size_t place) const;
    std::size_t sum_before(std::size_t place) const { return tokens_before(piece_at_or_before(place)); }
    std::size_t piece_at_or_before(std::size_t place) const;
    std::size_t start_at_or_before(std::size_t place) const;
    std::size_t start_at_or_after(std::size_t place) const;
    bool is_piece(std::size_t place) const { return place == text_.size || (words_[place >> 6].pieces >> (place & 63) & 1); }
    // The first and the last start of a piece in text[start:end], ends included; none if pre-tokens meet in there, or if they are far from the ends.
    std::optional<std::pair<std::size_t, std::size_t>> pieces_within(std::size_t start, std::size_t end) const;

    std::size_t count_head(std::size_t& place, std::size_t end, Workspace& workspace) const;
    std::size_t count_slice(std::size_t start, std::size_t end, Workspace& workspace) const;
    std::size_t count_head_after(Bytes before, std::size_t& place, std::size_t end, Workspace& workspace) const;
    std::size_t pretoken_end(std::size_t place, std::size_t limit) const;
    // The tokens of a pre-token of a slice, and of what is left of one between the starts of pieces.
    std::size_t count_piece(std::size_t start, std::size_t end, Workspace& workspace) const;
    std::size_t count_rest(std::size_t start, std::size_t end, Workspace& workspace) const;
    std::optional<std::pair<std::size_t, std::size_t>> long_piece_around(std::size_t place) const;
    bool near_long(std::size_t place) const;
    const RunIndex& index() const;
    const IntervalTree& tree(std::size_t first, std::size_t last) const;

    std::shared_ptr<const Encoder> encoder_;
    std::uint64_t number_;  // no other has it
    Bytes text_;
    std::vector<Word> words_;
    std::vector<std::uint8_t> sums_;  // the tokens before each piece, and the end, since the first that starts in the same word: less than 64
    std::vector<std::pair<std::size_t, std::size_t>> long_;  // start and end of the long pre-tokens
    bool has_seams_ = false;

    // The last long run of low letters that was read, its start and its end in 32 bits each: one part of a text is cut at many places.
    mutable std::atomic<std::uint64_t> low_letters_ = 0;

    mutable std::mutex mutex_;  // of the data that is made on demand
    mutable std::unique_ptr<RunIndex> index_;
    mutable std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<IntervalTree>> trees_;
};

// Offsets of characters in UTF-8: a str counts characters, the core counts bytes.
class CharacterPlaces {
public:
    explicit CharacterPlaces(Bytes text);

    std::size_t size() const { return size_; }  // characters
    // The byte where character `index` starts; `index` <= size.
    std::size_t byte_of(std::size_t index) const;
    std::size_t memory() const { return every_64th_.capacity() * sizeof(std::size_t); }

private:
    Bytes text_;
    std::size_t size_ = 0;
    std::vector<std::size_t> every_64th_;
};

}  // namespace bpe
