// Atoms: units of a text that `optimal` never divides, and between which it chooses the cuts. The specification is chunker/growing/optimal.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "chunker/characters.hpp"
#include "chunker/counter.hpp"
#include "chunker/limits.hpp"
#include "chunker/units.hpp"

namespace chunker {

// text[start:end]; `strength` and `label` are those of the boundary at its start.
struct Atom {
    std::size_t start, end;
    std::int64_t strength;
    std::size_t label;  // as that of a Place
};

class Atoms {
public:
    Atoms(const Text& text, const OutlineRows& rows, const Limits& limits, Counter& counter, Prices& prices, Surroundings& surroundings);

    // The largest units that leave room for `limits.least` more, and of what is longer the parts that are, down to characters.
    std::vector<Atom> find();

    // Whether text[start:end] is more than `limit` tokens. Of what is longer by far nothing is read.
    bool is_over(std::size_t start, std::size_t end, std::size_t limit) {
        return end > start && (end - start > limit * longest_token || prices_.count(start, end) > limit);
    }
    // The tokens that an atom may have that begins at `start`.
    std::size_t atomic_size(std::size_t start);
    std::size_t context_size(Context context) { return counter_.count(context, 0, 0); }
    // Whether a cut at `offset` is inside a head that fits.
    bool is_in_head(std::size_t offset) const { return tops_.contains(offset); }

protected:
    const Text& text_;
    const OutlineRows& rows_;
    const Limits& limits_;
    Counter& counter_;
    Prices& prices_;
    Surroundings& surroundings_;

private:
    struct Unit;

    void find_tops();
    std::size_t top_of(std::size_t offset) const;
    void add_finer(const Unit& unit, std::vector<Unit>& stack);

    std::vector<std::size_t> stronger_;                        // before each row
    std::unordered_map<std::size_t, std::size_t> tops_;        // offsets inside heads that fit -> where the unit begins that a cut there would break
    std::size_t last_start_ = no_outline_row, last_size_ = 0;  // the last answer of `atomic_size`
};

}  // namespace chunker
