// The bytes are a file; and they choose a file as it would be written, and how it is damaged.
#include "try_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    bpe::test::try_file(std::string(reinterpret_cast<const char*>(data), size));
    bpe::test::Choices choices(bpe::Bytes{data, size});
    bpe::test::try_file(bpe::test::random_file(choices));
    return 0;
}
