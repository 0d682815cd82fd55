// Slices of a text that is one piece of a Unigram model from its start to its end, as SentencePiece models read texts.
//
//     whole text    ▁the|▁cat|▁sat|▁on|▁the|▁mat     units (unigram_units.hpp), read once
//     slice           he|▁cat|▁sat|▁on|▁the|▁m
//                   ▁he                     ▁m       read anew, up to the first unit that begins in both, and from the last that the end cannot change
//                      -------------------           between, the scores of the tokens are added to the sum that the slice has there
//
// Sums begin where the slice begins, and are rounded: a unit where that may change something is read again after the sum that it has in the slice. What
// a block of units does to a sum is remembered: between two powers of two all floats are equally far apart, so that whatever is done to one is done to
// another that is an even number of such steps away. Up to 100,000, where a sum begins anew, a slice goes on by blocks then.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "../models/unigram_units.hpp"
#include "bpe/pipeline/normalizer.hpp"
#include "bpe/shelf.hpp"

namespace bpe {

class UnigramSlices {
public:
    // `normalizer` null: none. All that is given outlives this; `raw` has less than 4 GiB, and `model` an unknown token.
    UnigramSlices(const UnigramModel& model, const Normalizer* normalizer, Bytes raw);

    // The number of tokens of raw[start:end). For threads.
    std::size_t count(std::size_t start, std::size_t end) const;
    std::size_t memory() const;

private:
    struct Unit {
        std::uint32_t raw, start;   // where it begins: in the raw and in the normalized text
        std::uint32_t first_score;  // its scores begin here, and end where those of the next unit begin
        std::uint32_t count;        // tokens
        float needs, reach;         // as those of UnigramUnit, rounded to the safe side
    };
    // A text that goes on or ends at `limit` or after it is read in the same way up to `certain`.
    struct Window {
        std::uint32_t limit, certain;
    };
    // 8 units, or 8 such blocks, and so on.
    static constexpr std::size_t levels = 3, block_bits = 3;
    // Sums from 2^7 to 2^17, where one begins anew.
    static constexpr unsigned first_power = 7, paces = 20;
    struct Level {
        std::vector<float> reach;  // of each block, as that of a unit
        // Of each block, for each pace of a sum (UnigramUnits): the tokens, and what is added to the sum; 0: not known.
        std::vector<std::atomic<std::uint64_t>> known;
    };

    void normalize();
    void find_units();
    void find_blocks();
    void add_unit(UnigramUnits& units, std::size_t raw, std::size_t start, std::size_t end);
    Bytes text() const { return normalizer_ ? Bytes{normalized_.text.data(), normalized_.text.size()} : raw_; }
    std::size_t unit_end(std::size_t number) const { return number + 1 < units_.size() ? units_[number + 1].start : text().size; }
    // The unit that begins at an offset of the raw text, or the number of units.
    std::size_t unit_at(std::size_t raw) const;
    std::size_t count_unit(std::size_t number, double& sum, UnigramUnits& units) const;
    // The known facts of a block, or those of `read()`, which counts it and goes on with `sum`.
    template <class Read>
    std::size_t remembered(Level& level, std::size_t number, double reach, double& sum, const UnigramUnits& units, Read&& read) const;
    // The same for a block of a level; of level 0, a unit.
    std::size_t count_block(std::size_t level, std::size_t number, double& sum, UnigramUnits& units) const;
    // Goes on with `sum` over the units [first, last).
    std::size_t count_units(std::size_t first, std::size_t last, double& sum, UnigramUnits& units) const;
    // Normalizes raw[from:limit) into `made`, which is empty.
    Bytes normalized(std::size_t from, std::size_t limit, bool at_start, bool at_end, Normalized& made) const;

    struct Workspace {
        explicit Workspace(const UnigramModel& model) : units(model) {}
        UnigramUnits units;
        Normalized made;
    };

    const UnigramModel& model_;
    const Normalizer* normalizer_;
    Bytes raw_;
    Normalized normalized_;  // of the whole text; its offsets only until the units are found
    std::vector<Window> windows_;
    std::vector<Unit> units_;
    std::vector<float> scores_;  // of the tokens of all units
    mutable std::array<Level, levels> levels_;
    std::vector<std::uint32_t> unsure_;  // the units that rounding may decide
    mutable Level of_unsure_;            // their `known` alone
    Shelf<Workspace> shelf_;
};

}  // namespace bpe
