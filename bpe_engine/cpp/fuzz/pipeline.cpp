// The bytes are a pipeline, and a program for its encoders.
#include "try_pipeline.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    bpe::test::Choices choices(bpe::Bytes{data, size});
    bpe::test::try_pipeline(choices);
    return 0;
}
