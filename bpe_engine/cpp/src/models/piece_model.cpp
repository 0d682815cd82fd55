#include "bpe/models/piece_model.hpp"

namespace bpe {

std::size_t PieceModel::count(Bytes piece) const {
    thread_local std::vector<std::uint32_t> ids;
    ids.clear();
    encode(piece, ids, nullptr);
    return ids.size();
}

}  // namespace bpe
