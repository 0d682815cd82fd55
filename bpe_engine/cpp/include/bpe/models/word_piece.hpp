// WordPiece: the longest token at the start of a word, then repeatedly the longest token at the start of the rest.
//
//     tokens  un, aff, ##aff, ##able, [UNK]        unaffable  ->  un ##aff ##able
//                                                  unaffably  ->  [UNK]                 if no token fits, the whole word is unknown
//
// Tokens inside a word are written with a prefix. In the trie of all tokens they are below the node of the prefix, so a walk for the rest of a
// word starts there. A word takes at most its length times that of the longest token; in real vocabularies walks end soon, and the failure
// links of LinMaxMatch (Song et al., "Fast WordPiece Tokenization", 2021) would cost a second read of each node.
#pragma once

#include <optional>

#include "bpe/models/piece_model.hpp"
#include "bpe/trie.hpp"

namespace bpe {

struct WordPieceOptions {
    Bytes prefix;                          // of the tokens inside a word: usually "##"
    std::optional<std::uint32_t> unknown;  // the id of the unknown token
    std::size_t most_characters = 100;     // a longer word is unknown
};

class WordPieceModel : public PieceModel {
public:
    // `ids` are those of `tokens`; of equal tokens the last one counts.
    WordPieceModel(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, const WordPieceOptions& options);

    void encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const override;
    std::size_t count(Bytes piece) const override;

private:
    // Calls `emit(rank, bytes)` for each token; false if the word is unknown.
    template <class Emit>
    bool split(Bytes piece, Emit&& emit) const;
    bool too_long(Bytes piece) const;

    std::vector<std::uint32_t> ids_;  // by rank
    Trie trie_;
    Trie::Node inside_;  // the node at which walks start after the first token; 0 if no token has the prefix
    std::optional<std::uint32_t> unknown_;
    std::size_t most_characters_;
};

}  // namespace bpe
