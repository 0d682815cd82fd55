// Overlap: which units at the end of a chunk the next one repeats. What chunker/growing/overlap.py says, which is the specification.
#pragma once

#include <cstddef>

#include "chunker/counter.hpp"
#include "chunker/limits.hpp"
#include "chunker/units.hpp"

namespace chunker {

class Overlap {
public:
    Overlap(Units& units, Counter& counter, const Limits& limits) : units_(units), counter_(counter), limits_(limits) {}

    // The overlap: the last of `places`, which a chunk has taken, or parts of them, from the earliest whose text up to `next`, the end of the chunk,
    // fits. For closed units, `next` is the next unit.
    Places repeated(Places places, const Place& next) const;
    // The last half of the places of an overlap that ends at `end`, or less; none in the end.
    Places shortened(const Places& repeated, std::size_t end) const;

private:
    std::size_t farthest_back(const Places& places, std::size_t end, std::size_t first, std::size_t known) const;
    std::size_t leap_back(const Places& places, std::size_t end, std::size_t first, std::size_t known) const;
    std::size_t prepend_fitting(std::size_t start, std::size_t end) const;

    Units& units_;
    Counter& counter_;
    const Limits& limits_;
};

}  // namespace chunker
