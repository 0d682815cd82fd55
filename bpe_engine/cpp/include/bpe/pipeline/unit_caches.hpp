// Caches of units: raw text between safe splits (safe_splits.hpp) -> number of tokens, or ids.
//
// Whatever a tokenizer does to a word, a word that was seen before costs one look-up by its raw bytes.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "bpe/piece_cache.hpp"
#include "bpe/types.hpp"

namespace bpe {

// A unit that will be looked up soon: its key is made once, some time before.
struct ExpectedUnit {
    PieceKey key;
    std::uint64_t hash;
    bool is_short;

    // Prefetches for it from the caches of short and of medium units. `readable`: the number of bytes from its start that may be read.
    template <class Short, class Medium>
    static ExpectedUnit of(Bytes unit, std::size_t readable, const Short& shorts, const Medium& mediums) {
        if (unit.size <= PieceKey::longest) [[likely]] {
            PieceKey const key = PieceKey::of(unit.data, unit.size, readable);
            std::uint64_t const hash = key.hash();
            shorts.expect(hash);
            return {key, hash, true};
        }
        if (unit.size <= MediumKey::longest) mediums.expect(MediumKey::of(unit.data, unit.size, readable).hash());
        return {{}, 0, false};
    }
};

class UnitCounts {
public:
    static constexpr std::size_t longest = LongPieceCache<false, 3>::longest;  // bytes

    ExpectedUnit expect(Bytes unit, std::size_t readable) const { return ExpectedUnit::of(unit, readable, short_, medium_); }
    // The number of tokens of a unit that is short; 0 if it is not known.
    unsigned find(const ExpectedUnit& unit) { return short_.find(unit.key, unit.hash); }

    // Whether no unit was forgotten, or hardly any.
    bool has_room() const { return short_.has_room() && medium_.has_room() && long_.has_room() && longer_.has_room(); }

    // `unit` has up to `longest` bytes; `readable` is the number of bytes from its start that may be read; `anew()` counts a unit that is not known.
    template <class Anew>
    std::size_t count(Bytes unit, std::size_t readable, Anew&& anew) {
        if (unit.size <= PieceKey::longest) [[likely]]
            return remembered(short_, PieceKey::of(unit.data, unit.size, readable), anew);
        if (unit.size <= MediumKey::longest) return remembered_medium(unit, MediumKey::of(unit.data, unit.size, readable), anew);
        return unit.size <= decltype(long_)::longest ? remembered_long(long_, unit, anew) : remembered_long(longer_, unit, anew);
    }

private:
    template <class Cache, class Anew>
    static std::size_t remembered_long(Cache& cache, Bytes unit, Anew&& anew) {
        std::uint64_t const hash = cache.hash(unit);
        if (auto const* const known = cache.find(unit, hash)) return known->tokens;
        std::size_t const count = anew();
        if (count <= Cache::most) cache.put(unit, hash, count);
        return count;
    }

    // With too many tokens for the cache of its size it is in that of longer units.
    template <class Anew>
    std::size_t remembered_medium(Bytes unit, const MediumKey& key, Anew& anew) {
        std::uint64_t const hash = key.hash(), long_hash = long_.hash(unit);
        if (unsigned const known = medium_.find(key, hash)) [[likely]]
            return known;
        if (auto const* const known = long_.find(unit, long_hash)) return known->tokens;
        std::size_t const count = anew();
        if (count > MediumCountCache::most && count <= long_.most) long_.put(unit, long_hash, count);
        else if (count > 0 && count <= MediumCountCache::most) medium_.put(key, hash, count);
        return count;
    }

    template <class Cache, class Key, class Anew>
    static std::size_t remembered(Cache& cache, const Key& key, Anew&& anew) {
        std::uint64_t const hash = key.hash();
        if (unsigned const known = cache.find(key, hash)) [[likely]]
            return known;
        std::size_t const count = anew();
        if (count > 0 && count <= Cache::most) cache.put(key, hash, count);
        return count;
    }

    CountCache short_;
    MediumCountCache medium_;
    LongPieceCache<false> long_;
    LongPieceCache<false, 3> longer_;
};

// The ids of a text as they are found. Few at a time are written to a place of their own, because a vector cannot be written to beyond its end.
class StagedIds {
public:
    explicit StagedIds(std::vector<std::uint32_t>& ids) : ids_(ids) {}

    // Room for so many ids, of which those are kept that `take` is told.
    static constexpr std::size_t most_at_once = 512;
    std::uint32_t* room() {
        if (next_ > staged_ + size) flush();
        return next_;
    }
    void take(std::size_t count) { next_ += count; }
    void add(const std::uint32_t* ids, std::size_t count) {
        if (count > most_at_once) [[unlikely]] {
            flush().insert(ids_.end(), ids, ids + count);
            return;
        }
        std::uint32_t* const place = room();
        for (std::size_t index = 0; index < count; ++index) place[index] = ids[index];
        take(count);
    }

    std::size_t count() const { return ids_.size() + static_cast<std::size_t>(next_ - staged_); }
    // All ids so far, which may be added to and shortened.
    std::vector<std::uint32_t>& flush() {
        ids_.insert(ids_.end(), staged_, next_);
        next_ = staged_;
        return ids_;
    }

private:
    static constexpr std::size_t size = 1024;
    std::vector<std::uint32_t>& ids_;
    std::uint32_t staged_[size + most_at_once];
    std::uint32_t* next_ = staged_;
};

class UnitIds {
public:
    static constexpr std::size_t longest = LongPieceCache<true, 3>::longest;  // bytes

    ExpectedUnit expect(Bytes unit, std::size_t readable) const { return ExpectedUnit::of(unit, readable, short_, medium_); }

    // As that of UnitCounts.
    bool has_room() const { return short_.has_room() && medium_.has_room() && long_.has_room() && longer_.has_room(); }

    // Adds the ids of up to `most_known` units, until one is not short or not known; so many they are.
    static constexpr std::size_t most_known = (StagedIds::most_at_once - IdsCache::most) / IdsCache::most;
    std::size_t take_known(const ExpectedUnit* units, std::size_t number, StagedIds& out) {
        std::uint32_t* const first = out.room();
        std::uint32_t* next = first;
        std::size_t known = 0;
        for (number = std::min(number, most_known); known < number && units[known].is_short; ++known) {
            unsigned const count = short_.find_first(units[known].key, units[known].hash, next);
            if (!IdsCache::are_written(count)) [[unlikely]]
                break;
            next += count;
        }
        out.take(static_cast<std::size_t>(next - first));
        return known;
    }

    // Adds the ids of any unit of up to `longest` bytes; `readable` is the number of bytes from its start that may be read. `anew(ids)` appends those of a unit
    // that is not known.
    template <class Anew>
    BPE_RARELY_CALLED void encode(Bytes unit, std::size_t readable, StagedIds& out, Anew&& anew) {
        bool const is_short = unit.size <= PieceKey::longest, is_medium = unit.size <= MediumKey::longest;
        PieceKey const key = is_short ? PieceKey::of(unit.data, unit.size, readable) : PieceKey{};
        unsigned const found = is_short ? short_.find(key, key.hash(), out.room()) : IdsCache::elsewhere;
        if (IdsCache::are_written(found)) return out.take(found);
        MediumKey const medium = is_short ? MediumKey::of(key) : is_medium ? MediumKey::of(unit.data, unit.size, readable) : MediumKey{};
        std::uint64_t const medium_hash = medium.hash(), hash = unit.size >= least_long ? long_.hash(unit) : 0;
        if (found > 0) {
            if (unsigned const count = is_medium ? medium_.find(medium, medium_hash, out.room()) : 0) return out.take(count);
            auto const is_in = [&](auto& cache) {
                auto const* const known = unit.size >= least_long && unit.size <= cache.longest ? cache.find(unit, hash) : nullptr;
                if (known) out.add(known->ids, known->tokens);
                return known != nullptr;
            };
            if (is_in(long_) || is_in(longer_)) return;
        }
        std::vector<std::uint32_t>& all = out.flush();
        std::size_t const before = all.size();
        anew(all);
        std::uint32_t const* const ids = all.data() + before;
        std::size_t const count = all.size() - before;
        if (count == 0) return;
        // Each cache has room for a number of ids: the first with enough takes them.
        if (is_short && count <= IdsCache::most) return short_.put(key, key.hash(), ids, count);
        if (found == 0) short_.put_elsewhere(key, key.hash());
        if (is_medium && count <= MediumIdsCache::most) return medium_.put(medium, medium_hash, ids, count);
        auto const put_in = [&](auto& cache) {
            bool const fits = unit.size >= least_long && unit.size <= cache.longest && count <= cache.most;
            if (fits) std::memcpy(cache.put(unit, hash, count).ids, ids, count * sizeof(std::uint32_t));
            return fits;
        };
        if (!put_in(long_)) put_in(longer_);
    }

private:
    static constexpr std::size_t least_long = 8;  // bytes, which its hash begins with

    IdsCache short_;
    MediumIdsCache medium_;
    LongPieceCache<true> long_;
    LongPieceCache<true, 3> longer_;
};

}  // namespace bpe
