// The commands of LaTeX that matter to blocks, in one pass over the copy of a text.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "chunker/formats/latex.hpp"

namespace chunker::formats {

// For what is verbatim, `start` is that of \begin, and `body` where its content begins.
struct Command {
    enum Kind { begin, end, section, item, comment, blank, verbatim };

    Kind kind;
    std::size_t start, after;
    std::string_view name{};
    std::size_t body = 0;
    std::size_t level = 0;  // of sections, from 1 on
};

class CommandReader {
public:
    CommandReader(std::string_view copy, std::size_t start, const Environments& environments) : copy_(copy), environments_(environments), at_(start) {}

    // Moves past the next command; false if there is none. Linear over all calls.
    bool next(Command& command);

private:
    bool read(std::size_t start, Command& command);
    bool read_edge(std::size_t start, std::size_t name, Command& command);
    std::size_t after_verb(std::size_t at) const;

    std::string_view copy_;
    const Environments& environments_;
    std::size_t at_;
    std::set<std::string, std::less<>> missing_;  // ends that are not to be found any more
};

constexpr bool is_of_command(char character) { return is_letter(character) || character == '@'; }
std::size_t after_command(std::string_view copy, std::size_t at);

// The offset of \begin{document} outside of comments; none if there is none.
std::size_t document_start(std::string_view copy);

// The span of the first argument in braces after `start`, optional ones in brackets skipped; (start, start) if there is none
// that ends within a few hundred characters.
std::pair<std::size_t, std::size_t> argument(std::string_view copy, std::size_t start, const Environments& environments);

}  // namespace chunker::formats
