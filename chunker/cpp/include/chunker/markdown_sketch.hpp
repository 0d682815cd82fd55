// The parts of a sketch of Markdown: the starts of units, and the units to refine later.
//
//     # Guide                  boundary 0 section    heading 0..8, level 1
//     Some words. In two       boundary 8 paragraph? no: the heading keeps it. Work: prose 8..40, of the unit at 0
//     lines.
//     ```python                boundary 41 code      work: fence 41..61, of the unit at 41
//     a = 1
//     ```
//
// Its twin in Python, which says why each boundary is as strong as it is, is chunker/formats/markup/markdown_sketch.py. Offsets are those of a
// copy of the text with one byte for each character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chunker/formats/columns.hpp"

namespace chunker::markdown {

using formats::Columns, formats::Label;

enum class WorkKind : std::uint8_t { prose, verbatim, fence, yaml, toml };
extern const std::string_view work_names[5];

// To be done when the unit that begins at `unit` is refined.
struct Work {
    std::size_t unit;
    WorkKind kind;
    std::size_t start;
    std::size_t end;
};

// Whole lines of the copy.
struct Lines {
    std::size_t start;
    std::size_t end;
};

// A heading outside of quotes and lists. What stands before the first row is the header of a table.
struct Heading {
    std::size_t start;
    std::size_t end;
    int level;
};
struct Table {
    std::size_t start;
    std::size_t end;
    std::size_t first_row;
};

// Is told about the blocks of a text in their order, and writes down what begins where. A block's start is that of its line.
class Sketch {
public:
    explicit Sketch(std::string_view copy);

    void heading(std::size_t start, std::size_t end, int level);
    void paragraph(std::size_t start, std::size_t end);
    void code(std::size_t start, std::size_t end, bool fenced);
    // `rows`: the starts of the lines below the delimiter row.
    void table(std::size_t start, std::size_t end, const std::vector<std::size_t>& rows);
    // HTML, math or a rule.
    void leaf(std::size_t start, std::size_t end, Label label);
    // Lines that are not a block, such as link definitions, including blank lines among them.
    void lines(std::size_t start, std::size_t end);
    void open(std::size_t start, Label label);
    void item(std::size_t start);
    void close();
    // Makes the block at `start`, after a byte order mark, begin at 0.
    void begin(std::size_t start) { beginning_ = start; }
    // The front matter `copy[start:end]`, without the lines around it.
    void front_matter(std::size_t start, std::size_t end, WorkKind kind);
    // Makes the first boundary at or after `start` a section of its own.
    void strengthen(std::size_t start);

    const Columns& columns() const { return columns_; }
    const std::vector<Work>& works() const { return works_; }
    // The work of the unit that begins at `unit`.
    std::span<const Work> works_in(std::size_t unit) const;
    // The lines that are cut one by one because they are not prose; none if there are so many that their language matters.
    std::optional<Lines> verbatim_lines(const Work& work) const;
    const std::vector<Heading>& headings() const { return headings_; }
    const std::vector<Table>& tables() const { return tables_; }
    std::string_view copy() const { return copy_; }

    // A state that `take_back` returns to.
    struct Mark {
        std::size_t boundaries, works, headings, tables, depth;
        std::int32_t last_strength, first;
        Label last_label;
        int glued;
        bool first_item;
    };
    Mark mark() const;
    void take_back(const Mark& mark);

private:
    std::int32_t level() const;
    void put(std::size_t offset, std::int32_t strength, Label label);
    void block(std::size_t start, Label label);
    void whole(std::size_t start, Label label);
    Lines code_of(const Work& fence) const;
    void put_off(WorkKind kind, std::size_t start, std::size_t end);
    bool blank_before(std::size_t offset) const;

    std::string_view copy_;
    Columns columns_;
    std::vector<Work> works_;
    std::vector<Heading> headings_;
    std::vector<Table> tables_;
    std::int32_t first_ = -1;  // the strength of what begins at 0, were it not the start of the text
    std::size_t beginning_ = 0;
    std::size_t depth_ = 0;  // of quotes and lists
    int glued_ = 0;          // the level of the heading that stands directly before, 0 if none does
    bool first_item_ = false;
};

}  // namespace chunker::markdown
