#include "chunker/enclosing.hpp"

#include <cstdio>
#include <random>

int main() {
    using Numbers = std::vector<std::int64_t>;
    if (chunker::enclosing_ends({0, 3, 5, 7}, {9, 2, 1, 2}, 8) != Numbers{8, 8, 7, 8}) return 1;
    if (!chunker::enclosing_ends({}, {}, 8).empty()) return 2;
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
        Numbers offsets, strengths;
        for (std::size_t index = random() % 12; index > 0; --index) {
            offsets.push_back(static_cast<std::int64_t>(offsets.size() * 2));
            strengths.push_back(random() % 4);
        }
        std::int64_t const end = static_cast<std::int64_t>(offsets.size() * 2);
        Numbers const ends = chunker::enclosing_ends(offsets, strengths, end);
        for (std::size_t index = 0; index < offsets.size(); ++index) {
            std::size_t next = index + 1;
            while (next < offsets.size() && strengths[next] <= strengths[index]) ++next;
            if (ends[index] != (next < offsets.size() ? offsets[next] : end)) {
                std::fprintf(stderr, "round %d, boundary %zu\n", round, index);
                return 3;
            }
        }
    }
    return 0;
}
