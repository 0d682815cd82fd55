// Unigram: of all ways to part a piece into tokens the one with the highest sum of scores (Viterbi).
//
//     tokens     a -1   b -2   ab -2.5   bc -3.5   unknown: the lowest score - 10, here -13.5
//
//     text       a     b     c                     each character has a row: the best way to part the text up to it, and its last token
//     last       a     ab    bc                    abc = a bc: -1 - 3.5, which beats ab and the unknown c: -2.5 - 13.5
//     score     -1    -2.5  -4.5
//     tokens     1     1     2
//
// A row is found from earlier rows alone, so rows may be cut off at the end; tokens that end at a place come from an automaton, longest first.
// Of equal sums the longest last token wins, as there. That makes O(1) amortized for the automaton, and one step for each token that ends at
// a place. These have different sizes: a vocabulary of V bytes has at most sqrt(2 V) of them, whatever the text, and real ones have about three.
//
// Two libraries, two kinds of arithmetic (Flavor). Neighbouring unknown characters are one: the unknown token, or the token of each byte of them.
#pragma once

#include <array>
#include <optional>

#include "bpe/models/piece_model.hpp"
#include "bpe/models/token_automaton.hpp"

namespace bpe {

struct UnigramOptions {
    // `tokenizers`: sums are doubles; every token can be found in a text, the unknown token and those of bytes, too; characters in a run of
    // unknown ones that make a token after all are that token.
    // `sentencepiece` 0.2.3: sums are floats, and begin anew at 0 where one is beyond 100,000; a user-defined token scores 0.1 * (bytes - 1).
    enum class Flavor { tokenizers, sentencepiece };

    Flavor flavor = Flavor::tokenizers;
    std::optional<std::uint32_t> unknown;  // the id of the unknown token
    // The ids of the tokens of bytes, none where there is none. A run of unknown characters that has all its bytes here is written with them.
    std::array<std::optional<std::uint32_t>, 256> bytes{};
    std::vector<std::uint32_t> user_defined;  // ids; for sentencepiece alone
};

class UnigramJoins;

class UnigramModel : public PieceModel {
public:
    // `ids` and `scores` are those of `tokens`; of equal tokens the last one counts. No score is NaN. For sentencepiece: the normal and
    // the user-defined pieces, no others.
    UnigramModel(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, const std::vector<double>& scores, const UnigramOptions& options);

    // Each byte of a run of unknown characters that is written with tokens of bytes has the length 1. Throws EncodingError also where
    // a character has no token and only the best way to a place that is not on the best way to the end needs one, as `tokenizers` does.
    void encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const override;
    std::size_t count(Bytes piece) const override;
    std::size_t most_bytes() const override { return has_all_bytes_ ? longest_ : 0; }
    // `fewest` looks back as far as a token may reach that goes on beyond the end.
    std::unique_ptr<GrowingPiece> growing(Side side) const override;
    // One that grows to the right, behind this sum of scores.
    std::unique_ptr<GrowingPiece> growing_behind(double sum) const;
    ~UnigramModel() override;

    // Whether a token, or a run of unknown characters, may reach over the place between two characters; else a piece comes apart there, but for rounding.
    // May say yes where it is no, seldom.
    bool may_join(char32_t left, char32_t right) const;

private:
    friend class UnigramRows;
    friend class UnigramUnits;

    std::unique_ptr<const TokenAutomaton> automaton_;
    std::unique_ptr<const UnigramJoins> joins_;
    std::vector<std::uint32_t> ids_;  // by rank
    std::size_t longest_ = 0;         // bytes
    double unknown_score_;
    std::optional<std::uint32_t> unknown_;
    Rank unknown_rank_ = no_rank;  // of the unknown token where it can be found in a text
    std::array<std::optional<std::uint32_t>, 256> bytes_;
    bool has_any_byte_ = false, has_all_bytes_ = true;
    bool is_float_;
};

}  // namespace bpe
