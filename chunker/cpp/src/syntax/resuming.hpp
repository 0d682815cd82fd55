// The offsets at which parsing of a source text can resume, by its syntax tree.
//
//     import a                     x = 1
//     def one(): ...               def two(): ...            a point: the text before it and after it has no error
//     class C:                                               a large body: "class C:\n" stands for all before a point in it
//         def three(): ...             def four(): ...       a point
#pragma once

#include <tree_sitter/api.h>

#include <vector>

#include "chunker/syntax.hpp"
#include "parsing.hpp"
#include "walking.hpp"

namespace chunker::syntax {

// `regions`: the definitions that the walk has found; `tops`: where those went that moved. `rows`: what the boundaries have become. `preamble`: see
// SyntaxReading.
Resumption resumption(const Text& text, const Tree& tree, const std::vector<Region>& regions, const ByRow<Row>& tops, const LineBoundaries& rows,
                      std::uint32_t preamble);

}  // namespace chunker::syntax
