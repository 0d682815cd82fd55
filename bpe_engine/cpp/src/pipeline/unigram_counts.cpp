#include "bpe/pipeline/unigram_counts.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "../models/unigram_units.hpp"
#include "bpe/piece_cache.hpp"
#include "bpe/pipeline/piece_coder.hpp"
#include "unigram_words.hpp"

namespace bpe {

namespace {

// What is known of a unit, behind its key in a slot of a cache.
template <class KeySlot, std::size_t most_scores>
struct ScoredSlot : KeySlot {
    static constexpr std::size_t most = most_scores;
    float needs, reach;  // those of UnigramUnit, rounded to the safe side
    std::uint32_t number, tokens;
    double scores[most_scores];
};

// A unit of more bytes than a key has, and that key.
struct LongKey {
    static constexpr std::size_t longest = 92;  // bytes
    Bytes unit;
    std::uint64_t hash() const { return LongPieceCache<false>::hash(unit); }
};

struct LongSlot {
    std::uint32_t size;  // 0: free
    Byte bytes[LongKey::longest];

    bool is_free() const { return size == 0; }
    LongKey key() const { return {{bytes, size}}; }
    void set(const LongKey& key, std::size_t) {
        size = static_cast<std::uint32_t>(key.unit.size);
        std::memcpy(bytes, key.unit.data, size);
    }
    std::uint64_t count(const LongKey& key) const { return size == key.unit.size && std::memcmp(bytes, key.unit.data, size) == 0; }
};

using ShortUnit = ScoredSlot<ShortSlot, 4>;
using MediumUnit = ScoredSlot<MediumSlot, 10>;
using LongUnit = ScoredSlot<LongSlot, 18>;
static_assert(sizeof(ShortUnit) == 64 && sizeof(MediumUnit) == 128 && sizeof(LongUnit) == 256, "a unit takes whole cache lines");

}  // namespace

struct UnigramCounts::Workspace {
    Workspace(const UnigramModel& model, const Normalizer* normalizer) : units(model), words(model, normalizer) {}

    // The count of a unit behind `sum`, which goes on to its end; `text()` is what the model gets of it.
    template <class Cache, class Key, class Text>
    std::size_t count(Cache& cache, const Key& key, double& sum, Text&& text) {
        std::uint64_t const hash = key.hash();
        auto const* slot = cache.set(hash);
        if (slot->count(key) == 0 && (++slot)->count(key) == 0) [[unlikely]]
            return add(cache, key, hash, sum, text());
        if (!units.are_certain(sum, static_cast<double>(slot->needs), static_cast<double>(slot->reach))) [[unlikely]]
            return units.read_behind(text(), sum);
        sum = units.sum_behind(sum, slot->scores, slot->number);
        return slot->tokens;
    }

    template <class Cache, class Key>
    std::size_t add(Cache& cache, const Key& key, std::uint64_t hash, double& sum, Bytes text) {
        scores.clear();
        UnigramUnit const unit = units.read(text, scores);
        using Slot = std::remove_reference_t<decltype(cache.make(hash))>;
        if (scores.size() <= Slot::most) {
            auto& slot = cache.make(hash);
            slot.set(key, 1);
            slot.needs = static_cast<float>(unit.needs);  // a power of two
            slot.reach = std::nextafter(static_cast<float>(unit.reach), std::numeric_limits<float>::infinity());
            slot.number = static_cast<std::uint32_t>(scores.size());
            slot.tokens = static_cast<std::uint32_t>(unit.count);
            std::copy(scores.begin(), scores.end(), slot.scores);
        }
        if (!units.are_certain(sum, unit.needs, unit.reach)) return units.read_behind(text, sum);
        sum = units.sum_behind(sum, scores.data(), scores.size());
        return unit.count;
    }

    UnigramUnits units;
    UnigramWords words;
    Normalized made;
    std::vector<double> scores;
    std::vector<std::size_t> cuts;
    SlotPairs<ShortUnit, thresholds::first_bits, thresholds::unit_bits> short_units;           // 8 MB at most
    SlotPairs<MediumUnit, thresholds::first_bits, thresholds::medium_unit_bits> medium_units;  // 4 MB at most
    SlotPairs<LongUnit, thresholds::first_bits, thresholds::medium_unit_bits - 1> long_units;  // 4 MB at most
};

std::shared_ptr<const UnigramCounts> UnigramCounts::make(const PieceCoder& coder, const Chain& chain, const Normalizer* normalizer) {
    auto const* const model = dynamic_cast<const UnigramModel*>(&coder.model());
    if (!model || !chain.stages().empty() || !coder.is_plain() || !UnigramUnits::has_unknown(*model)) return nullptr;
    std::unique_ptr<const SafeSplits> splits = SafeSplits::inside_of_piece(normalizer, *model);
    if (!splits) return nullptr;
    return std::shared_ptr<const UnigramCounts>(new UnigramCounts(*model, normalizer, std::move(splits)));
}

UnigramCounts::UnigramCounts(const UnigramModel& model, const Normalizer* normalizer, std::unique_ptr<const SafeSplits> splits)
    : model_(model),
      normalizer_(normalizer),
      splits_(std::move(splits)),
      shelf_([&model, normalizer] { return std::make_unique<Workspace>(model, normalizer); }) {}

UnigramCounts::~UnigramCounts() = default;

std::size_t UnigramCounts::count(const Byte* text, std::size_t from, std::size_t to, std::size_t limit, bool is_first, std::size_t most) const {
    Shelf<Workspace>::Lease const lease(shelf_);
    Workspace& workspace = *lease;
    bool is_special = normalizer_ && normalizer_->acts_at_start();  // the unit that comes
    double sum = 0;
    std::size_t total = 0, place = from;
    auto const add = [&](Bytes unit, std::size_t readable) {
        auto const normal = [&] { return normalized(unit, false, false, workspace.made); };
        if (unit.size <= PieceKey::longest) total += workspace.count(workspace.short_units, PieceKey::of(unit.data, unit.size, readable), sum, normal);
        else if (unit.size <= MediumKey::longest) total += workspace.count(workspace.medium_units, MediumKey::of(unit.data, unit.size, readable), sum, normal);
        else if (unit.size <= LongKey::longest) total += workspace.count(workspace.long_units, LongKey{unit}, sum, normal);
        else total += workspace.units.read_behind(normal(), sum);
    };
    auto const count_up_to = [&](std::size_t end) {
        Bytes const unit{text + place, end - place};
        if (is_special) {
            total += workspace.units.read_behind(normalized(unit, true, is_first, workspace.made), sum);
        } else if (unit.size <= MediumKey::longest) {
            add(unit, limit - place);
        } else {
            workspace.cuts.clear();
            workspace.words.find(unit, workspace.units, workspace.cuts);
            workspace.cuts.push_back(unit.size);
            std::size_t first = 0;
            for (std::size_t const cut : workspace.cuts) {
                add(unit.part(first, cut), limit - place - first);
                first = cut;
            }
        }
        is_special = false;
        place = end;
        return total <= most;
    };
    auto const expect = [&](std::size_t start, std::size_t end) {
        if (end - start <= PieceKey::longest) prefetch(workspace.short_units.set(PieceKey::of(text + start, end - start, limit - start).hash()));
        else if (end - start <= MediumKey::longest) prefetch(workspace.medium_units.set(MediumKey::of(text + start, end - start, limit - start).hash()));
    };
    SafeSplits::Search search(*splits_, text, from, to, true);
    std::array<std::size_t, 256> splits;
    for (std::size_t found; (found = search.next(splits.data(), splits.size())) > 0;) {
        constexpr std::size_t ahead = 4;
        for (std::size_t index = 0; index < found; ++index) {
            if (index + ahead < found) expect(splits[index + ahead - 1], splits[index + ahead]);
            if (!count_up_to(splits[index])) return total;
        }
    }
    if (place < to) count_up_to(to);
    return total;
}

Bytes UnigramCounts::normalized(Bytes unit, bool at_start, bool is_first, Normalized& made) const {
    if (!normalizer_ || normalizer_->keeps(unit, at_start, is_first)) return unit;
    made.clear();
    normalizer_->run(unit.data, 0, unit.size, at_start, is_first, true, 0, made);
    return {made.text.data(), made.text.size()};
}

}  // namespace bpe
