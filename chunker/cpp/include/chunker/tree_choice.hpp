// The best choice of lines within a budget: what chunker/mapping/choosing.py says, which is the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace chunker {

// The nodes in the order of the text. `ends`: the number of the node after each and all that is in it; `marks`: the price of the mark for those left out, -1
// for the outermost. All are of one length, ends are right and lengths below 2^31.
struct ChoiceTree {
    std::vector<double> values;
    std::vector<std::int64_t> prices, ends, marks;
};

struct TreeChoice {
    std::vector<std::size_t> nodes;
    double value, bound;
};

// `raised`: what was added to values so that their nodes are chosen first.
TreeChoice choose(const ChoiceTree& tree, std::int64_t budget, double raised);

}  // namespace chunker
