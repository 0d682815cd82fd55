// The result of the readers of JSON, YAML, TOML and notebooks.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "chunker/formats/columns.hpp"

namespace chunker::formats {

using Span = std::pair<std::size_t, std::size_t>;

// A long member, which is a scope if it has a name: that of its key text[first:last], or its number, which is `first`. The kinds are those of
// chunker.formats.nesting.Kind.
struct Member {
    enum Kind : int { key, element, record, document };

    std::size_t start, end;
    Kind kind;
    std::size_t first, last;
};

// A cell of a notebook. `row`: the boundary at its start, whose strength depends on the headings of all cells; none if there is none. `source`: of
// Markdown, where its text stands, and `lines` are the first ones of that.
struct Cell {
    std::size_t start = 0, end = 0;
    std::size_t row = none;
    std::optional<Span> source, outputs;
    std::vector<Span> lines;
};

// The header of a table of TOML: where it begins with its comments, whether it is that of an element of an array, and where its name stands.
struct TableHeader {
    std::size_t start;
    bool of_array;
    std::size_t name_start, name_end;
};

struct DataOutline {
    Columns columns;
    std::vector<Member> members;
    std::vector<Cell> cells;
    std::vector<TableHeader> tables;
};

}  // namespace chunker::formats
