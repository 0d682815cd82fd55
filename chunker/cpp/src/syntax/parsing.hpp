// Parsing in linear time, whatever the text; the twin of chunker/formats/code/parsing.py.
#pragma once

#include <tree_sitter/api.h>

#include <string_view>

#include "pool.hpp"

namespace chunker::syntax {

// The syntax tree of `source`, nullptr if that takes too long. It is in `pool`, and goes with it.
// Throws std::invalid_argument for a grammar that the runtime does not know how to read.
const TSTree* parse(const TSLanguage* language, std::string_view source, Pool& pool);

}  // namespace chunker::syntax
