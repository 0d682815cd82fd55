// Caches of units: raw text between safe splits (safe_splits.hpp) -> number of tokens, or ids.
//
// Whatever a tokenizer does to a word, a word that was seen before costs one look-up by its raw bytes.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "bpe/piece_cache.hpp"
#include "bpe/types.hpp"

namespace bpe {

class UnitCounts {
public:
    static constexpr std::size_t longest = LongPieceCache<false, 3>::longest;  // bytes

    // A short unit that will be counted soon, and that was prefetched for.
    struct Expected {
        PieceKey key;
        std::uint64_t hash;
        bool is_short;
    };
    Expected expect(Bytes unit, std::size_t readable) const {
        if (unit.size <= PieceKey::longest) [[likely]] {
            PieceKey const key = PieceKey::of(unit.data, unit.size, readable);
            std::uint64_t const hash = key.hash();
            short_.expect(hash);
            return {key, hash, true};
        }
        if (unit.size <= MediumKey::longest) medium_.expect(MediumKey::of(unit.data, unit.size, readable).hash());
        return {{}, 0, false};
    }
    // The number of tokens of such a unit; 0 if it is not known.
    unsigned find(const Expected& unit) { return short_.find(unit.key, unit.hash); }

    // `unit` has up to `longest` bytes; `readable` is the number of bytes from its start that may be read; `anew()` counts a unit that is not known.
    template <class Anew>
    std::size_t count(Bytes unit, std::size_t readable, Anew&& anew) {
        if (unit.size <= PieceKey::longest) [[likely]]
            return remembered(short_, PieceKey::of(unit.data, unit.size, readable), anew);
        if (unit.size <= MediumKey::longest) return remembered(medium_, MediumKey::of(unit.data, unit.size, readable), anew);
        return unit.size <= decltype(long_)::longest ? remembered_long(long_, unit, anew) : remembered_long(longer_, unit, anew);
    }

private:
    template <class Cache, class Anew>
    static std::size_t remembered_long(Cache& cache, Bytes unit, Anew&& anew) {
        std::uint64_t const hash = cache.hash(unit);
        if (auto const* const known = cache.find(unit, hash)) return known->count;
        std::size_t const count = anew();
        if (count <= Cache::most) cache.put(unit, hash, count);
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

    // Room for `most` ids, up to `most_at_once`; so many of them as `take` is told are kept.
    static constexpr std::size_t most_at_once = LongPieceCache<true, 3>::most_ids + 1;
    std::uint32_t* room() {
        if (next_ > staged_ + size) flush();
        return next_;
    }
    void take(std::size_t count) { next_ += count; }

    std::size_t count() const { return ids_.size() + static_cast<std::size_t>(next_ - staged_); }
    // All ids so far, which may be added to and shortened.
    std::vector<std::uint32_t>& flush() {
        ids_.insert(ids_.end(), staged_, next_);
        next_ = staged_;
        return ids_;
    }

private:
    static constexpr std::size_t size = 512;
    std::vector<std::uint32_t>& ids_;
    std::uint32_t staged_[size + most_at_once];
    std::uint32_t* next_ = staged_;
};

class UnitIds {
public:
    static constexpr std::size_t longest = LongPieceCache<true, 3>::longest;  // bytes

    // Adds the ids of a unit of up to `longest` bytes; `readable` is the number of bytes from its start that may be read. `anew(ids)` appends those of a unit
    // that is not known.
    template <class Anew>
    void encode(Bytes unit, std::size_t readable, StagedIds& out, Anew&& anew) {
        if (unit.size <= PieceKey::longest) [[likely]] {
            PieceKey const key = PieceKey::of(unit.data, unit.size, readable);
            if (unsigned const count = short_.find(key, key.hash(), out.room())) [[likely]]
                return out.take(count);
        }
        encode_longer(unit, readable, out, anew);
    }

    // Prefetches for a unit that comes soon.
    void expect(Bytes unit, std::size_t readable) const {
        if (unit.size <= PieceKey::longest) short_.expect(PieceKey::of(unit.data, unit.size, readable).hash());
        else if (unit.size <= MediumKey::longest) medium_.expect(MediumKey::of(unit.data, unit.size, readable).hash());
    }

private:
    // A unit that is not short, or not known, or has more ids than fit beside a short key. Apart, so that the key of a short unit stays in registers.
    template <class Anew>
    BPE_RARELY_CALLED void encode_longer(Bytes unit, std::size_t readable, StagedIds& out, Anew&& anew) {
        if (unit.size > decltype(long_)::longest) return encode_longest(unit, out, anew);
        bool const is_short = unit.size <= PieceKey::longest, is_medium = unit.size <= MediumKey::longest, may_be_long = unit.size >= least_long;
        PieceKey const key = is_short ? PieceKey::of(unit.data, unit.size, readable) : PieceKey{};
        MediumKey const medium = is_short ? MediumKey::of(key) : is_medium ? MediumKey::of(unit.data, unit.size, readable) : MediumKey{};
        std::uint64_t const medium_hash = medium.hash(), long_hash = may_be_long ? long_.hash(unit) : 0;
        if (unsigned const count = is_medium ? medium_.find(medium, medium_hash, out.room()) : 0) return out.take(count);
        if (auto const* const known = may_be_long ? long_.find(unit, long_hash) : nullptr) {
            std::memcpy(out.room(), known->ids, sizeof known->ids);
            return out.take(known->count);
        }
        auto const [ids, count] = made(out, anew);
        if (count == 0) return;
        // Each cache has room for a number of ids: the first with enough takes them.
        if (is_short && count <= IdsCache::most) short_.put(key, key.hash(), ids, count);
        else if (is_medium && count <= MediumIdsCache::most) medium_.put(medium, medium_hash, ids, count);
        else if (may_be_long && count <= decltype(long_)::most) std::memcpy(long_.put(unit, long_hash, count).ids, ids, count * sizeof(std::uint32_t));
    }

    template <class Anew>
    void encode_longest(Bytes unit, StagedIds& out, Anew&& anew) {
        std::uint64_t const hash = longer_.hash(unit);
        if (auto const* const known = longer_.find(unit, hash)) {
            std::memcpy(out.room(), known->ids, sizeof known->ids);
            return out.take(known->count);
        }
        auto const [ids, count] = made(out, anew);
        if (count <= decltype(longer_)::most) std::memcpy(longer_.put(unit, hash, count).ids, ids, count * sizeof(std::uint32_t));
    }

    // The ids of a unit that is not known, and how many they are.
    template <class Anew>
    static std::pair<std::uint32_t const*, std::size_t> made(StagedIds& out, Anew&& anew) {
        std::vector<std::uint32_t>& all = out.flush();
        std::size_t const before = all.size();
        anew(all);
        return {all.data() + before, all.size() - before};
    }

    static constexpr std::size_t least_long = 8;  // bytes, which its hash begins with

    IdsCache short_;
    MediumIdsCache medium_;
    LongPieceCache<true> long_;
    LongPieceCache<true, 3> longer_;
};

}  // namespace bpe
