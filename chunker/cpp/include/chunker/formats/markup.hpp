// The common part of the markup formats: boundaries written down in the order of the text, and its prose. The specification is
// chunker/formats/columns.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "chunker/formats/columns.hpp"

namespace chunker::formats {

// Lines of code in a language of their own, which text[named:name_end] tells.
struct Code {
    std::size_t start, end;
    std::size_t named = 0, name_end = 0;
};

// Appends the boundaries strictly inside a part of code, ascending, to `found`; false for an unknown language.
using CodeInside = std::function<bool(const Code&, Columns& found)>;

// A heading: where it begins, its level (1 is the highest), and its text. `end`: where its section ends at the latest; none if nothing says so.
struct Heading {
    std::size_t start;
    int level;
    std::size_t text_start = 0, text_end = 0;
    std::size_t end = none;
};

// A region, and the part of the text that tells about it: its header, which is repeated, or its name.
struct Region {
    std::size_t start, end;
    std::size_t told_start, told_end;
};

// The outline of a text. Other findings are named when somebody asks for them.
struct MarkupOutline {
    Columns columns;
    std::vector<Heading> headings;
    std::vector<Region> tables;  // those that have a header
    std::vector<Region> named;
    std::unordered_set<std::string> labels;  // those that are no literals
};

// The text in ASCII, with line feeds for line ends: chunker/formats/code/parser_copies.py. Every character is in its place.
std::string copy_of(Text text);

class Markup {
public:
    Markup(Text text, const CodeInside& code_inside);

    std::string_view copy() const { return copy_; }
    Text text() const { return text_; }
    std::size_t size() const { return text_.size(); }

    // A boundary at `offset`, not before the last one; at the same place the stronger one stays. After a byte order mark, it is at 0.
    void put(std::size_t offset, std::int32_t strength, Label label);
    // The offset of a cut before `offset`: before the indentation of its line, if there is nothing else on it. The last boundary, if a
    // cut there would part characters that belong together.
    std::size_t cut_before(std::size_t offset) const;
    // All lines of a span but the first that are not blank. `start` is a line start, or in the middle of a line.
    void verbatim(std::size_t start, std::size_t end);
    // The sentences of a paragraph, and its lines. `ends`: of the sentences, in offsets from `start`.
    void prose(std::size_t start, std::size_t end);
    void prose(std::size_t start, std::size_t end, const std::vector<std::size_t>& ends);
    // The lines of code, or what its own format makes of them.
    void code(const Code& code);
    // A label that stands in the text.
    Label label_of(std::string_view name) { return *found.labels.emplace(name).first; }

    // The next line feed of copy[start:end]; none if there is none.
    std::size_t line_feed(std::size_t start, std::size_t end) const;
    // The first offset of copy[start:end] that is not blank; `end` if there is none.
    std::size_t nonblank(std::size_t start, std::size_t end) const {
        while (start < end && !is_nonblank(start)) ++start;
        return start;
    }
    // The end of copy[start:end] without what is blank at its end.
    std::size_t trimmed(std::size_t start, std::size_t end) const {
        while (end > start && !is_nonblank(end - 1)) --end;
        return end;
    }

    MarkupOutline found;

private:
    bool is_nonblank(std::size_t offset) const { return copy_[offset] != ' ' && copy_[offset] != '\t' && copy_[offset] != '\n'; }

    Text text_;
    std::string copy_;
    const CodeInside& code_inside_;
    std::int32_t first_ = -1;  // the strength of what begins at 0, were it not the start of the text
};

// Adds the boundaries of a paragraph that begins at `start` of the text that `copy` is made from: its sentences, and its lines.
void prose(Text paragraph, std::string_view copy, std::size_t start, Columns& found);
// Adds all lines of copy[start:end] but the first that are not blank, as `Markup::verbatim`.
void verbatim(std::string_view copy, std::size_t start, std::size_t end, Columns& found);

}  // namespace chunker::formats
