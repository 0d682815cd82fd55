// Counting up to a limit, and the longest prefix and suffix that fit.
#include "bpe/limits.hpp"
#include "bpe/thresholds.hpp"
#include "try_limits.hpp"

using namespace bpe;
using namespace bpe::test;

namespace {

// The count of a prefix may go down when it grows: "abcd" is one token, "abc" two.
void counts_that_go_down() {
    Vocabulary const vocabulary({"a", "b", "c", "d", "cd", "ab", "abcd"});
    auto const encoder = std::make_shared<const Encoder>(vocabulary.dictionary, nullptr, std::vector<std::uint32_t>{});
    std::string const text = "abcdabc";
    CHECK(vocabulary.count(nullptr, "abc") == 2 && vocabulary.count(nullptr, "abcd") == 1);
    CHECK(fitting_prefix(encoder, view(text), 0) == 0);
    CHECK(fitting_prefix(encoder, view(text), 1) == 4);
    CHECK(fitting_prefix(encoder, view(text), 2) == 6);
    CHECK(fitting_prefix(encoder, view(text), 3) == 7);
    CHECK(fitting_suffix(encoder, view(text), 2) == 3);
    CHECK(fitting_suffix(encoder, view(text), 1) == 1);
    CHECK(count_up_to(*encoder, view(text), 2) == std::nullopt);
    CHECK(count_up_to(*encoder, view(text), 3) == 3);
    CHECK(count_up_to(*encoder, {}, 0) == 0);
    CHECK(fitting_prefix(encoder, {}, 0) == 0);
}

}  // namespace

int main(int count, char** arguments) {
    counts_that_go_down();
    repeat(count, arguments, thresholds::long_tail > 100 ? 400 : 3000, try_limits);
    return 0;
}
