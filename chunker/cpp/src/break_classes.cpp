#include "chunker/break_classes.hpp"

#include <algorithm>
#include <iterator>

namespace chunker {

namespace {

// From this character on, up to the next run: the fields of BreakClass as numbers.
struct Run {
    char32_t first;
    std::uint8_t fields[7];
};

#include "break_classes.inc"

}  // namespace

BreakClasses::BreakClasses() {
    std::size_t run = 0;
    std::vector<BreakClass> made(block);
    for (std::size_t first = 0; first < characters; first += block) {
        for (std::size_t place = 0; place < block; ++place) {
            while (run + 1 < std::size(runs) && runs[run + 1].first <= first + place) ++run;
            auto const& fields = runs[run].fields;
            made[place] = {static_cast<ClusterBreak>(fields[0]), static_cast<WordBreak>(fields[1]), static_cast<SentenceBreak>(fields[2]),
                           static_cast<ConjunctBreak>(fields[3]), fields[4] != 0, fields[5] != 0, fields[6] != 0};
        }
        numbers_[first / block] = number_of(made);
    }
}

std::uint16_t BreakClasses::number_of(const std::vector<BreakClass>& made) {
    // Most blocks are like the last one or two.
    for (std::size_t known = classes_.size(); known > 0; known -= block)
        if (std::equal(made.begin(), made.end(), classes_.begin() + static_cast<std::ptrdiff_t>(known - block)))
            return static_cast<std::uint16_t>(known / block - 1);
    classes_.insert(classes_.end(), made.begin(), made.end());
    return static_cast<std::uint16_t>(classes_.size() / block - 1);
}

const BreakClasses& break_classes() {
    static const BreakClasses classes;
    return classes;
}

}  // namespace chunker
