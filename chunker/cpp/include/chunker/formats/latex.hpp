// LaTeX: what chunker/formats/markup/latex.py and latex_commands.py say, which are the specification.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "chunker/formats/markup.hpp"

namespace chunker::formats {

// The meaning of environments by name, and the commands of sections, the highest first: chunker/formats/markup/latex_commands.py.
struct Environments {
    using Names = std::set<std::string, std::less<>>;

    Names whole, tables, lists, verbatim;
    std::vector<std::string> sections;
};

// `code_inside`: of listings; the line that begins one tells the language.
MarkupOutline read_latex(Text text, const Environments& environments, const CodeInside& code_inside);

}  // namespace chunker::formats
