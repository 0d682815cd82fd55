#include "chunker/enclosing.hpp"

#include <cstddef>

namespace chunker {

std::vector<std::int64_t> enclosing_ends(const std::vector<std::int64_t>& offsets, const std::vector<std::int64_t>& strengths, std::int64_t end) {
    std::vector<std::int64_t> ends(offsets.size(), end);
    std::vector<std::size_t> waiting;  // the boundaries that wait for a stronger one: strength falls or stays towards the last
    for (std::size_t index = 0; index < strengths.size(); ++index) {
        while (!waiting.empty() && strengths[waiting.back()] < strengths[index]) {
            ends[waiting.back()] = offsets[index];
            waiting.pop_back();
        }
        waiting.push_back(index);
    }
    return ends;
}

}  // namespace chunker
