// The sections of a Markdown text: where they end, and what their headings say. The specification: `_plain` of chunker/formats/markup/markdown.py,
// `sections` of chunker/formats/sections.py and `nested` of chunker/formats/columns.py.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "chunker/formats/text.hpp"
#include "chunker/markdown_sketch.hpp"

namespace chunker::markdown {

// Start and end of the text of a heading: without the marks before it, the white space around it and a plain anchor at its end. None if other marks, a link,
// other attributes or white space inside may have to be removed.
std::optional<std::pair<std::size_t, std::size_t>> plain_heading(formats::Text heading);

// The section of a heading, or a table.
struct Region {
    std::size_t start, end;
    std::size_t number;  // of the heading, or of the table
    bool is_table;
};

// The sections of the headings that have a name, and the tables, outermost first; no region ends after the one around it.
std::vector<Region> nested_regions(const std::vector<Heading>& headings, const std::vector<bool>& have_names, const std::vector<Table>& tables,
                                   std::size_t size);

}  // namespace chunker::markdown
