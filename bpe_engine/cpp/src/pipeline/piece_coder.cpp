#include "bpe/pipeline/piece_coder.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>

namespace bpe {

template <class Use>
void PieceCoder::inner(std::size_t number, Bytes piece, const std::uint32_t* origin, bool is_first, Use& use) const {
    if (number == insertions_.size()) return use(piece, origin);
    Insertion const& insertion = insertions_[number];
    // Of this thread, by number: a piece is read by one insertion after the other. A deque does not move what it has when it grows.
    struct Changed {
        std::vector<Byte> text;
        std::vector<std::uint32_t> places;
    };
    static thread_local std::deque<Changed> memory;
    while (memory.size() <= number) memory.emplace_back();
    auto& [text, places] = memory[number];
    text.clear();
    places.clear();
    auto const put = [&](Bytes added, std::size_t place) {
        text.insert(text.end(), added.begin(), added.end());
        if (origin) places.insert(places.end(), added.size, origin[place]);
    };
    Bytes const space{reinterpret_cast<const Byte*>(insertion.space.data()), insertion.space.size()};
    std::string const& before = insertion.text;
    bool const wanted = insertion.where == Insertion::Where::always || (insertion.where == Insertion::Where::first && is_first);
    if (space.size > 0 && std::find(piece.begin(), piece.end(), ' ') != piece.end()) {
        for (std::size_t place = 0; place < piece.size; ++place) put(piece[place] == ' ' ? space : piece.part(place, place + 1), place);
    } else {
        text.assign(piece.begin(), piece.end());
        if (origin) places.assign(origin, origin + piece.size);
    }
    if (wanted && !before.empty() && !(text.size() >= before.size() && std::memcmp(text.data(), before.data(), before.size()) == 0)) {
        text.insert(text.begin(), before.begin(), before.end());
        if (origin) places.insert(places.begin(), before.size(), origin[0]);
    }
    if (origin) places.push_back(origin[piece.size]);
    struct Sink {
        const PieceCoder& coder;
        std::size_t number;
        Bytes text;
        const std::uint32_t* origin;
        bool is_first;
        Use& use;
        void piece(std::size_t start, std::size_t end) {
            coder.inner(number, text.part(start, end), origin ? origin + start : nullptr, is_first && start == 0, use);
        }
        bool cut(std::size_t) { return true; }
    };
    Sink sink{*this, number + 1, {text.data(), text.size()}, origin ? places.data() : nullptr, is_first, use};
    chains_[number].run(text.data(), 0, text.size(), true, sink);
    constexpr std::size_t most_kept = 1 << 16;  // bytes
    if (text.capacity() > most_kept) memory[number] = {};
}

std::size_t PieceCoder::count_anew(Bytes piece, bool is_first) const {
    if (is_plain()) return model_->count(piece);
    std::size_t total = 0;
    auto use = [&](Bytes inside, const std::uint32_t*) { total += model_->count(inside); };
    inner(0, piece, nullptr, is_first, use);
    return total;
}

std::size_t PieceCoder::count_long(Bytes piece, bool is_first, Workspace& workspace) const {
    auto const remembered = [&](auto& cache) {
        using Cache = std::remove_reference_t<decltype(cache)>;
        std::uint64_t const hash = Cache::hash(piece);
        if (auto const* const known = cache.find(piece, hash)) return std::size_t{known->count};
        std::size_t const count = count_anew(piece, false);
        if (count <= Cache::most) cache.put(piece, hash, count);
        return count;
    };
    if (is_first && !is_plain()) return count_anew(piece, true);
    if (piece.size <= PieceKey::longest) return count(piece, piece.size, false, workspace);
    if (piece.size <= decltype(workspace.long_counts)::longest) return remembered(workspace.long_counts);
    if (piece.size <= decltype(workspace.longer_counts)::longest) return remembered(workspace.longer_counts);
    return count_anew(piece, false);
}

void PieceCoder::encode(Bytes piece, std::size_t readable, bool is_first, Workspace& workspace, std::vector<std::uint32_t>& out) const {
    using Long = LongPieceCache<true>;
    if (!workspace.ids) workspace.ids = std::make_unique<Workspace::Ids>();
    bool const remembers = !is_first || is_plain();
    PieceKey key{};
    std::uint64_t hash = 0;
    bool const is_short = piece.size <= PieceKey::longest;
    bool const is_long = !is_short && piece.size <= Long::longest;
    std::size_t const before = out.size();
    if (remembers && is_short) {
        key = PieceKey::of(piece.data, piece.size, readable);
        hash = key.hash();
        out.resize(before + IdsCache::most);
        unsigned const count = workspace.ids->short_pieces.find(key, hash, out.data() + before);
        out.resize(before + count);
        if (count) return;
    } else if (remembers && is_long) {
        hash = Long::hash(piece);
        if (auto const* const known = workspace.ids->long_pieces.find(piece, hash)) {
            out.insert(out.end(), known->ids, known->ids + known->count);
            return;
        }
    }
    if (is_plain()) {
        model_->encode(piece, out, nullptr);
    } else {
        auto use = [&](Bytes inside, const std::uint32_t*) { model_->encode(inside, out, nullptr); };
        inner(0, piece, nullptr, is_first, use);
    }
    std::size_t const count = out.size() - before;
    if (!remembers || count == 0) return;
    if (is_short && count <= IdsCache::most) workspace.ids->short_pieces.put(key, hash, out.data() + before, count);
    if (is_long && count <= Long::most) std::memcpy(workspace.ids->long_pieces.put(piece, hash, count).ids, out.data() + before, count * sizeof(std::uint32_t));
}

void PieceCoder::encode_with_offsets(Bytes piece, bool is_first, std::vector<std::uint32_t>& ids, std::vector<std::uint32_t>& offsets) const {
    std::vector<std::uint32_t> origin(piece.size + 1), lengths;
    std::iota(origin.begin(), origin.end(), 0u);
    auto use = [&](Bytes inside, const std::uint32_t* places) {
        lengths.clear();
        model_->encode(inside, ids, &lengths);
        std::size_t place = 0;
        for (std::uint32_t const length : lengths) {
            offsets.push_back(places[place]);
            place += length;
        }
    };
    inner(0, piece, origin.data(), is_first, use);
}

void PieceCoder::split(Bytes piece, bool is_first, std::vector<std::string>& out) const {
    auto use = [&](Bytes inside, const std::uint32_t*) { out.emplace_back(reinterpret_cast<const char*>(inside.data), inside.size); };
    inner(0, piece, nullptr, is_first, use);
}

}  // namespace bpe
