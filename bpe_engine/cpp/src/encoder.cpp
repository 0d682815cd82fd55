#include "bpe/encoder.hpp"

#include <algorithm>

#include "bpe/unicode.hpp"

namespace bpe {

namespace {

// The first seam of `piece` after `start`; its end if there is none.
std::size_t next_seam(const Dictionary& dictionary, Bytes piece, std::size_t start) {
    const Seams* seams = nullptr;  // asked for once there may be one
    for (std::size_t place = start + 2; place + 1 < piece.size; ++place) {
        const Byte* const at = piece.data + place;
        if (*at < Seams::first_lead) continue;
        place += 2;  // over its character
        if (!UnicodeTable::continues(at[-1]) || at[-2] < 0x80 || !UnicodeTable::continues(at[1])) continue;
        if (!seams) seams = &dictionary.seams();
        if (seams->is_at(at)) return place - 2;
    }
    return piece.size;
}

// The number of bytes of `text` from `place` on.
std::size_t readable(Bytes text, const Byte* place) { return text.size - static_cast<std::size_t>(place - text.data); }

}  // namespace

Encoder::Encoder(std::shared_ptr<const Dictionary> dictionary, const Scanner* scanner, std::vector<std::uint32_t> ids)
    : dictionary_(std::move(dictionary)), scanner_(scanner), ids_(std::move(ids)), by_units_(!dictionary_->has_unreachable() && dictionary_->has_all_bytes()) {}

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
    // A whole pre-token that is a token is encoded as that token, whatever its merges give. If merges make every token, they find it anyway.
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

std::optional<std::size_t> Encoder::count_by_units(Bytes piece, Workspace& workspace) const {
    if (!by_units_) return std::nullopt;
    std::size_t end = next_seam(*dictionary_, piece, 0), total = 0;
    if (end == piece.size) return std::nullopt;
    for (std::size_t start = 0; start < piece.size; start = end, end = next_seam(*dictionary_, piece, start))
        total += count_piece(piece.part(start, end), piece.size - start, workspace);
    return total;
}

std::size_t Encoder::count_anew(Bytes piece, Workspace& workspace) const {
    if (auto const count = count_by_units(piece, workspace)) return *count;
    if (piece.size > short_length) return encode_piece(piece, workspace).size();
    Rank tokens[short_length];
    return merge(piece, tokens);
}

template <class Cache>
std::size_t Encoder::count_long_by(Cache& cache, Bytes piece, Workspace& workspace) const {
    std::uint64_t const hash = Cache::hash(piece);
    if (auto const* const known = cache.find(piece, hash)) return known->tokens;
    std::size_t const count = count_anew(piece, workspace);
    cache.put(piece, hash, count);
    return count;
}

std::size_t Encoder::count_long(Bytes piece, std::size_t readable, Workspace& workspace) const {
    if (piece.size <= MediumKey::longest) return count_by(workspace.medium_counts, MediumKey::of(piece.data, piece.size, readable), piece, workspace);
    // Texts without spaces have ever new long pieces of the same few units: to remember the pieces took half of the memory of a first text.
    if (auto const count = count_by_units(piece, workspace)) return *count;
    if (piece.size <= decltype(workspace.long_counts)::longest) return count_long_by(workspace.long_counts, piece, workspace);
    if (piece.size <= decltype(workspace.longer_counts)::longest) return count_long_by(workspace.longer_counts, piece, workspace);
    return encode_piece(piece, workspace).size();
}

std::size_t Encoder::count_missed(const ExpectedPiece<CountCache::Slot>& one, std::size_t readable, Workspace& workspace) const {
    Bytes const piece = one.bytes();
    if (one.is_short()) return count_by(workspace.counts, one.key, one.key.hash(), piece, workspace);
    if (piece.size > MediumKey::longest) return count_long(piece, readable, workspace);
    return count_by(workspace.medium_counts, MediumKey::of(piece.data, piece.size, readable), one.key.low, piece, workspace);
}

std::size_t Encoder::count(Bytes text) const {
    Lease const lease(*this);
    Workspace& workspace = *lease;
    if (!scanner_) return text.size == 0 ? 0 : count_piece(text, text.size, workspace);
    std::size_t total = 0;
    for_each_step(*this, text, workspace.counts, workspace.medium_counts, [&](const auto& pieces) {
        std::size_t found = 0;
        for (auto const& one : pieces) {
            if (unsigned const known = one.slot->count(one.key)) [[likely]] {
                found += known;
                continue;
            }
            found += count_missed(one, readable(text, one.start), workspace);
        }
        total += found;
    });
    return total;
}

unsigned Encoder::encode_unknown(PieceKey key, Bytes piece, Workspace& workspace, std::uint32_t* out) const {
    std::uint64_t const hash = key.hash();
    unsigned const found = workspace.ids->short_pieces.find(key, hash, out);
    if (IdsCache::are_written(found)) return found;
    MediumKey const medium = MediumKey::of(key);
    if (found > 0)
        if (unsigned const count = workspace.ids->medium_pieces.find(medium, medium.hash(), out)) return count;
    Rank tokens[short_length];
    std::size_t const count = merge(piece, tokens);
    for (std::size_t index = 0; index < count; ++index) out[index] = id(tokens[index]);
    if (count <= IdsCache::most) {
        workspace.ids->short_pieces.put(key, hash, out, count);
    } else if (count <= MediumIdsCache::most) {
        if (found == 0) workspace.ids->short_pieces.put_elsewhere(key, hash);
        workspace.ids->medium_pieces.put(medium, medium.hash(), out, count);
    }
    return static_cast<unsigned>(count);
}

void Encoder::encode(Bytes text, std::vector<std::uint32_t>& out) const {
    Lease const lease(*this);
    Workspace& workspace = *lease;
    if (!workspace.ids) workspace.ids = std::make_unique<Workspace::Ids>();
    Workspace::Ids& ids = *workspace.ids;
    if (std::size_t const expected = out.size() + text.size / 3; expected > out.capacity()) out.reserve(std::max(expected, out.capacity() * 2));
    // Ids are written here first: a vector resized to the largest possible size would be filled with zeros, and take memory for all its pages.
    std::uint32_t* const first = ids.staged.data();
    std::uint32_t* next = first;
    std::uint32_t* const last = first + Workspace::Ids::flushed_at;
    auto const flush = [&] {
        out.insert(out.end(), first, next);
        next = first;
    };
    auto const encode_anew = [&](Bytes piece) {
        flush();
        std::vector<Rank> const& tokens = encode_piece(piece, workspace);
        for (Rank const token : tokens) out.push_back(id(token));
        return tokens.size();
    };
    auto const encode_by = [&](auto& cache, Bytes piece) {
        using Cache = std::remove_reference_t<decltype(cache)>;
        std::uint64_t const hash = Cache::hash(piece);
        if (auto const* const known = cache.find(piece, hash)) {
            std::memcpy(next, known->ids, sizeof known->ids);
            next += known->tokens;
            return;
        }
        std::size_t const count = encode_anew(piece);
        if (count <= Cache::most) std::memcpy(cache.put(piece, hash, count).ids, out.data() + out.size() - count, count * sizeof(std::uint32_t));
    };
    auto const encode_long = [&](Bytes piece) {
        if (piece.size <= PieceKey::longest) encode_anew(piece);
        else if (piece.size <= decltype(ids.long_pieces)::longest) encode_by(ids.long_pieces, piece);
        else if (piece.size <= decltype(ids.longer_pieces)::longest) encode_by(ids.longer_pieces, piece);
        else encode_anew(piece);
    };
    auto const encode_medium = [&](const MediumKey& key, std::uint64_t hash, Bytes piece) {
        if (unsigned const count = ids.medium_pieces.find(key, hash, next)) [[likely]] {
            next += count;
            return;
        }
        std::vector<Rank> const& tokens = encode_piece(piece, workspace);
        for (std::size_t index = 0; index < tokens.size(); ++index) next[index] = id(tokens[index]);
        if (tokens.size() <= MediumIdsCache::most) ids.medium_pieces.put(key, hash, next, tokens.size());
        next += tokens.size();
    };
    if (!scanner_) {
        if (text.size > 0) encode_long(text);
        return flush();
    }
    for_each_step(*this, text, ids.short_pieces, ids.medium_pieces, [&](const auto& pieces) {
        if (next > last) [[unlikely]]
            flush();
        std::uint32_t* end = next;  // a local variable, which stays in a register
        for (auto const& one : pieces) {
            if (unsigned const count = one.slot->find(one.key, end); IdsCache::are_written(count)) [[likely]] {
                end += count;
                continue;
            }
            Bytes const piece = one.bytes();
            if (one.is_short()) {
                end += encode_unknown(one.key, piece, workspace, end);
                continue;
            }
            next = end;
            if (piece.size <= MediumKey::longest) encode_medium(MediumKey::of(piece.data, piece.size, readable(text, piece.data)), one.key.low, piece);
            else encode_long(piece);
            end = next;
        }
        next = end;
    });
    flush();
}

}  // namespace bpe
