// The bytes are a program for an appending or a prepending encoder, whose count is that of a fresh one after each step.
#include "try_growing.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    bpe::test::Choices choices(bpe::Bytes{data, size});
    if (choices.one_in(2)) bpe::test::try_growing<bpe::AppendingEncoder>(choices);
    else bpe::test::try_growing<bpe::PrependingEncoder>(choices);
    return 0;
}
