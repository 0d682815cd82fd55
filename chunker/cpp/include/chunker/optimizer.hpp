// The best cut of a whole text: what chunker/growing/optimal.py says, which is the specification.
//
// The candidates from one boundary are priced one by one until what begins there and the whole text have the same pre-tokens. From there on both grow by the
// same tokens, so that the other sizes are sums of the whole text and a constant:
//
//     whole text    the| quick| brown| fox| jumps| over        sums 1 2 3 4 5 6
//     from "ick"               ick| brown| fox| jumps| over    2 tokens, and 1 for each that follows: sum + 0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "chunker/atoms.hpp"
#include "chunker/counter.hpp"
#include "chunker/limits.hpp"
#include "chunker/overlap.hpp"
#include "chunker/units.hpp"

namespace chunker {

class Optimizer : private Atoms {
public:
    // `rows` has at least one row.
    Optimizer(const Text& text, const OutlineRows& rows, const Limits& limits, Counter& counter, Prices& prices, Surroundings& surroundings)
        : Atoms(text, rows, limits, counter, prices, surroundings) {
        if (limits.overlap > 0) units_.emplace(text, rows, surroundings, true);
    }

    // The chunks in the order of the text. Throws TooSmall where a single character does not fit. Time and memory are linear in the text, for given limits.
    std::vector<Piece> pieces();

private:
    // The start of a chunk: its offset, which is before its first atom where text is repeated, its context, and the label of its first unit.
    struct Start {
        std::size_t offset;
        Context context;
        std::size_t label;
    };
    // The cheapest way to a boundary: the one before it, how the chunk between the two begins, and its tokens.
    struct Way {
        double cost;
        std::size_t from;
        Start start;
        std::size_t size;
    };
    // A place between two candidates, or the end of the text.
    struct Sum {
        std::size_t rough;  // about how many tokens are before it, never fewer than before
        std::size_t exact;  // the tokens of the text before it; those of its parts where prices are counted anew
        std::size_t place;  // its byte
    };

    void find_candidates();
    std::vector<Sum> sums_of(const std::vector<Atom>& atoms);
    void price_cuts();
    void go_on_from(std::size_t first, std::size_t last);
    // The sizes of chunks that grow from `start`: what text[start.offset:end] has after its context. The ends ascend.
    void begin(const Start& start);
    std::size_t size_at(std::size_t stop);
    // The start of a chunk whose first new atom is `first`, which fits; `size` is the count with this atom only.
    Start start_of(std::size_t first, std::size_t& size);
    bool fits(const Start& start, std::size_t first, std::size_t& size);
    Places places_before(std::size_t first);
    double cost_of_chunk(std::size_t size, std::size_t repeated) const;

    std::optional<Units> units_;  // for the overlap
    std::vector<Atom> atoms_;     // candidates: chunks begin and end between them
    std::vector<Sum> sums_;       // before each of them, and before the end
    std::vector<double> costs_;   // of a cut before each of them
    std::vector<Way> ways_;

    // The growing text.
    std::size_t appended_ = 0;           // up to which offset
    std::optional<std::size_t> agreed_;  // from which byte on its size is the exact sum and `shift_`
    std::ptrdiff_t shift_ = 0;
};

}  // namespace chunker
