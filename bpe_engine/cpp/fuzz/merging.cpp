// The bytes choose a vocabulary and pieces: every way to encode one gives the same tokens.
#include "try_merging.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    bpe::test::Choices choices(bpe::Bytes{data, size});
    bpe::test::try_merging(choices);
    return 0;
}
