// All tokens of a vocabulary: their bytes, the halves that each is merged from, and the structures built from them on demand.
//
//     rank      0    1    2    3     4     5     6
//     bytes     a    b    c    ac    bb    ab    acbb       one after the other in `bytes_`, delimited by `offsets_`
//     halves    -    -    -    0,2   1,1   0,1   3,4        a single byte is its own half; "-" if no merge makes it
//
// Every fast algorithm here rests on two facts (as does GitHub's `bpe` crate): each prefix of a text has one last token, and
// a sequence of tokens is an encoding if and only if each neighbouring pair is.
//
// Ranks are the order of merging, and a token comes after its halves. For some vocabularies no order of tokens is the merge order in all texts (see
// bpe_engine/fallback/merge_order.py). Then there are also priorities, and crossings: pairs of merges that happen in the opposite order of their ranks.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "bpe/merge_map.hpp"
#include "bpe/pair_memory.hpp"
#include "bpe/seams.hpp"
#include "bpe/trie.hpp"
#include "bpe/types.hpp"

namespace bpe {

class RepeatedRows;

class Dictionary {
public:
    // From tokens in merge order. Finds the halves of each by merging its bytes.
    // Throws VocabularyError if a token is merged from a later token, or from a byte that is no token; and if a token is empty or a
    // duplicate (damaged).
    static std::shared_ptr<const Dictionary> from_tokens(const std::vector<Bytes>& tokens);

    // From the halves themselves, packed as six planes of one byte a token: the low, middle and high byte of the left half, then of
    // the right one. A single byte has its value as left half and 0xFFFFFF as right half. Throws VocabularyError (damaged)
    // if a half is not an earlier token. Whether merging finds the same halves is not checked: planes are package data, and loading has to be fast.
    static std::shared_ptr<const Dictionary> from_planes(Bytes planes);

    // Facts about tokens whose ranks are not the order of merging in all texts.
    struct Disorder {
        std::vector<Rank> priorities;   // of each token: the lowest merges first, the leftmost of equals
        std::vector<Halves> halves;     // what each token is merged from, by `halves_of`
        bool in_order;                  // a token comes after its halves
        std::vector<Halves> crossings;  // pairs of tokens of which the one with the higher rank comes first; the right half of the left token is the left half
                                        // of the right token
    };
    // From tokens nearly in merge order. Throws VocabularyError (damaged) if the halves do not belong to the tokens.
    static std::shared_ptr<const Dictionary> from_disorder(const std::vector<Bytes>& tokens, Disorder disorder);

    // From tokens with ranks in any order: the lowest rank merges first, the leftmost of equals.
    struct Ranked {
        std::shared_ptr<const Dictionary> dictionary;
        std::vector<Rank> order;  // rank in the dictionary -> number of the given token
        Disorder disorder;        // without priorities and halves if the tokens were already in order
    };
    // Throws VocabularyError as `halves_of` does, and TooIntricate.
    static Ranked from_ranks(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks);

    // The halves of tokens whose merges have priorities: the lowest first, the leftmost of equals. Throws as `from_tokens` does, except for the order.
    static std::vector<Halves> halves_of(const std::vector<Bytes>& tokens, std::vector<Rank> priorities);

    // Whether ranks are the order of merging in all texts; and in this one.
    bool is_ordered() const { return priorities_.empty(); }
    bool is_ordered(Bytes piece) const { return priorities_.empty() || is_ordered_in(piece); }
    Rank priority(Rank token) const { return priorities_.empty() ? token : priorities_[token]; }
    // Whether the merge of `left` comes before that of `right`, where the right half of `left` is the left half of `right`.
    bool comes_first(Rank left, Rank right) const { return (left <= right) != std::binary_search(crossings_.begin(), crossings_.end(), key_of(left, right)); }

    std::size_t size() const { return halves_.size(); }
    std::size_t longest() const { return longest_; }  // bytes
    std::size_t length(Rank token) const { return offsets_[token + 1] - offsets_[token]; }
    Bytes bytes(Rank token) const { return {bytes_.data() + offsets_[token], length(token)}; }

    // The token of this single byte; no_rank if there is none.
    Rank byte(Byte value) const { return byte_ranks_[value]; }
    Halves halves(Rank token) const { return halves_[token]; }
    bool reachable(Rank token) const { return halves_[token].left != no_rank; }
    // Whether no merge makes some token: such a token can only be a whole pre-token.
    bool has_unreachable() const { return has_unreachable_; }
    // Whether every byte is a token.
    bool has_all_bytes() const { return has_all_bytes_; }

    Rank merged(Rank left, Rank right) const { return merges_.find(left, right, halves_.data()); }
    // The token of two single bytes that are tokens: from a table of 65,536.
    Rank merged_bytes(Byte left, Byte right) const { return byte_pairs_[left << 8 | right]; }

    // The token with exactly these bytes, reachable or not; no_rank if there is none.
    Rank find(Bytes token) const;

    // Tries over the reachable tokens, built on first use.
    const Trie& starting() const { return *lazily(starting_, Trie::Direction::forward, true); }
    const Trie& ending() const { return *lazily(ending_, Trie::Direction::backward, true); }
    // `starting` for all tokens.
    const Trie& starting_any() const { return has_unreachable_ ? *lazily(starting_any_, Trie::Direction::forward, false) : starting(); }
    const Trie& ending_any() const { return has_unreachable_ ? *lazily(ending_any_, Trie::Direction::backward, false) : ending(); }

    // The pairs of bytes between which no token crosses, built on first use.
    const Seams& seams() const {
        std::call_once(seams_once_, [this] { seams_ = std::make_unique<const Seams>(Bytes{bytes_.data(), bytes_.size()}, offsets_); });
        return *seams_;
    }

    // What is known of pairs of tokens; made on first use.
    PairMemory& pairs() const;

    // The rows of repetitions, shared by all tables that grow to the right, or to the left; made on first use.
    RepeatedRows& repeated(bool mirrored) const;

    // Throws EncodingError for the first byte of `piece` that is no token.
    void check_bytes(Bytes piece) const {
        if (has_all_bytes_) return;
        for (std::size_t place = 0; place < piece.size; ++place)
            if (byte_ranks_[piece[place]] == no_rank) throw EncodingError(piece[place], place);
    }

private:
    struct Lazy {
        std::once_flag once;
        std::unique_ptr<const Trie> trie;
    };

    Dictionary() = default;
    void take(const std::vector<Bytes>& tokens);
    static constexpr std::size_t longest_cut = 64;  // bytes; checking all cuts of longer tokens would take too long
    Rank find(Bytes token, std::uint64_t hash) const;
    void find_halves();
    // The hashes of both sides of each cut.
    struct Cuts {
        std::array<std::uint64_t, longest_cut> left, right;
    };
    void prepare_cut(Rank token, Cuts& cuts) const;
    bool find_cut(Rank token, const Cuts& cuts);
    bool fit(Rank left, Rank right) const;
    Halves merge_bytes(Rank token) const;
    void check_order() const;
    bool is_ordered_in(Bytes piece) const;
    static std::uint64_t key_of(Rank left, Rank right) { return std::uint64_t{left} << 32 | right; }
    void finish();
    const Trie* lazily(Lazy& lazy, Trie::Direction direction, bool reachable_only) const;
    void build_lookup() const;

    std::vector<Byte> bytes_;
    std::vector<std::uint32_t> offsets_{0};
    std::vector<Halves> halves_;
    std::array<Rank, 256> byte_ranks_;
    std::vector<Rank> byte_pairs_;
    MergeMap merges_;
    std::size_t longest_ = 1;  // 1 without tokens, too: sizes are divided by it
    bool has_unreachable_ = false;
    bool has_all_bytes_ = true;
    std::vector<Rank> priorities_;          // empty: the ranks
    std::vector<std::uint64_t> crossings_;  // sorted
    // The texts in which two merges cross; a piece with none of them is merged by rank.
    std::vector<std::vector<Byte>> crossed_;
    bool crosses_anywhere_ = false;
    std::size_t shortest_crossed_ = 0;

    mutable Lazy starting_, ending_, starting_any_, ending_any_;
    mutable std::once_flag pairs_once_;
    mutable std::unique_ptr<PairMemory> pairs_;
    mutable std::once_flag seams_once_;
    mutable std::unique_ptr<const Seams> seams_;
    struct Repeated {
        std::once_flag once;
        std::shared_ptr<RepeatedRows> rows;
    };
    mutable Repeated repeated_to_right_, repeated_to_left_;
    // Token bytes -> rank, open-addressed: the low half of a slot is the rank, the high half check bits.
    mutable std::once_flag lookup_once_;
    mutable std::vector<std::uint64_t> lookup_;
    mutable Rank twice_ = no_rank;  // the first duplicate token
};

// `compatible` for any order: checks every possible merge at the join. Time: the product of both depths.
bool compatible_by_merges(const Dictionary& dictionary, Rank left, Rank right);

// Whether token `right` may follow token `left`: whether the bytes of both together encode to exactly these two. Both must be reachable.
//
// The test un-merges the pair from the outside in: if the two tokens at the join make a token that is merged before the merges that included
// them in `left` and `right`, the two cannot occur side by side. Source: `is_valid_token_pair` of GitHub's `bpe` crate.
inline bool compatible(const Dictionary& dictionary, Rank left, Rank right) {
    if (!dictionary.is_ordered()) [[unlikely]]
        return compatible_by_merges(dictionary, left, right);
    Rank limit = no_rank;
    for (;;) {
        Rank const merged = dictionary.merged(left, right);
        if (merged != no_rank && merged < limit) return false;
        Rank const left_half = dictionary.halves(left).right;
        Rank const right_half = dictionary.halves(right).left;
        if (left_half == left && right_half == right) return true;
        // The later merge is undone first, of equals the right one, because merging goes from left to right.
        if (left_half != left && (left > right || right_half == right)) {
            limit = left;
            left = left_half;
        } else {
            limit = right + 1;
            right = right_half;
        }
    }
}

// The same, remembered in `pairs`.
inline bool compatible(const Dictionary& dictionary, Rank left, Rank right, PairMemory& pairs) {
    return pairs.fits(left, right, [&] { return compatible(dictionary, left, right); });
}

}  // namespace bpe
