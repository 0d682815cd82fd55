#include "bpe/models/word_level.hpp"

#include "distinct_tokens.hpp"

namespace bpe {

WordLevelModel::WordLevelModel(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, std::optional<std::uint32_t> unknown)
    : trie_(trie_of(tokens, ids, ids_)), unknown_(unknown) {}

std::optional<std::uint32_t> WordLevelModel::id_of(Trie::Node node) const {
    return node != 0 && Trie::rank(node) != no_rank ? ids_[Trie::rank(node)] : unknown_;
}

void WordLevelModel::encode(Bytes piece, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>* lengths) const {
    if (piece.size == 0) return;
    Trie::Node node = trie_.root_node();
    for (std::size_t place = 0; place < piece.size && node != 0; ++place) node = trie_.child(node, piece[place]);
    std::optional<std::uint32_t> const id = id_of(node);
    if (!id) throw NoUnknownTokenError(piece[0], 0);
    ids.push_back(*id);
    if (lengths) lengths->push_back(static_cast<std::uint32_t>(piece.size));
}

std::size_t WordLevelModel::count(Bytes piece) const {
    if (piece.size == 0) return 0;
    if (unknown_) return 1;
    return PieceModel::count(piece);
}

// The node of the trie after each byte.
class WordLevelModel::Growing : public GrowingPiece {
public:
    explicit Growing(const WordLevelModel& model) : model_(&model), nodes_{model.trie_.root_node()} {}

    void extend(Bytes more) override {
        if (more.size > 0 && nodes_.size() == 1) first_ = more[0];
        for (Byte const byte : more) nodes_.push_back(nodes_.back() == 0 ? 0 : model_->trie_.child(nodes_.back(), byte));
    }
    void truncate(std::size_t size) override { nodes_.resize(size + 1); }
    std::size_t size() const override { return nodes_.size() - 1; }
    std::size_t count() override {
        if (size() > 0 && !model_->id_of(nodes_.back())) throw NoUnknownTokenError(first_, 0);
        return fewest();
    }
    std::size_t fewest() override { return size() > 0 ? 1 : 0; }
    std::size_t read(std::vector<std::uint32_t>& ids) override {
        if (count() > 0) ids.push_back(*model_->id_of(nodes_.back()));
        return 0;
    }

private:
    const WordLevelModel* model_;
    std::vector<Trie::Node> nodes_;
    Byte first_ = 0;
};

std::unique_ptr<GrowingPiece> WordLevelModel::growing(Side side) const { return side == Side::right ? std::make_unique<Growing>(*this) : nullptr; }

}  // namespace bpe
