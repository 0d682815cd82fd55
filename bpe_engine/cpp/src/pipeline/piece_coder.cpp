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

void PieceCoder::encode(Bytes piece, std::size_t readable, bool is_first, Workspace& workspace, StagedIds& out) const {
    if (!is_remembered(piece, is_first) || piece.size > UnitIds::longest) return encode_anew(piece, is_first, out.flush());
    if (!workspace.ids) workspace.ids = std::make_unique<UnitIds>();
    if (ExpectedUnit const unit = workspace.ids->expect(piece, readable); workspace.ids->take_known(&unit, 1, out) > 0) return;
    workspace.ids->encode(piece, readable, out, [&](std::vector<std::uint32_t>& ids) { encode_anew(piece, false, ids); });
}

void PieceCoder::encode_anew(Bytes piece, bool is_first, std::vector<std::uint32_t>& out) const {
    if (is_plain()) return model_->encode(piece, out, nullptr);
    auto use = [&](Bytes inside, const std::uint32_t*) { model_->encode(inside, out, nullptr); };
    inner(0, piece, nullptr, is_first, use);
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
