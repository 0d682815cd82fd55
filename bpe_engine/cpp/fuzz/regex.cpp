// The first line of the bytes is a pattern, the second a text, and the rest what follows it.
#include <algorithm>

#include "try_regex.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto const* const end = data + size;
    auto const* const first = std::find(data, end, '\n');
    auto const* const second = first == end ? end : std::find(first + 1, end, '\0');
    auto const part = [](const std::uint8_t* from, const std::uint8_t* to) { return from < to ? std::string(from, to) : std::string(); };
    std::string const pattern = part(data, std::min(first, data + std::min<std::size_t>(size, 60)));
    std::string const text = part(first == end ? end : first + 1, second), more = part(second == end ? end : second + 1, end);
    bpe::test::try_regex(pattern, text, more);
    // And one made of parts, by the same bytes.
    bpe::test::Choices choices(bpe::Bytes{data, size});
    bpe::test::try_regex(bpe::test::random_pattern(choices, 12), text, more);
    return 0;
}
