// Cuts inside of units that are long because tokens of the vocabulary reach over spaces: where none does so in this text.
//
//     unit      in the same way, but the keyring          tokens "▁in▁the▁same", "▁way", "▁but▁the"
//     cuts      in the same|way,|but the|keyring
//
// A state of the automaton tells which tokens may go on after a word, so from there on the next word is looked up, with the state: whether a token reaches over
// the space before it, and the state after it.
#pragma once

#include <array>
#include <vector>

#include "../models/unigram_units.hpp"
#include "bpe/piece_cache.hpp"
#include "bpe/pipeline/normalizer.hpp"

namespace bpe {

class UnigramWords {
public:
    using State = TokenAutomaton::State;

    // What is given outlives it; `normalizer` null: none.
    UnigramWords(const UnigramModel& model, const Normalizer* normalizer);

    // Appends the offsets in a raw unit at which no token reaches over a space; `is_open`: whatever follows it.
    void find(Bytes unit, bool is_open, UnigramUnits& units, std::vector<std::size_t>& cuts);

private:
    template <class Word>
    struct Key {
        Word word;
        State state;
        std::uint64_t hash() const { return word.hash() ^ state * 0x9E3779B97F4A7C15ull; }
    };
    // The count of a slot: 1 where a token may reach over the start of the word, 2 where none does.
    template <class WordSlot, class Word>
    struct alignas(2 * sizeof(WordSlot)) Slot : WordSlot {
        State before, after;

        Key<Word> key() const { return {WordSlot::key(), before}; }
        std::uint64_t count(const Key<Word>& key) const { return WordSlot::count(key.word) & (std::uint64_t{0} - (before == key.state)); }
    };
    struct Reading {
        bool is_joined;
        State after;
    };

    template <class Cache, class Word>
    Reading recall(Cache& cache, const Word& key, Bytes word, State state, UnigramUnits& units);
    Reading read(Bytes word, State state, UnigramUnits& units);

    const Normalizer* normalizer_;
    std::array<bool, 128> parts_before_space_{}, is_known_{};  // characters of ASCII
    std::vector<Byte> space_;                                  // what a space becomes; empty: that is not known
    State after_space_ = TokenAutomaton::start;
    Normalized made_;
    SlotPairs<Slot<ShortSlot, PieceKey>, thresholds::first_bits, thresholds::unit_bits + 1, 4> short_;        // 8 MB at most
    SlotPairs<Slot<MediumSlot, MediumKey>, thresholds::first_bits, thresholds::medium_unit_bits, 4> medium_;  // 2 MB at most
};

}  // namespace bpe
