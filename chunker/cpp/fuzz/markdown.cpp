// The bytes are a text: its blocks.
#include "try_markdown.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    chunker::test::try_markdown({reinterpret_cast<const char*>(data), size});
    return 0;
}
