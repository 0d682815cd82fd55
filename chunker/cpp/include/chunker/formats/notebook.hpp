// Notebooks: the cells of a JSON text, as chunker/formats/data/notebook.py has them, which is the specification.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "chunker/formats/json.hpp"

namespace chunker::formats {

using Span = std::pair<std::size_t, std::size_t>;

// `row`: the boundary at its start, whose strength depends on the headings of all cells; none if there is none. `source`: of Markdown, where its
// text stands, and `lines` are the first ones of that.
struct Cell {
    std::size_t start = 0, end = 0;
    std::size_t row = none;
    std::optional<Span> source, outputs;
    std::vector<Span> lines;
};

// The cells among the members of `scan`, which has read all of `text` and tells about members of any length; its columns begin with the start of
// the text. What is inside of cells gets its strength there.
std::vector<Cell> read_cells(Text text, JsonScan& scan);

}  // namespace chunker::formats
