#include "bpe/models/piece_model.hpp"

namespace bpe {

std::size_t PieceModel::count(Bytes piece) const {
    thread_local std::vector<std::uint32_t> ids;
    ids.clear();
    encode(piece, ids, nullptr);
    return ids.size();
}

std::size_t GrowingPiece::count_with(const std::vector<AddedPart>& parts) {
    struct Back {
        GrowingPiece& piece;
        std::size_t size;
        ~Back() { piece.truncate(size); }
    } const back{*this, size()};
    for (AddedPart const& part : parts) extend(part.text);  // no other piece makes tables
    return count();
}

}  // namespace bpe
