#include "bpe/encoder.hpp"

namespace bpe {

Encoder::Encoder(std::shared_ptr<const Dictionary> dictionary, const Scanner* scanner, std::vector<std::uint32_t> ids)
    : dictionary_(std::move(dictionary)), scanner_(scanner), ids_(std::move(ids)) {}

Encoder::~Encoder() = default;

Workspace* Encoder::take() const {
    if (Workspace* const found = at_hand_.exchange(nullptr, std::memory_order_acquire)) return found;
    std::lock_guard const lock(mutex_);
    if (!shelf_.empty()) {
        Workspace* const found = shelf_.back();
        shelf_.pop_back();
        return found;
    }
    all_.push_back(std::make_unique<Workspace>());
    return all_.back().get();
}

void Encoder::put_back(Workspace* workspace) const {
    Workspace* nobody = nullptr;
    if (at_hand_.compare_exchange_strong(nobody, workspace, std::memory_order_release)) return;
    std::lock_guard const lock(mutex_);
    shelf_.push_back(workspace);
}

std::size_t Encoder::merge(Bytes piece, Rank* out) const {
    // A whole pre-token that is a token wins, whatever its merges make of it. Where merges reach every token they find it anyway.
    if (dictionary_->has_unreachable()) {
        if (Rank const whole = dictionary_->find(piece); whole != no_rank) {
            out[0] = whole;
            return 1;
        }
    }
    dictionary_->check_bytes(piece);
    return merge_short(*dictionary_, piece, out);
}

const std::vector<Rank>& Encoder::encode_piece(Bytes piece, Workspace& workspace) const {
    if (dictionary_->has_unreachable() && piece.size <= dictionary_->longest())
        if (Rank const whole = dictionary_->find(piece); whole != no_rank) return workspace.backtracking.single(whole);
    return workspace.backtracking.encode(*dictionary_, piece);
}

std::size_t Encoder::count_unknown(PieceKey key, Bytes piece, Workspace& workspace) const {
    Rank tokens[short_length];
    std::size_t const count = merge(piece, tokens);
    workspace.counts.put(key, count);
    return count;
}

std::size_t Encoder::count_long(Bytes piece, Workspace& workspace) const { return encode_piece(piece, workspace).size(); }

std::size_t Encoder::count(Bytes text) const {
    Lease const lease(*this);
    Workspace& workspace = *lease;
    if (!scanner_) return text.size == 0 ? 0 : count_piece(text, text.size, workspace);
    std::size_t total = 0;
    for_each_pretoken(*scanner_, text.data, 0, text.size, [&](std::size_t start, std::size_t end) {
        total += count_piece(text.part(start, end), text.size - start, workspace);
    });
    return total;
}

unsigned Encoder::encode_unknown(PieceKey key, Bytes piece, Workspace& workspace, std::vector<std::uint32_t>& out,
                                 std::size_t size) const {
    Rank tokens[short_length];
    std::size_t const count = merge(piece, tokens);
    if (out.size() < size + count + IdsCache::most) out.resize((size + count) * 2 + 64);
    for (std::size_t index = 0; index < count; ++index) out[size + index] = id(tokens[index]);
    if (count <= IdsCache::most) workspace.ids->put(key, out.data() + size, count);
    return static_cast<unsigned>(count);
}

void Encoder::encode(Bytes text, std::vector<std::uint32_t>& out) const {
    Lease const lease(*this);
    Workspace& workspace = *lease;
    if (!workspace.ids) workspace.ids = std::make_unique<IdsCache>();
    std::size_t size = out.size();
    auto const encode_one = [&](std::size_t start, std::size_t end) {
        Bytes const piece = text.part(start, end);
        if (size + IdsCache::most > out.size()) out.resize(size * 2 + 64);
        if (piece.size <= PieceKey::longest) [[likely]] {
            PieceKey const key = PieceKey::of(piece.data, piece.size, text.size - start);
            unsigned count = workspace.ids->find(key, out.data() + size);
            if (count == 0) [[unlikely]] count = encode_unknown(key, piece, workspace, out, size);
            size += count;
            return;
        }
        std::vector<Rank> const& tokens = encode_piece(piece, workspace);
        if (size + tokens.size() + IdsCache::most > out.size()) out.resize((size + tokens.size()) * 2 + 64);
        for (Rank const token : tokens) out[size++] = id(token);
    };
    out.resize(size + text.size / 3 + 64);
    if (scanner_)
        for_each_pretoken(*scanner_, text.data, 0, text.size, encode_one);
    else if (text.size > 0)
        encode_one(0, text.size);
    out.resize(size);
}

}  // namespace bpe
