// Byte-pair encoding of any kind: ids in any order, merges by a list of pairs or by the ranks of the merged tokens, characters or bytes.
//
//     symbols       l o w e r            each character (or byte) that is a token, or the tokens that replace any other
//     best pair     l o w er             the pair with the lowest rank, the leftmost of equals, becomes one symbol
//                   lo w er
//                   low er               no pair left that merges
//
// Short pieces are merged without a heap (pair_merging.hpp), long ones with a heap of pairs: n log n. There are no requirements on the vocabulary: a token may
// have a lower id than its halves, two pairs may make the same token, and no pair may make some tokens.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bpe/models/merge_pairs.hpp"
#include "bpe/models/piece_model.hpp"
#include "bpe/seams.hpp"
#include "bpe/types.hpp"

namespace bpe {

class MergeModel final : public PieceModel {
public:
    enum class Unknown : std::uint8_t { error, drop, token };

    struct Token {
        Bytes text;  // its bytes; of a vocabulary of characters their UTF-8
        std::uint32_t id;
    };
    struct Merge {
        std::uint32_t left, right;  // ids
    };
    // A pair of `merges` that makes no token.
    struct NoToken {
        std::size_t place;
        std::string text;
    };

    struct Options {
        bool by_characters = false;
        bool ignore_merges = false;  // a pre-token that is a token is encoded as that token
        Unknown unknown = Unknown::error;
        std::uint32_t unknown_id = 0;
        bool fuse_unknown = false;
        // The prefix of the tokens of all characters but the first of a pre-token, and the suffix of the token of the last one.
        std::string continuing_prefix, end_suffix;
        // The id of each byte of a character that is no token; negative if there is none.
        std::array<std::int64_t, 256> byte_fallback;
    };

    // `merges`, the best first: each makes the token that is the concatenation of both, without the continuing prefix of the right one. Throws NoToken.
    MergeModel(const std::vector<Token>& tokens, const std::vector<Merge>& merges, const Options& options);
    // Any two neighbours merge whose concatenation is a token with a rank.
    static std::shared_ptr<MergeModel> by_ranks(const std::vector<Token>& tokens, const std::vector<std::uint32_t>& ranks, const Options& options);

    void encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const override;
    std::size_t count(Bytes piece) const override;
    std::size_t most_bytes() const override;
    // A piece that grows to either side. Null if a merge needs a token that stands in for other text, or a character that is no token is an error though whole
    // pre-tokens are tokens all the same; also null if tokens have a prefix or a suffix and one has two spellings, or characters fall back to bytes.
    std::unique_ptr<GrowingPiece> growing(Side side) const override;

    // The ids of the tokens that merging their own bytes or characters does not make.
    std::vector<std::uint32_t> never_made() const;
    // Fills the tables of `may_join`; call before `may_join`. Several threads may call it at once.
    void learn_joins() const;
    // Whether a merge may cross the boundary between two characters (or bytes). If not, a text can be split there, whatever the text around. Seldom returns
    // true although no merge can.
    bool may_join(std::uint32_t left, std::uint32_t right) const {
        if (left < 128 && right < 128) [[likely]]
            return ascii_joins_[left][right >> 6] >> (right & 63) & 1;
        return may_join_beyond_ascii(left, right);
    }
    bool may_join_beyond_ascii(std::uint32_t left, std::uint32_t right) const {
        if (touching_.has(left, right)) return true;
        if (left < traits_.size() && right < traits_.size()) [[likely]] {
            std::uint8_t const one = traits_[left], other = traits_[right];
            if ((one & ends_whole) || (other & begins_whole)) return true;
            return joins_unknown_ && (options_.unknown == Unknown::drop ? (one | other) & is_unknown : one & other & is_unknown);
        }
        if (!whole_firsts_.empty() && (whole_firsts_.contains(right) || whole_lasts_.contains(left))) return true;
        if (!joins_unknown_) return false;
        // ASCII first, which is one look-up in a table.
        if (right < 128) std::swap(left, right);
        return options_.unknown == Unknown::drop ? !is_known(left) || !is_known(right) : !is_known(left) && !is_known(right);
    }
    // The characters (or bytes) that some token may hold side by side: of bytes a table, of characters a filter that has false positives.
    class Touching {
    public:
        // Whether two of them may be.
        bool has(std::uint32_t left, std::uint32_t right) const {
            std::uint64_t const bit = bit_of(left, right);
            return bits_[bit >> 6] >> (bit & 63) & 1;
        }
        // Before `add`; of characters with room for at least so many pairs, a few bits each.
        void begin_bytes() {
            bits_.assign(0x10000 / 64, 0);
            left_factor_ = std::uint64_t{1} << 56, right_factor_ = std::uint64_t{1} << 48, shift_ = 48;
        }
        void begin_characters(std::size_t count) {
            bits_.assign(std::bit_ceil(count / 8 + 16), 0);
            left_factor_ = 0x9E3779B97F4A7C15ull, right_factor_ = 0xD6E8FEB86659FD93ull, shift_ = 64 - std::countr_zero(bits_.size() * 64);
        }
        void add(std::uint32_t left, std::uint32_t right) {
            std::uint64_t const bit = bit_of(left, right);
            bits_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
        }

    private:
        std::uint64_t bit_of(std::uint32_t left, std::uint32_t right) const { return (left * left_factor_ ^ right * right_factor_) >> shift_; }
        std::vector<std::uint64_t> bits_ = std::vector<std::uint64_t>(1);
        std::uint64_t left_factor_ = 0, right_factor_ = 0;
        int shift_ = 0;
    };
    const Touching& touching() const { return touching_; }
    // Of a character: `may_join` of it and another one like it is what `touching` says.
    bool joins_plainly(std::uint32_t character) const { return character < traits_.size() && traits_[character] == 0; }
    // Whether `may_join` is valid: not if tokens are spelled differently inside of a pre-token.
    bool tells_joins() const { return !is_marked(); }
    bool by_characters() const { return options_.by_characters; }
    // Whether the seams between characters from U+3000 on are known: of models of bytes.
    bool knows_seams() const;
    // If they are known; made when they are asked for first.
    const Seams& seams() const;
    bool is_known(std::uint32_t character) const;

private:
    struct Symbol {
        std::uint32_t id;      // internal
        std::uint32_t length;  // bytes
    };

    explicit MergeModel(const Options& options) : options_(options) {}
    bool is_marked() const { return !options_.continuing_prefix.empty() || !options_.end_suffix.empty(); }
    void add_tokens(const std::vector<Token>& tokens);
    // Fills `marked_bytes_`.
    void spell_bytes();
    // Prepares what merging begins with, after all merges were added.
    void index_first();
    // Internal number of a token; -1 if there is none.
    std::int64_t find_token(Bytes text) const;
    std::int64_t find_token(Bytes text, std::uint64_t hash) const;
    // Id -> internal number. A table unless the ids are far apart.
    class Numbers {
    public:
        explicit Numbers(const std::vector<std::uint32_t>& ids);
        // The number of an id that has one. Throws std::out_of_range otherwise.
        std::uint32_t at(std::uint32_t id) const;
        // The number of an id, and whether it is new: a new id gets `next`.
        std::pair<std::uint32_t, bool> add(std::uint32_t id, std::uint32_t next);

    private:
        std::vector<std::uint32_t> table_;
        std::unordered_map<std::uint32_t, std::uint32_t> others_;
    };
    // Also numbers the ids of the unknown token and the byte tokens, and converts the options to internal numbers.
    Numbers number_ids();
    bool is_made(std::uint32_t number, std::vector<Symbol>& buffer) const;
    void learn_bytes() const;
    void learn_characters() const;
    void find_whole_tokens() const;
    void symbols(Bytes piece, std::vector<Symbol>& out) const;
    template <bool in_order>
    class Row;
    template <bool in_order>
    void merge_few(std::vector<Symbol>& symbols) const;
    void merge(std::vector<Symbol>& symbols) const;
    // The symbols of a piece after all merges, until the next call in this thread.
    const std::vector<Symbol>& merged(Bytes piece) const;
    // The number of the token that the whole piece is, where `ignore_merges` asks for it; -1 if there is none.
    std::int64_t whole_token(Bytes piece) const;
    static void merge_by_heap(const MergeModel& model, std::vector<Symbol>& symbols);
    struct Growth;
    template <bool to_left>
    class Growing;
    struct Unmarked;
    class GrowingMarked;
    std::unique_ptr<GrowingPiece> growing_marked(Side side) const;
    class GrowingWithoutDropped;
    // `kept`: a piece that grows, and gets all characters but those that are dropped.
    std::unique_ptr<GrowingPiece> without_dropped(std::unique_ptr<GrowingPiece> kept, Side side) const;
    bool falls_back(Bytes character) const {
        return character.size > 0 && std::all_of(character.begin(), character.end(), [this](Byte byte) { return options_.byte_fallback[byte] >= 0; });
    }
    std::shared_ptr<const Unmarked> make_unmarked() const;
    // Whether a token is one character (or byte), at any position of a pre-token.
    bool is_symbol(Bytes token) const;
    std::size_t unit_size(Bytes text, std::size_t place) const;
    std::shared_ptr<Growth> make_growth() const;
    const std::shared_ptr<Growth>& growth() const;
    // The count of a long piece that repeats a unit of up to four bytes; none for other pieces, or if it is not found soon.
    std::optional<std::size_t> count_repetition(Bytes piece) const;
    // The halves of the last merge that makes a token from its characters, and whether its merges are in order: a derivation of Growth.
    std::uint64_t derive(std::uint32_t token) const;
    Bytes text_of(std::uint32_t token) const;
    // Merges the pair with the lowest rank, the leftmost of equals, and returns it; `none` if no pair merges.
    MergePairs::Pair merge_best(std::vector<Symbol>& symbols) const;
    static std::uint32_t code_at_start(Bytes text, std::size_t& size);

    Options options_;
    std::vector<std::uint32_t> ids_;  // internal number -> id
    std::vector<Byte> bytes_;
    std::vector<std::uint32_t> offsets_{0};
    std::vector<std::uint64_t> lookup_;  // token -> internal number + 1, and in the high half bits of its hash; open-addressed
    MergePairs pairs_;
    std::array<std::int64_t, 256> byte_tokens_;                    // single bytes, or ASCII characters
    std::array<std::array<std::int64_t, 256>, 4> marked_bytes_;    // bytes with the prefix (1), with the suffix (2), with both: where tokens have them
    std::unordered_map<std::uint32_t, std::uint32_t> characters_;  // other single characters -> internal number
    std::size_t longest_ = 0;
    bool joins_unknown_ = false;
    mutable std::once_flag joins_once_;
    mutable std::array<std::array<std::uint64_t, 2>, 128> ascii_joins_{};  // the results of `may_join` for ASCII
    // First and last characters of tokens that only a whole pre-token can be. There are no splits next to them, so that no part of a pre-token is taken for a
    // whole one.
    mutable std::unordered_set<std::uint32_t> whole_firsts_, whole_lasts_;
    // The same, and whether they are no token, for the characters of the basic plane: one look-up in a table each.
    enum : std::uint8_t { is_unknown = 1, begins_whole = 2, ends_whole = 4 };
    mutable std::vector<std::uint8_t> traits_;
    mutable Touching touching_;
    mutable std::once_flag seams_once_;
    mutable std::unique_ptr<const Seams> seams_;
    mutable std::once_flag growth_once_;
    mutable std::shared_ptr<Growth> growth_;
    mutable std::atomic<bool> has_growth_{false};
    mutable std::atomic<std::size_t> repeated_{0};  // bytes of repetitions that were merged
    mutable std::once_flag unmarked_once_;
    mutable std::shared_ptr<const Unmarked> unmarked_;
};

}  // namespace bpe
