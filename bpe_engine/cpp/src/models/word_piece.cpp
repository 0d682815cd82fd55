#include "bpe/models/word_piece.hpp"

#include <stdexcept>

#include "bpe/thresholds.hpp"
#include "bpe/unicode.hpp"
#include "distinct_tokens.hpp"

namespace bpe {

namespace {

Trie trie_of(const files::TokenList& tokens) {
    std::vector<Bytes> texts;
    std::vector<Rank> ranks;
    for (Rank number = 0; number < tokens.size(); ++number) {
        if (tokens.text(number).size == 0) continue;
        texts.push_back(tokens.text(number));
        ranks.push_back(number);
    }
    return Trie(texts, ranks, Trie::Direction::forward);
}

std::shared_ptr<const files::TokenList> list_of(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids) {
    auto list = std::make_shared<files::TokenList>();
    for (std::uint32_t const index : distinct_tokens(tokens))
        if (!list->add(tokens[index], ids[index])) throw std::length_error("too many tokens");
    (void)list->index();
    return list;
}

}  // namespace

WordPieceModel::WordPieceModel(const std::vector<Bytes>& tokens, const std::vector<std::uint32_t>& ids, const WordPieceOptions& options)
    : WordPieceModel(list_of(tokens, ids), options) {}

WordPieceModel::WordPieceModel(std::shared_ptr<const files::TokenList> tokens, const WordPieceOptions& options)
    : tokens_(std::move(tokens)), prefix_(options.prefix.begin(), options.prefix.end()), unknown_(options.unknown), most_characters_(options.most_characters) {
    for (std::uint32_t number = 0; number < tokens_->size(); ++number) longest_ = std::max(longest_, tokens_->text(number).size);
}

WordPieceModel::Walks::Walks(const files::TokenList& tokens, Bytes prefix) : trie(trie_of(tokens)), inside(trie.root_node()) {
    for (std::size_t place = 0; place < prefix.size && inside != 0; ++place) inside = trie.child(inside, prefix[place]);
}

const WordPieceModel::Walks* WordPieceModel::walks(std::size_t size) const {
    if (Walks const* const known = known_walks_.load(std::memory_order_acquire)) return known;
    if (looked_up_.load(std::memory_order_relaxed) + size * std::min(size, longest_) < thresholds::worth_walks) return nullptr;
    std::call_once(walks_once_, [this] {
        walks_ = std::make_unique<const Walks>(*tokens_, Bytes{prefix_.data(), prefix_.size()});
        known_walks_.store(walks_.get(), std::memory_order_release);
    });
    return walks_.get();
}

template <class Emit>
bool WordPieceModel::split(Bytes piece, Emit&& emit) const {
    if (too_long(piece)) return false;
    Walks const* const known = walks(piece.size);
    if (!known) return look_up(piece, emit);
    Trie const& trie = known->trie;
    Trie::Node from = trie.root_node();
    for (std::size_t start = 0; start < piece.size;) {
        Rank found = no_rank;
        std::size_t end = start;
        Trie::Node node = from;
        for (std::size_t place = start; place < piece.size; ++place) {
            node = trie.child(node, piece[place]);
            if (node == 0) break;
            Rank const rank = Trie::rank(node);
            found = rank != no_rank ? rank : found;
            end = rank != no_rank ? place + 1 : end;
        }
        if (found == no_rank) return false;
        emit(found, end - start);
        start = end;
        from = known->inside;
    }
    return true;
}

template <class Emit>
bool WordPieceModel::look_up(Bytes piece, Emit&& emit) const {
    std::vector<Byte> written;
    for (std::size_t start = 0; start < piece.size;) {
        std::size_t const before = start == 0 ? 0 : prefix_.size();
        written.assign(prefix_.begin(), prefix_.begin() + static_cast<std::ptrdiff_t>(before));
        written.insert(written.end(), piece.begin() + start, piece.end());
        std::size_t size = std::min(written.size(), longest_);
        std::uint32_t found = files::TokenList::none;
        std::size_t const most = size;
        for (; size > before && found == files::TokenList::none; --size) found = tokens_->find({written.data(), size});
        looked_up_.fetch_add(most - size, std::memory_order_relaxed);
        if (found == files::TokenList::none) return false;
        emit(found, size + 1 - before);
        start += size + 1 - before;
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
    bool const known = split(piece, [&](std::uint32_t number, std::size_t size) {
        ids.push_back(tokens_->id(number));
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
    if (split(piece, [&](std::uint32_t, std::size_t) { ++found; })) return found;
    if (!unknown_) throw NoUnknownTokenError(piece[0], 0);
    return 1;
}

}  // namespace bpe
