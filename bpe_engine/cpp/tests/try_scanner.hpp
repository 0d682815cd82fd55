// Four ways to the pre-tokens of a text that have to agree: the mask algebra, the walking rule, and the indexed rule, whose index may have
// grown to the right or to the left.
#pragma once

#include <string>

#include "bpe/scanner.hpp"

namespace bpe::test {

void try_scanner(const Scanner& scanner, const std::string& text);

inline constexpr const char* grammar_names[] = {"r50k",      "cl100k",  "o200k",  "llama3",      "qwen2",        "qwen35",      "tekken",
                                                "starcoder", "kimi_k2", "falcon", "deepseek_v3", "llama3_ascii", "qwen2_ascii", "qwen35_ascii"};

}  // namespace bpe::test
