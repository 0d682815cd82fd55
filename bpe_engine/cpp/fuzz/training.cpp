// The bytes choose words to learn from, or a text to count: as by definition, however it is cut.
#include "try_training.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    bpe::test::Choices choices(bpe::Bytes{data, size});
    if (choices.below(2)) bpe::test::try_training(choices);
    else bpe::test::try_counting(choices);
    return 0;
}
