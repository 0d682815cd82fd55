// The name of a definition in a breadcrumb; the twin of chunker/formats/code/naming.py, which draws it.
#pragma once

#include <tree_sitter/api.h>

#include <string>
#include <string_view>

#include "chunker/syntax.hpp"

namespace chunker::syntax {

// The name of a node of the tree of `source`, in bytes, with the white space that stands there; empty if it has none. Of a long one as much as
// a hundred characters need.
std::string name_of(TSNode node, const NameTemplate& name, std::string_view source);

}  // namespace chunker::syntax
