#include "chunker/enclosing.hpp"

namespace chunker {

std::vector<std::size_t> stronger_before(const std::vector<std::int64_t>& strengths) {
    std::vector<std::size_t> found(strengths.size()), falling;
    for (std::size_t index = 0; index < strengths.size(); ++index) {
        while (!falling.empty() && strengths[falling.back()] <= strengths[index]) falling.pop_back();
        found[index] = falling.empty() ? 0 : falling.back();
        falling.push_back(index);
    }
    return found;
}

std::vector<std::size_t> stronger_after(const std::vector<std::int64_t>& strengths) {
    std::vector<std::size_t> found(strengths.size(), strengths.size()), waiting;  // strength falls or stays towards the last that waits
    for (std::size_t index = 0; index < strengths.size(); ++index) {
        for (; !waiting.empty() && strengths[waiting.back()] < strengths[index]; waiting.pop_back()) found[waiting.back()] = index;
        waiting.push_back(index);
    }
    return found;
}

}  // namespace chunker
