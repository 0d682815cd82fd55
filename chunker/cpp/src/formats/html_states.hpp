// Records the states of a reader of HTML: the class States of chunker/formats/markup/html_restarts.py, which says what for.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chunker/constants.hpp"
#include "chunker/formats/html.hpp"

namespace chunker::formats {

class HtmlStateRecorder {
public:
    // Returns the number of the element.
    std::size_t open(std::size_t parent, std::string_view name);
    void begin_rows(std::size_t number, std::size_t start, std::size_t end, std::string closing);
    void begin_section(std::size_t depth, int level, bool in_table);
    void end_title(std::size_t start, std::size_t end);
    void close(std::size_t depth);
    // The state at `offset`, inside `element`, unless its preamble is too long or the sections would end with a table.
    std::optional<HtmlStates::Place> place(std::size_t offset, std::size_t element) const;
    bool has_rows(std::size_t number) const { return found.elements[number].end > 0; }

    HtmlStates found;

private:
    static constexpr std::size_t longest = html_restarts::longest;

    std::vector<std::size_t> sizes_, title_sizes_;  // of the preambles of elements and of sections
    std::vector<bool> in_tables_;                   // whether a section, or one around it, begins inside a table
    std::size_t section_ = none;
};

}  // namespace chunker::formats
