// All tokens of a vocabulary: their bytes, the halves that each is merged from, and what is built from them on demand.
//
//     rank      0    1    2    3     4     5     6
//     bytes     a    b    c    ac    bb    ab    acbb       one after the other in `bytes_`, parted by `offsets_`
//     halves    -    -    -    0,2   1,1   0,1   3,4        a single byte is its own half; "-" where no merge makes it
//
// Two facts carry every fast algorithm here (GitHub's `bpe` crate is built on them): each prefix of a text has one last token, and
// a sequence of tokens is an encoding if and only if each neighbouring pair is.
//
// Ranks are the order of merging, and a token comes after its halves. Of some vocabularies no order of tokens is that of merging in all texts
// (bpe_engine/fallback/merge_order.py tells why): then there are priorities besides, and pairs of merges of which the ranks say the wrong one first.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "bpe/merge_map.hpp"
#include "bpe/seams.hpp"
#include "bpe/trie.hpp"
#include "bpe/types.hpp"

namespace bpe {

class RepeatedRows;

class Dictionary {
public:
    // From tokens in merge order. Finds the halves of each by merging its bytes.
    // Throws VocabularyError where a token is merged from a later one, or from a byte that is no token; and where one is empty, or there
    // twice (damaged).
    static std::shared_ptr<const Dictionary> from_tokens(const std::vector<Bytes>& tokens);

    // From the halves themselves, packed as six planes of one byte a token: the low, middle and high byte of the left half, then of
    // the right one. A single byte has its value as left half and 0xFFFFFF as right half. Throws VocabularyError (damaged)
    // where a half is no earlier token. That the halves are those that merging finds is believed: planes are package data, read in a hurry.
    static std::shared_ptr<const Dictionary> from_planes(Bytes planes);

    // Facts about tokens whose ranks are not the order of merging in all texts.
    struct Disorder {
        std::vector<Rank> priorities;  // of each token: the lowest merges first, the leftmost of equals
        std::vector<Halves> halves;    // what each token is merged from, by `halves_of`
        bool in_order;                 // a token comes after its halves
        std::vector<Halves>
            crossings;  // two tokens that share a half, the left one's right and the right one's left, of which the one with the higher rank comes first
    };
    // From tokens in an order that is nearly that of merging. Throws VocabularyError (damaged) where the halves are not those of the tokens.
    static std::shared_ptr<const Dictionary> from_disorder(const std::vector<Bytes>& tokens, Disorder disorder);

    // From tokens with ranks of any kind, of which the lowest merges first, the leftmost of equals.
    struct Ranked {
        std::shared_ptr<const Dictionary> dictionary;
        std::vector<Rank> order;  // which of the given tokens has which rank in the dictionary
        Disorder disorder;        // no priorities and halves where the tokens were in order from the start
    };
    // Throws VocabularyError as `halves_of`, and TooIntricate.
    static Ranked from_ranks(const std::vector<Bytes>& tokens, const std::vector<Rank>& ranks);

    // The halves of tokens whose merges have priorities: the lowest first, the leftmost of equals. Throws as `from_tokens`, but for the order.
    static std::vector<Halves> halves_of(const std::vector<Bytes>& tokens, std::vector<Rank> priorities);

    // Whether ranks are the order of merging in all texts; and in this one.
    bool is_ordered() const { return priorities_.empty(); }
    bool is_ordered(Bytes piece) const { return priorities_.empty() || is_ordered_in(piece); }
    Rank priority(Rank token) const { return priorities_.empty() ? token : priorities_[token]; }
    // Whether `left` is made before `right`, two merges that share a half: the right one of `left` and the left one of `right`.
    bool comes_first(Rank left, Rank right) const { return (left <= right) != std::binary_search(crossings_.begin(), crossings_.end(), key_of(left, right)); }

    std::size_t size() const { return halves_.size(); }
    std::size_t longest() const { return longest_; }  // bytes
    std::size_t length(Rank token) const { return offsets_[token + 1] - offsets_[token]; }
    Bytes bytes(Rank token) const { return {bytes_.data() + offsets_[token], length(token)}; }

    // The token that is this one byte; no_rank where there is none.
    Rank byte(Byte value) const { return byte_ranks_[value]; }
    Halves halves(Rank token) const { return halves_[token]; }
    bool reachable(Rank token) const { return halves_[token].left != no_rank; }
    // Whether some token comes from no merge: then a whole pre-token may be one.
    bool has_unreachable() const { return has_unreachable_; }
    // Whether every byte is a token.
    bool has_all_bytes() const { return has_all_bytes_; }

    Rank merged(Rank left, Rank right) const { return merges_.find(left, right, halves_.data()); }
    // The token of two single bytes that are tokens: from a table of 65,536.
    Rank merged_bytes(Byte left, Byte right) const { return byte_pairs_[left << 8 | right]; }

    // The token with these very bytes, reachable or not; no_rank where there is none.
    Rank find(Bytes token) const;

    // Tries over the reachable tokens; built when first asked for.
    const Trie& starting() const { return *lazily(starting_, Trie::Direction::forward, true); }
    const Trie& ending() const { return *lazily(ending_, Trie::Direction::backward, true); }
    // `starting` for all tokens.
    const Trie& starting_any() const { return has_unreachable_ ? *lazily(starting_any_, Trie::Direction::forward, false) : starting(); }
    const Trie& ending_any() const { return has_unreachable_ ? *lazily(ending_any_, Trie::Direction::backward, false) : ending(); }

    // The places that no token reaches over; built when first asked for.
    const Seams& seams() const {
        std::call_once(seams_once_, [this] { seams_ = std::make_unique<const Seams>(*this); });
        return *seams_;
    }

    // The rows of repetitions, which all tables share that grow to the right, or to the left; made when first asked for.
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
    static constexpr std::size_t longest_cut = 64;  // bytes; all cuts of longer tokens would take too long
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
    mutable Rank twice_ = no_rank;  // the first token that stands there before
};

// `compatible` for any order: looks at every merge that there may be at the join. Time: the product of both depths.
bool compatible_by_merges(const Dictionary& dictionary, Rank left, Rank right);

// May token `right` follow token `left`? It may if the bytes of both together encode to just these two. Both must be reachable.
//
// The test un-merges the pair from the outside in: if what meets at the join makes a token that would have been merged before the ones
// that swallowed it, the two cannot have come about side by side. Source: `is_valid_token_pair` of GitHub's `bpe` crate.
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
        // The younger is un-merged first, the right one of equals: merging goes from left to right.
        if (left_half != left && (left > right || right_half == right)) {
            limit = left;
            left = left_half;
        } else {
            limit = right + 1;
            right = right_half;
        }
    }
}

}  // namespace bpe
