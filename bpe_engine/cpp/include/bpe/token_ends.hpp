// The ends of the tokens of a growing piece, as they were when these were read last: all tokens up to an end of then and of now are the same.
//
//     read before   a|ab|ac|b         ends 1 3 5 6
//     the text now  a b a b a c b b   its tokens are walked back from the end on: acbb, which ends at 8 and begins at 4 ...
//
// When the piece is cut back, the ends after the cut are removed.
#pragma once

#include <cstddef>
#include <vector>

#include "bpe/steps.hpp"

namespace bpe {

class TokenEnds {
public:
    void truncate(std::size_t end) {
        while (!ends_.empty() && ends_.back() > end) ends_.pop_back();
    }
    void clear() { ends_.clear(); }

    // Walks back from `end` to an end of before, or 0, and returns it; the ends after it are those of now. `start_of(end)`: where the last token up to an end
    // begins, which is where the one before it ends. Takes the time of the tokens that have changed.
    template <class StartOf>
    std::size_t walk(std::size_t end, StartOf&& start_of) {
        walked_.clear();
        for (;;) {
            count_step();
            truncate(end);
            if (end == 0 || (!ends_.empty() && ends_.back() == end)) break;
            walked_.push_back(end);
            end = start_of(end);
        }
        ends_.insert(ends_.end(), walked_.rbegin(), walked_.rend());
        return end;
    }

    // Calls `use(start, end)` for each token that the last walk has passed, in the order of the text.
    template <class Use>
    void for_each_walked(std::size_t from, Use&& use) const {
        for (auto end = walked_.rbegin(); end != walked_.rend(); from = *end++) use(from, *end);
    }

private:
    std::vector<std::size_t> ends_, walked_;
};

}  // namespace bpe
