// The lines of a text that may have a sign of a programming language: what `_searched` of chunker/formats/guessing.py says, which is the specification.
//
//     words   "def " of Python, "import " of Go, Java and Python; marks   "std::" of C++
//
//     text    import os              Go, Java, Python: it begins with a word of them
//             The standard says      none
//                 def main():        Python
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace chunker {

class CodeLines {
public:
    using Languages = std::uint32_t;  // a bit for each

    // `words`: a line begins with one of them, after spaces and tabs. `marks`: a line holds one anywhere. Of two words at the start of a line the longer
    // counts. Each has the languages that it is a sign of.
    CodeLines(std::vector<std::pair<std::string, Languages>> words, const std::vector<std::pair<std::string, Languages>>& marks);

    struct Line {
        std::string_view text;
        Languages languages;
    };

    // The lines of a text in UTF-8 that some language has, those of more than `longest` characters left out. Linear time.
    std::vector<Line> find(std::string_view text, std::size_t longest) const;

private:
    struct Mark {
        std::string text;
        Languages languages;
        std::size_t rarest;  // the place of the character that is looked for
    };

    Languages languages_of(std::string_view line) const;

    std::vector<std::pair<std::string, Languages>> words_;                 // in descending order
    std::array<std::pair<std::uint32_t, std::uint32_t>, 256> by_first_{};  // the words with this first byte: from which, up to which
    std::vector<Mark> marks_;
};

}  // namespace chunker
