// The lines of reStructuredText: what chunker/formats/markup/restructuredtext_lines.py says, which is the specification.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace chunker::formats {

// A line that is not blank: its start, where its text begins, where the next line does, the column of its text, tabs expanded, and its text
// without white space at its end.
struct TextLine {
    std::size_t start, text_start, end, indent;
    bool after_blank;
    std::string_view text;
};

// The lines of copy[start:], which is ASCII with line feeds for line ends.
std::vector<TextLine> restructuredtext_lines(std::string_view copy, std::size_t start);

}  // namespace chunker::formats
