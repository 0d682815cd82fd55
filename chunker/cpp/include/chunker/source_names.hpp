// Source code without comments and strings, and the names on its lines: what chunker/symbols/masking.py and reading.py say, which are the specification.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chunker {

// How comments and strings of a language begin and end. `strings`: quotation marks; """, ''' and ` go over line ends, others end with the line.
struct HiddenMarks {
    std::string block_begin, block_end;  // both empty for a language without
    std::vector<std::string> line_comments;
    std::vector<std::string> strings;
};

// UTF-8 with a space for each character of a comment or string; line ends stay. Linear time.
std::string without_comments_and_strings(std::string_view source, const HiddenMarks& marks);

struct NameLines {
    std::string_view name;
    std::vector<std::size_t> lines;  // from 1, ascending
};

// The names of at least two characters in ASCII code, in the order of their first lines, each with its first `most` lines.
std::vector<NameLines> names_by_line(std::string_view code, std::size_t most);

}  // namespace chunker
