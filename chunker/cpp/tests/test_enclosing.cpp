#include "chunker/enclosing.hpp"

#include <cstdio>
#include <random>

int main() {
    using Numbers = std::vector<std::size_t>;
    if (chunker::stronger_before({9, 2, 1, 2, 3}) != Numbers{0, 0, 1, 0, 0}) return 1;
    if (chunker::stronger_after({9, 2, 1, 2, 3}) != Numbers{5, 4, 3, 4, 5}) return 2;
    if (!chunker::stronger_before({}).empty() || !chunker::stronger_after({}).empty()) return 3;
    std::mt19937 random(7);
    for (int round = 0; round < 2000; ++round) {
        std::vector<std::int64_t> strengths;
        for (std::size_t index = random() % 12; index > 0; --index) strengths.push_back(random() % 4);
        Numbers const before = chunker::stronger_before(strengths), after = chunker::stronger_after(strengths);
        for (std::size_t index = 0; index < strengths.size(); ++index) {
            std::size_t left = index, right = index + 1;
            while (left > 0 && strengths[left] <= strengths[index]) --left;
            while (right < strengths.size() && strengths[right] <= strengths[index]) ++right;
            if (before[index] != left || after[index] != right) {
                std::fprintf(stderr, "round %d, boundary %zu\n", round, index);
                return 4;
            }
        }
    }
    return 0;
}
