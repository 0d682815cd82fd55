// The bytes choose a text and slices, or a text and a limit: the answers are those of counting afresh.
#include "try_interval.hpp"
#include "try_limits.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    bpe::test::Choices choices(bpe::Bytes{data, size});
    if (choices.one_in(3)) bpe::test::try_limits(choices);
    else bpe::test::try_interval(choices);
    return 0;
}
