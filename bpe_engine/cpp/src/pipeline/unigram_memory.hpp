// The units of a Unigram model that were read before: their tokens, and what they add to a sum.
//
//     " cat"          needs 2^-8, reach 9.5     ids 2368, scores -8.5     the same after every sum at which rounding changes nothing
//     "\t\t\t"        between 2^14 and 2^15     ids 31, 30, score -14.25  where two ways are as good as each other: after the sums of one pace
//
// A unit of which rounding decides (UnigramUnits::are_certain) is remembered for each pace of a sum, as one score.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "../models/unigram_units.hpp"
#include "bpe/piece_cache.hpp"

namespace bpe {

class UnigramMemory {
public:
    explicit UnigramMemory(const UnigramModel& model) : units_(model) {}

    UnigramUnits& units() { return units_; }

    // The text that the model gets for a unit. `origin`: of each byte the offset in the unit; null: the unit is as it was.
    struct Text {
        Bytes text;
        const std::uint32_t* origin;
    };
    // Its tokens, until the next one is read, and where each begins in the unit.
    struct Tokens {
        const std::uint32_t* ids;
        std::size_t size;
        const std::uint8_t* near_starts;  // null: `far_starts` has them
        const std::uint32_t* far_starts;
        std::uint32_t start(std::size_t index) const { return near_starts ? near_starts[index] : far_starts[index]; }
    };

    // Calls `use` with the tokens of a unit after `sum`, which goes on to its end. `text()` is its Text; so many bytes are `readable`.
    template <class MakeText, class Use>
    void read(Bytes unit, std::size_t readable, double& sum, MakeText&& text, Use&& use) {
        if (unit.size <= PieceKey::longest) [[likely]]
            recall(short_, PieceKey::of(unit.data, unit.size, readable), unit, sum, text, use);
        else if (unit.size <= MediumKey::longest) recall(medium_, MediumKey::of(unit.data, unit.size, readable), unit, sum, text, use);
        else if (unit.size <= LongKey::longest) recall(long_, LongKey{unit, 0}, unit, sum, text, use);
        else read_anew(text(), sum, use);
    }

    // The same, of a unit that is not looked up.
    template <class Use>
    void read_anew(const Text& text, double& sum, Use&& use) {
        units_.read_after(text.text, sum, &tokens_);
        use(tokens_of(text));
    }

    // A unit will be read soon.
    void expect(Bytes unit, std::size_t readable) const {
        if (unit.size <= PieceKey::longest) prefetch(short_.set(PieceKey::of(unit.data, unit.size, readable).hash()));
        else if (unit.size <= MediumKey::longest) prefetch(medium_.set(MediumKey::of(unit.data, unit.size, readable).hash()));
    }

private:
    // The known facts of a unit, after its key in a slot.
    template <class KeySlot, std::size_t most_tokens>
    struct alignas(64) Slot : KeySlot {
        static constexpr std::size_t most = most_tokens;
        // In place of the number of tokens: these are in `long_`; there are too many.
        static constexpr std::uint8_t elsewhere = 254, nowhere = 255;
        double scores[most];
        std::uint32_t ids[most];
        float reach;  // not less than that of UnigramUnit
        std::uint8_t starts[most];
        std::int8_t power;  // `needs` is 2^power; `never`: 0
        std::uint8_t number, tokens;

        static constexpr std::int8_t never = 127;
        double needs() const { return power == never ? 0 : std::bit_cast<double>(std::uint64_t(1023 + power) << 52); }
    };

    // A unit of any size that has a place here. `pace`: of the sums before it, 0: of all.
    struct LongKey {
        static constexpr std::size_t longest = 94;  // bytes
        Bytes unit;
        std::uint8_t pace;
        std::uint64_t hash() const {
            std::uint64_t hash = 0;
            if (unit.size > PieceKey::longest) hash = LongPieceCache<false>::hash(unit);
            else hash = PieceKey::of(unit.data, unit.size, unit.size).hash();
            return hash ^ pace * 0x9E3779B97F4A7C15ull;
        }
    };
    struct LongSlot {
        std::uint8_t size, pace;  // 0: free
        Byte bytes[LongKey::longest];

        bool is_free() const { return size == 0; }
        LongKey key() const { return {{bytes, size}, pace}; }
        void set(const LongKey& key, std::size_t) {
            size = static_cast<std::uint8_t>(key.unit.size);
            pace = key.pace;
            std::memcpy(bytes, key.unit.data, size);
        }
        std::uint64_t count(const LongKey& key) const { return size == key.unit.size && pace == key.pace && std::memcmp(bytes, key.unit.data, size) == 0; }
    };

    using Short = Slot<ShortSlot, 3>;
    using Medium = Slot<MediumSlot, 6>;
    using Long = Slot<LongSlot, 11>;
    static_assert(sizeof(Short) == 64 && sizeof(Medium) == 128 && sizeof(Long) == 256, "a unit takes whole cache lines");

    // Null where the unit is not known.
    template <class Cache, class Key>
    static auto find(Cache& cache, const Key& key, std::uint64_t hash) -> decltype(cache.set(hash)) {
        auto const* set = cache.set(hash);
        if (set[0].count(key)) return set;
        if (set[1].count(key)) return set + 1;
        cache.bring_back(key, hash);
        set = cache.set(hash);
        return set[0].count(key) ? set : nullptr;
    }

    template <class Known>
    static Tokens tokens_of(const Known& slot) {
        return {slot.ids, slot.tokens, slot.starts, nullptr};
    }
    Tokens tokens_of(const Text& text) {
        if (text.origin)
            for (std::uint32_t& start : tokens_.starts) start = text.origin[start];
        return {tokens_.ids.data(), tokens_.ids.size(), nullptr, tokens_.starts.data()};
    }

    template <class Cache, class Key, class MakeText, class Use>
    void recall(Cache& cache, const Key& key, Bytes unit, double& sum, MakeText& text, Use& use) {
        std::uint64_t const hash = key.hash();
        auto const* const slot = find(cache, key, hash);
        if (!slot) [[unlikely]]
            return add(cache, key, hash, unit, sum, text, use);
        if (!units_.are_certain(sum, slot->needs(), static_cast<double>(slot->reach))) [[unlikely]]
            return read_at_pace(unit, static_cast<double>(slot->reach), sum, text, use);
        if (slot->tokens >= slot->elsewhere) [[unlikely]] {
            LongKey const long_key{unit, 0};
            std::uint64_t const long_hash = long_key.hash();
            Long const* const found = slot->tokens == slot->elsewhere ? find(long_, long_key, long_hash) : nullptr;
            if (!found) return slot->tokens == slot->elsewhere ? add(long_, long_key, long_hash, unit, sum, text, use) : read_anew(text(), sum, use);
            sum = units_.sum_after(sum, found->scores, found->number);
            return use(tokens_of(*found));
        }
        sum = units_.sum_after(sum, slot->scores, slot->number);
        use(tokens_of(*slot));
    }

    template <class Cache, class Key, class MakeText, class Use>
    void add(Cache& cache, const Key& key, std::uint64_t hash, Bytes unit, double& sum, MakeText& text, Use& use) {
        Text const made = text();
        scores_.clear();
        UnigramUnit const known = units_.read(made.text, scores_, &tokens_);
        bool const is_sure = known.needs > 0;
        Tokens const tokens = is_sure ? tokens_of(made) : Tokens{};
        auto& slot = cache.make(hash);
        slot.set(key, 1);
        slot.reach = std::nextafter(static_cast<float>(known.reach), std::numeric_limits<float>::infinity());
        slot.power = is_sure ? static_cast<std::int8_t>(std::ilogb(known.needs)) : slot.never;
        slot.tokens = slot.nowhere;
        if (is_sure && !put(slot, tokens) && unit.size <= MediumKey::longest && put_elsewhere(unit, tokens, slot.reach, slot.power))
            slot.tokens = slot.elsewhere;
        if (!units_.are_certain(sum, known.needs, known.reach)) return read_at_pace(unit, known.reach, sum, text, use);
        sum = units_.sum_after(sum, scores_.data(), scores_.size());
        use(tokens);
    }

    // Whether there is room for them, and for `scores_`.
    template <class Made>
    bool put(Made& slot, const Tokens& tokens) {
        if (tokens.size > Made::most || scores_.size() > Made::most) return false;
        slot.tokens = static_cast<std::uint8_t>(tokens.size);
        slot.number = static_cast<std::uint8_t>(scores_.size());
        std::copy(scores_.begin(), scores_.end(), slot.scores);
        std::copy(tokens.ids, tokens.ids + tokens.size, slot.ids);
        near_starts_.clear();
        for (std::size_t index = 0; index < tokens.size; ++index) near_starts_.push_back(static_cast<std::uint8_t>(tokens.start(index)));
        std::copy(near_starts_.begin(), near_starts_.end(), slot.starts);
        return true;
    }

    bool put_elsewhere(Bytes unit, const Tokens& tokens, float reach, std::int8_t power) {
        if (tokens.size > Long::most || scores_.size() > Long::most) return false;
        LongKey const key{unit, 0};
        Long& slot = long_.make(key.hash());
        slot.set(key, 1);
        slot.reach = reach;
        slot.power = power;
        return put(slot, tokens);
    }

    // Of a unit of which rounding may decide.
    template <class MakeText, class Use>
    void read_at_pace(Bytes unit, double reach, double& sum, MakeText& text, Use& use) {
        auto const pace = static_cast<std::uint8_t>(units_.pace(sum, reach));
        if (pace == 0) return read_anew(text(), sum, use);
        LongKey const key{unit, pace};
        std::uint64_t const hash = key.hash();
        if (Long const* const slot = find(long_, key, hash)) {
            sum += slot->scores[0];
            return use(tokens_of(*slot));
        }
        double const before = sum;
        Text const made = text();
        units_.read_after(made.text, sum, &tokens_);
        Tokens const tokens = tokens_of(made);
        scores_.assign(1, sum - before);
        if (tokens.size <= Long::most) {
            Long& slot = long_.make(hash);
            slot.set(key, 1);
            put(slot, tokens);
        }
        use(tokens);
    }

    UnigramUnits units_;
    UnigramTokens tokens_;  // of the unit that was read last
    std::vector<double> scores_;
    std::vector<std::uint8_t> near_starts_;
    SlotPairs<Short, thresholds::first_bits, thresholds::unit_bits, 4> short_;           // 8 MB at most
    SlotPairs<Medium, thresholds::first_bits, thresholds::medium_unit_bits, 4> medium_;  // 4 MB at most
    SlotPairs<Long, thresholds::first_bits, thresholds::medium_unit_bits - 1, 4> long_;  // 4 MB at most
};

}  // namespace bpe
