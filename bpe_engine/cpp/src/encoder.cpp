#include "bpe/encoder.hpp"

#include <algorithm>

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
    if (!dictionary_->is_ordered(piece)) [[unlikely]] {
        std::vector<Rank> const tokens = encode_by_heap(*dictionary_, piece);
        std::copy(tokens.begin(), tokens.end(), out);
        return tokens.size();
    }
    return merge_short(*dictionary_, piece, out);
}

const std::vector<Rank>& Encoder::encode_piece(Bytes piece, Workspace& workspace) const {
    if (dictionary_->has_unreachable() && piece.size <= dictionary_->longest())
        if (Rank const whole = dictionary_->find(piece); whole != no_rank) return workspace.merging.single(whole);
    return workspace.merging.encode(*dictionary_, piece);
}

std::size_t Encoder::count_unknown(PieceKey key, std::uint64_t hash, Bytes piece, Workspace& workspace) const {
    Rank tokens[short_length];
    std::size_t const count = merge(piece, tokens);
    workspace.counts.put(key, hash, count);
    return count;
}

template <class Cache>
std::size_t Encoder::count_by(Cache& cache, Bytes piece, Workspace& workspace) const {
    std::uint64_t const hash = Cache::hash(piece);
    if (auto const* const known = cache.find(piece, hash)) return known->count;
    std::size_t const count = encode_piece(piece, workspace).size();
    cache.put(piece, hash, count);
    return count;
}

std::size_t Encoder::count_long(Bytes piece, Workspace& workspace) const {
    if (piece.size <= decltype(workspace.long_counts)::longest) return count_by(workspace.long_counts, piece, workspace);
    if (piece.size <= decltype(workspace.longer_counts)::longest) return count_by(workspace.longer_counts, piece, workspace);
    return encode_piece(piece, workspace).size();
}

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

unsigned Encoder::encode_unknown(PieceKey key, std::uint64_t hash, Bytes piece, Workspace& workspace, std::uint32_t* out) const {
    Rank tokens[short_length];
    std::size_t const count = merge(piece, tokens);
    for (std::size_t index = 0; index < count; ++index) out[index] = id(tokens[index]);
    if (count <= IdsCache::most) workspace.ids->short_pieces.put(key, hash, out, count);
    return static_cast<unsigned>(count);
}

void Encoder::encode(Bytes text, std::vector<std::uint32_t>& out) const {
    Lease const lease(*this);
    Workspace& workspace = *lease;
    if (!workspace.ids) workspace.ids = std::make_unique<Workspace::Ids>();
    std::size_t size = out.size();
    // Room for the tokens of a short piece, or for what a cache writes at once.
    constexpr std::size_t slack = 16;
    out.resize(size + text.size / 3 + 64);
    auto const make_room = [&](std::size_t more) {
        if (size + more + slack > out.size()) [[unlikely]] out.resize((size + more + slack) * 2);
    };
    auto const encode_long = [&](Bytes piece) {
        using Cache = LongPieceCache<true>;
        std::uint64_t hash = 0;
        if (piece.size <= Cache::longest && piece.size > PieceKey::longest) {
            hash = Cache::hash(piece);
            if (auto const* const known = workspace.ids->long_pieces.find(piece, hash)) {
                std::memcpy(out.data() + size, known->ids, sizeof known->ids);
                size += known->count;
                return;
            }
        }
        std::vector<Rank> const& tokens = encode_piece(piece, workspace);
        make_room(tokens.size());
        std::uint32_t* const first = out.data() + size;
        for (Rank const token : tokens) out[size++] = id(token);
        if (hash != 0 && tokens.size() <= Cache::most)
            std::memcpy(workspace.ids->long_pieces.put(piece, hash, tokens.size()).ids, first, tokens.size() * sizeof(std::uint32_t));
    };
    auto const encode_one = [&](std::size_t start, std::size_t end) {
        Bytes const piece = text.part(start, end);
        make_room(0);
        if (piece.size > PieceKey::longest) return encode_long(piece);
        PieceKey const key = PieceKey::of(piece.data, piece.size, text.size - start);
        std::uint64_t const hash = key.hash();
        unsigned count = workspace.ids->short_pieces.find(key, hash, out.data() + size);
        if (count == 0) [[unlikely]] count = encode_unknown(key, hash, piece, workspace, out.data() + size);
        size += count;
    };
    if (scanner_)
        for_each_pretoken(*scanner_, text.data, 0, text.size, encode_one);
    else if (text.size > 0)
        encode_long(text);
    out.resize(size);
}

}  // namespace bpe
