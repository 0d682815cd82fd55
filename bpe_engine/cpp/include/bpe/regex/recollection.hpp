// Notes of earlier searches for matches in a text that grows to the left, so that a later search can stop where it meets an earlier one.
//
//     aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbb
//     ↑ new      ↑ slot        ↑ slot        ↑ slot           the match ends ↑
//
// An automaton that reaches the same place in the same state continues in the same way. So the first place of each slot of the text stores the states in
// which attempts at a match passed it, with the ends that they found, and the searches that had found no start of a match there. Places are distances from
// the fixed end of the text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bpe/regex/states.hpp"
#include "bpe/thresholds.hpp"

namespace bpe::regex {

class Recollection {
public:
    // Instead of a state: no match has started. Instead of a distance: there is no match.
    static constexpr State searching = static_cast<State>(-1);
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    struct Outcome {
        std::size_t start, end;  // of the match; for an attempt only its end
    };

    // The first offset after `place` that is in another slot, of a text that ends at `limit`.
    static std::size_t next_slot(std::size_t place, std::size_t limit) {
        std::size_t const slot = (limit - place) / stride;
        return slot == 0 ? limit : std::max(limit - (slot * stride - 1), place + 1);
    }

    const Outcome* find(std::size_t distance, State state) const {
        std::size_t const slot = distance / stride;
        if (slot >= slots_.size()) return nullptr;
        for (Entry const& entry : slots_[slot])
            if (entry.distance == distance && entry.state == state) return &entry.outcome;
        return nullptr;
    }

    void put(std::size_t distance, State state, Outcome outcome) {
        std::size_t const slot = distance / stride;
        if (slot >= slots_.size()) slots_.resize(slot + 1);
        std::vector<Entry>& entries = slots_[slot];
        if (entries.size() == most_entries) entries.erase(entries.begin());
        entries.push_back({distance, state, outcome});
    }

    // Only the last `distance` bytes of the text are still there.
    void truncate(std::size_t distance) {
        slots_.resize(std::min(slots_.size(), distance / stride + 1));
        if (slots_.size() == distance / stride + 1) std::erase_if(slots_.back(), [&](Entry const& entry) { return entry.distance > distance; });
    }

private:
    static constexpr std::size_t stride = thresholds::recalled, most_entries = 8;

    struct Entry {
        std::size_t distance;
        State state;
        Outcome outcome;
    };
    std::vector<std::vector<Entry>> slots_;
};

}  // namespace bpe::regex
