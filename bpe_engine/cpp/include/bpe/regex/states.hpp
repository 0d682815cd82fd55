// The states of a deterministic automaton and the table of their transitions, made on demand.
#pragma once

#include <unordered_map>
#include <vector>

#include "bpe/regex/determinizer.hpp"

namespace bpe::regex {

// A transition: the next state, and in the low byte the number of characters since a match ended (0: no match ended).
using Transition = std::uint32_t;
using State = std::uint32_t;

inline constexpr State dead_state = 0;
inline constexpr Transition unknown_transition = ~Transition{0};
inline constexpr State state_of(Transition transition) { return transition >> 8; }
inline constexpr unsigned match_of(Transition transition) { return transition & 255; }

class States {
public:
    explicit States(const Determinizer& determinizer, std::size_t class_count);

    std::size_t size() const { return keys_.size(); }
    const std::vector<Transition>& table() const { return table_; }
    State start(unsigned context, bool nonempty);
    State state(const Key& key);
    const Key& key(State state) const { return *keys_[state]; }

    Transition known(State state, std::size_t class_number) const { return table_[state * stride_ + class_number]; }
    // Makes the transition if it is not known.
    Transition at(State state, std::size_t class_number);

    // Roughly, in bytes.
    std::size_t memory() const { return table_.size() * sizeof(Transition) + key_memory_; }
    void clear();

private:
    const Determinizer* determinizer_;
    std::size_t stride_;  // of a row: a transition for each class, and one for the end
    struct Hash {
        std::size_t operator()(const Key& key) const;
    };
    std::unordered_map<Key, State, Hash> numbers_;
    std::vector<const Key*> keys_;
    std::vector<Transition> table_;
    std::vector<State> starts_;
    std::size_t key_memory_ = 0;
};

}  // namespace bpe::regex
