// WordPiece: the longest token at the start of a word, then repeatedly the longest token at the start of the rest.
//
//     tokens  un, aff, ##aff, ##able, [UNK]        unaffable  ->  un ##aff ##able
//                                                  unaffably  ->  [UNK]                 if no token fits, the whole word is unknown
//
// Tokens inside a word are written with a prefix. In the trie of all tokens they are below the node of the prefix, so a walk for the rest of a
// word starts there. A word takes at most its length times that of the longest token; in real vocabularies walks end soon, and the failure
// links of LinMaxMatch (Song et al., "Fast WordPiece Tokenization", 2021) would cost a second read of each node. Making the trie takes as long as reading the
// file does, so the first kilobytes are looked up in a hash table, from the longest possible token down.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "bpe/files/token_list.hpp"
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
    // Distinct tokens, which are indexed.
    WordPieceModel(std::shared_ptr<const files::TokenList> tokens, const WordPieceOptions& options);

    void encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const override;
    std::size_t count(Bytes piece) const override;
    std::size_t most_fall() const override { return most_characters_; }

private:
    // Calls `emit(number, bytes)` for each token; false if the word is unknown.
    template <class Emit>
    bool split(Bytes piece, Emit&& emit) const;
    template <class Emit>
    bool look_up(Bytes piece, Emit&& emit) const;
    bool too_long(Bytes piece) const;

    struct Walks {
        Walks(const files::TokenList& tokens, Bytes prefix);
        Trie trie;          // the rank of a token is its number
        Trie::Node inside;  // the node at which walks start after the first token; 0 if no token has the prefix
    };
    // For a piece of so many bytes. Null for the first `worth_walks` look-ups, which `look_up` counts.
    const Walks* walks(std::size_t size) const;

    std::shared_ptr<const files::TokenList> tokens_;
    std::size_t longest_ = 0;  // bytes of a token
    std::vector<Byte> prefix_;
    mutable std::atomic<std::size_t> looked_up_ = 0;
    mutable std::atomic<const Walks*> known_walks_ = nullptr;
    mutable std::once_flag walks_once_;
    mutable std::unique_ptr<const Walks> walks_;
    std::optional<std::uint32_t> unknown_;
    std::size_t most_characters_;
};

}  // namespace bpe
