// The bytes are a text: its pre-tokens by walking, by masks and by index.
#include "try_scanner.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string const text(reinterpret_cast<const char*>(data), size);
    for (const char* name : bpe::test::grammar_names) bpe::test::try_scanner(*bpe::scanner_named(name), text);
    return 0;
}
