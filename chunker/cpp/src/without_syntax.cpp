// Built where the runtime of tree-sitter could not be had. src/syntax/ is in its place where it could.
#include <stdexcept>

#include "chunker/syntax.hpp"

namespace chunker {

bool has_syntax() { return false; }

bool reads(const void*) { throw std::logic_error("built without the runtime of tree-sitter"); }

std::unique_ptr<SyntaxReading> read_syntax(const SyntaxGrammar&, std::string_view, std::uint32_t) {
    throw std::logic_error("built without the runtime of tree-sitter");
}

}  // namespace chunker
