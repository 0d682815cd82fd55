#include "chunker/formats/notebook.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace chunker::formats {

namespace {

constexpr std::size_t heading_lines = notebook::heading_lines;

// A cell in the making: its members by the order of the text, of each name the first, and the lines of its text.
struct Draft {
    Member cell;
    std::vector<std::pair<std::u32string, Member>> members;
    std::unordered_map<std::u32string, std::size_t> numbers;
    std::vector<Span> lines;

    const Member* find(const std::u32string& name) const {
        auto const found = numbers.find(name);
        return found == numbers.end() ? nullptr : &members[found->second].second;
    }
    void add(std::u32string name, const Member& member) {
        if (numbers.try_emplace(name, members.size()).second) members.emplace_back(std::move(name), member);
    }
};

// CR LF is one character here, so that a notebook has the same boundaries with line ends of either kind.
bool is_long(Text part) {
    std::size_t size = part.size();
    for (std::size_t at = 0; size <= 2 * nesting::long_member && (at = part.find(U"\r\n", at)) != none; at += 2) --size;
    return size > nesting::long_member;
}

std::u32string name_of(Text text, const Member& member) {
    if (member.kind != Member::key) {
        std::string const digits = std::to_string(member.first);
        return {digits.begin(), digits.end()};
    }
    Text key = text.substr(member.first, member.last - member.first);
    if (key.starts_with('"')) key.remove_prefix(1);
    if (key.ends_with('"')) key.remove_suffix(1);
    return std::u32string(key);
}

// Whether there is nothing on a line but quotation marks and an escaped line end.
bool is_blank_line(Text line) {
    auto const is_around = [](char32_t character) { return is_blank(character) || is_line_end(character) || character == ',' || character == '"'; };
    while (!line.empty() && is_around(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_around(line.back())) line.remove_suffix(1);
    return line.empty() || line == U"\\n";
}

class Cells {
public:
    Cells(Text text, Columns& columns) : text_(text), columns_(columns) {}

    std::vector<Cell> take(const std::vector<Member>& members) {
        struct Open {
            std::size_t end;
            std::u32string name;
        };
        std::vector<Open> path;
        std::optional<Draft> draft;
        std::size_t last = none;
        for (const Member& member : members) {
            if (member.start == last) continue;  // the same member, up to an earlier bracket: there is no comma after it
            last = member.start;
            while (!path.empty() && path.back().end <= member.start) path.pop_back();
            std::size_t const depth = path.size();
            // Names are asked for where cells are, and of what may hold them.
            bool const named = depth == 0 || (depth == notebook::members - 1 && path.front().name == U"cells");
            path.push_back({member.end, named ? name_of(text_, member) : std::u32string()});
            if (depth == 0 || path.front().name != U"cells") continue;
            if (depth == notebook::cells - 1) {
                if (draft) finish(*draft);
                draft.emplace().cell = member;
            } else if (depth == notebook::members - 1) {
                draft->add(path.back().name, member);
            } else if (depth == notebook::lines - 1 && path[notebook::members - 1].name == U"source") {
                draft->lines.emplace_back(member.start, member.end);
            }
        }
        if (draft) finish(*draft);
        return std::move(cells_);
    }

private:
    void finish(const Draft& draft) {
        Cell cell;
        cell.start = draft.cell.start;
        cell.end = draft.cell.end;
        cell.row = row_at(cell.start);
        const Member *const kind = draft.find(U"cell_type"), *const source = draft.find(U"source"), *const outputs = draft.find(U"outputs");
        if (outputs) cell.outputs = Span(outputs->start, outputs->end);
        if (kind && source && text_.substr(kind->start, kind->end - kind->start).find(U"markdown") != none) {
            cell.source = Span(source->start, source->end);
            cell.lines.assign(draft.lines.begin(), draft.lines.begin() + static_cast<std::ptrdiff_t>(std::min(draft.lines.size(), heading_lines)));
        }
        cells_.push_back(std::move(cell));
        put_members(draft);
        put_lines(draft.lines);
    }

    void put_members(const Draft& draft) {
        bool has_outputs = false;
        for (auto const& [name, member] : draft.members) {
            std::size_t const row = row_at(member.start);
            if (row == none) continue;
            if (name == U"outputs" && is_long(text_.substr(member.start, member.end - member.start))) {
                set(row, strength_at(notebook::members), "outputs");
                has_outputs = true;
            } else {
                set(row, name == U"source" && has_outputs ? strength_at(notebook::members) : preamble, "key");
            }
        }
    }

    void put_lines(const std::vector<Span>& lines) {
        bool above_is_blank = false;
        for (std::size_t number = 0; number < lines.size(); ++number) {
            auto const [start, end] = lines[number];
            bool const blank = is_blank_line(text_.substr(start, end - start));
            std::size_t const row = row_at(start);
            bool const after_blank = above_is_blank && !blank;
            above_is_blank = blank;
            if (row == none) continue;
            if (number == 0) set(row, preamble, "line");
            else set(row, strength_at(notebook::lines) + after_blank, after_blank ? "paragraph" : "line");
        }
    }

    std::size_t row_at(std::size_t offset) const {
        auto const found = std::lower_bound(columns_.offsets.begin(), columns_.offsets.end(), offset);
        return found == columns_.offsets.end() || *found != offset ? none : static_cast<std::size_t>(found - columns_.offsets.begin());
    }
    void set(std::size_t row, std::int32_t strength, Label label) {
        if (row == 0) return;  // the start of the text
        columns_.strengths[row] = strength;
        columns_.labels[row] = label;
    }

    // Inside what stands before the lines of a cell.
    const std::int32_t preamble = strength_at(notebook::lines + 1);

    Text text_;
    Columns& columns_;
    std::vector<Cell> cells_;
};

}  // namespace

void read_cells(Text text, DataOutline& outline) {
    std::stable_sort(outline.members.begin(), outline.members.end(),
                     [](const Member& one, const Member& other) { return one.start != other.start ? one.start < other.start : one.end > other.end; });
    Columns columns = outline.columns;
    std::int32_t const of_root = strength_at(1), root_member = strength_at(0) + notebook::root_above;
    for (std::size_t row = 1; row < columns.size(); ++row) {
        if (columns.strengths[row] != of_root) continue;
        columns.strengths[row] = root_member;
        columns.labels[row] = "key";
    }
    outline.cells = Cells(text, columns).take(outline.members);
    if (!outline.cells.empty()) outline.columns = std::move(columns);
}

}  // namespace chunker::formats
