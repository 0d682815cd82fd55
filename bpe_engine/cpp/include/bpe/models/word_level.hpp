// WordLevel: a pre-token is one token as a whole, or the unknown token.
#pragma once

#include <optional>

#include "bpe/models/piece_model.hpp"
#include "bpe/trie.hpp"

namespace bpe {

class WordLevelModel : public PieceModel {
public:
    // `ids` are those of `tokens`; of equal tokens the last one counts.
    WordLevelModel(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, std::optional<std::uint32_t> unknown);

    void encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const override;
    std::size_t count(Bytes piece) const override;
    std::unique_ptr<GrowingPiece> growing(Side side) const override;

private:
    class Growing;

    // The id of the token at the node where a walk through the trie ended, or the unknown token; none if there is neither.
    std::optional<std::uint32_t> id_of(Trie::Node node) const;

    std::vector<std::uint32_t> ids_;  // by rank
    Trie trie_;
    std::optional<std::uint32_t> unknown_;
};

}  // namespace bpe
