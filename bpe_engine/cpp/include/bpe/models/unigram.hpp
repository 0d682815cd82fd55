// Unigram: of all ways to split a piece into tokens, the one with the highest sum of scores (Viterbi).
//
//     tokens     a -1   b -2   ab -2.5   bc -3.5   unknown: the lowest score - 10, here -13.5
//
//     text       a     b     c                     each character has a row: the best split of the text up to it, and its last token
//     last       a     ab    bc                    abc = a bc: -1 - 3.5, better than ab and the unknown c: -2.5 - 13.5
//     score     -1    -2.5  -4.5
//     tokens     1     1     2
//
// Earlier rows determine a row, so rows may be cut off at the end. An automaton finds the tokens that end at an offset, longest first. Of equal sums
// the longest last token wins, as in both libraries. The automaton takes O(1) amortized, and each token that ends at an offset one step. These tokens
// have different sizes: a vocabulary of V bytes has at most sqrt(2 V) of them, for any text, and real vocabularies have about three.
//
// Two libraries, two kinds of arithmetic (Flavor). Adjacent unknown characters are one: the unknown token, or the tokens of all their bytes.
#pragma once

#include <array>
#include <optional>

#include "bpe/models/piece_model.hpp"
#include "bpe/models/token_automaton.hpp"

namespace bpe {

struct UnigramOptions {
    // `tokenizers`: sums are doubles; every token can be found in a text, including the unknown token and byte tokens; a run of unknown characters
    // whose text is a token is that token.
    // `sentencepiece` 0.2.3: sums are floats, and restart at 0 after a sum beyond 100,000; a user-defined token scores 0.1 * (bytes - 1).
    enum class Flavor { tokenizers, sentencepiece };

    Flavor flavor = Flavor::tokenizers;
    std::optional<std::uint32_t> unknown;  // the id of the unknown token
    // The ids of the byte tokens, none for a byte without one. A run of unknown characters whose bytes all have tokens is encoded with these.
    std::array<std::optional<std::uint32_t>, 256> bytes{};
    std::vector<std::uint32_t> user_defined;  // ids; only for sentencepiece
};

class UnigramJoins;
class GrowingUnigram;

class UnigramModel : public PieceModel {
public:
    // `ids` and `scores` are those of `tokens`; of equal tokens the last one counts. No score is NaN. For sentencepiece: only the normal
    // and the user-defined pieces.
    UnigramModel(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, const std::vector<double>& scores, const UnigramOptions& options);

    // Each byte of a run of unknown characters that is encoded with byte tokens has the length 1. Throws EncodingError for a character without a
    // token even if only the best split up to an offset that is not on the best split of the whole needs one, as `tokenizers` does.
    void encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const override;
    std::size_t count(Bytes piece) const override;
    std::size_t most_bytes() const override { return has_all_bytes_ ? longest_ : 0; }
    // `fewest` looks back as far as a token that continues after the end may start.
    std::unique_ptr<GrowingPiece> growing(Side side) const override;
    // A piece that grows to the right, after text with this sum of scores.
    std::unique_ptr<GrowingPiece> growing_after(double sum) const;
    ~UnigramModel() override;

    // Whether a token, or a run of unknown characters, may cross the boundary between two characters. If not, a piece can be split there, apart from
    // rounding. Seldom returns true although nothing can cross.
    bool may_join(char32_t left, char32_t right) const;

private:
    friend class UnigramRows;
    friend class UnigramUnits;
    friend class GrowingUnigram;

    std::unique_ptr<const TokenAutomaton> automaton_;
    std::unique_ptr<const UnigramJoins> joins_;
    std::vector<std::uint32_t> ids_;  // by rank
    std::size_t longest_ = 0;         // bytes
    double unknown_score_;
    std::optional<std::uint32_t> unknown_;
    Rank unknown_rank_ = no_rank;  // of the unknown token if it can be found in a text
    std::array<std::optional<std::uint32_t>, 256> bytes_;
    bool has_any_byte_ = false, has_all_bytes_ = true;
    bool is_float_;
};

}  // namespace bpe
