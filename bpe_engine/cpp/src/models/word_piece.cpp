#include "bpe/models/word_piece.hpp"

#include "bpe/unicode.hpp"
#include "distinct_tokens.hpp"

namespace bpe {

WordPieceModel::WordPieceModel(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, const WordPieceOptions& options)
    : trie_(trie_of(tokens, ids, ids_)), inside_(trie_.root_node()), unknown_(options.unknown), most_characters_(options.most_characters) {
    for (std::size_t place = 0; place < options.prefix.size && inside_ != 0; ++place) inside_ = trie_.child(inside_, options.prefix[place]);
}

template <class Emit>
bool WordPieceModel::split(Bytes piece, Emit&& emit) const {
    if (too_long(piece)) return false;
    Trie::Node from = trie_.root_node();
    for (std::size_t start = 0; start < piece.size;) {
        Rank found = no_rank;
        std::size_t end = start;
        Trie::Node node = from;
        for (std::size_t place = start; place < piece.size; ++place) {
            node = trie_.child(node, piece[place]);
            if (node == 0) break;
            Rank const rank = Trie::rank(node);
            found = rank != no_rank ? rank : found;
            end = rank != no_rank ? place + 1 : end;
        }
        if (found == no_rank) return false;
        emit(found, end - start);
        start = end;
        from = inside_;
    }
    return true;
}

bool WordPieceModel::too_long(Bytes piece) const {
    if (piece.size <= most_characters_) return false;
    std::size_t characters = 0;
    for (std::size_t place = 0; place < piece.size && characters <= most_characters_; ++characters)
        place += character_size(piece.data + place, piece.size - place);
    return characters > most_characters_;
}

void WordPieceModel::encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const {
    std::size_t const before = ids.size(), lengths_before = lengths ? lengths->size() : 0;
    bool const known = split(piece, [&](Rank rank, std::size_t size) {
        ids.push_back(ids_[rank]);
        if (lengths) lengths->push_back(static_cast<std::uint32_t>(size));
    });
    if (known) return;
    if (!unknown_) throw NoUnknownTokenError(piece[0], 0);
    ids.resize(before);
    ids.push_back(*unknown_);
    if (!lengths) return;
    lengths->resize(lengths_before);
    lengths->push_back(static_cast<std::uint32_t>(piece.size));
}

std::size_t WordPieceModel::count(Bytes piece) const {
    std::size_t found = 0;
    if (split(piece, [&](Rank, std::size_t) { ++found; })) return found;
    if (!unknown_) throw NoUnknownTokenError(piece[0], 0);
    return 1;
}

}  // namespace bpe
