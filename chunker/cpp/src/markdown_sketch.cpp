#include "chunker/markdown_sketch.hpp"

#include <algorithm>

#include "chunker/constants.hpp"

namespace chunker::markdown {

const std::string_view work_names[5] = {"prose", "verbatim", "fence", "yaml", "toml"};

namespace {

constexpr bool is_blank_mark(char character) { return character == ' ' || character == '\t' || character == '>'; }

// Whether a line closes a fence of this mark.
bool closes(std::string_view line, char mark) {
    std::size_t const start = std::min(line.find_first_not_of(" \t>"), line.size());
    std::size_t const end = std::min(line.find_first_not_of(mark, start), line.size());
    std::size_t const nonblank = std::min(line.find_first_not_of(" \t", end), line.size());
    return end - start >= 3 && (nonblank == line.size() || line.substr(nonblank) == "\n");
}

}  // namespace

Sketch::Sketch(std::string_view copy) : copy_(copy) { columns_.add(0, strength::document, "document"); }

// --- blocks

void Sketch::heading(std::size_t start, std::size_t end, int heading_level) {
    int const level_before = glued_;
    if (depth_) {
        block(start, "heading");
    } else {
        if (!level_before || level_before >= heading_level) put(start, section - heading_level, "section");
        headings_.push_back({start, end, heading_level});
    }
    glued_ = heading_level;
}

void Sketch::paragraph(std::size_t start, std::size_t end) {
    block(start, "paragraph");
    glued_ = 0;
    put_off(WorkKind::prose, start, end);
}

void Sketch::code(std::size_t start, std::size_t end, bool fenced) {
    whole(start, "code");
    put_off(fenced ? WorkKind::fence : WorkKind::verbatim, start, end);
}

void Sketch::table(std::size_t start, std::size_t end, const std::vector<std::size_t>& rows) {
    whole(start, "table");
    if (rows.size() < 2) return;
    for (std::size_t row = 1; row < rows.size(); ++row) put(rows[row], strength::line, "row");  // the first one stays with the header
    tables_.push_back({start, end, rows.front()});
}

void Sketch::leaf(std::size_t start, std::size_t end, Label label) {
    if (label == "rule") {
        block(start, label);
        glued_ = 0;
    } else {
        whole(start, label);
        put_off(WorkKind::verbatim, start, end);
    }
}

void Sketch::lines(std::size_t start, std::size_t end) {
    std::size_t at = start;
    bool first = true;
    while (at < end) {
        std::size_t nonblank = at;
        while (nonblank < end && is_blank_mark(copy_[nonblank])) ++nonblank;
        std::size_t const newline = std::min(copy_.find('\n', nonblank), end);
        if (nonblank < newline) {
            if (at > beginning_) {
                bool const blank = blank_before(at);
                // Stronger than all that is inside the block before: that block is a unit of its own.
                bool const apart = !glued_ && (first || blank);
                if (blank) put(at, apart ? level() : strength::paragraph, "paragraph");
                else put(at, apart ? strength::structure : strength::line, "line");
            }
            first = false;
        }
        at = newline + 1;
    }
}

void Sketch::open(std::size_t start, Label label) {
    block(start, label);
    ++depth_;
    first_item_ = true;
}

void Sketch::item(std::size_t start) {
    if (!first_item_) glued_ = 0;  // a heading keeps the first item, not one after it
    if (!glued_) put(start, level() + depth_step + item_below, "item");
    first_item_ = false;
}

void Sketch::close() {
    if (depth_) --depth_;
    glued_ = 0;
}

void Sketch::front_matter(std::size_t start, std::size_t end, WorkKind kind) { put_off(kind, start, end); }

void Sketch::strengthen(std::size_t start) {
    auto const found = std::lower_bound(columns_.offsets.begin(), columns_.offsets.end(), start);
    if (found != columns_.offsets.end()) columns_.strengths[static_cast<std::size_t>(found - columns_.offsets.begin())] = section;
}

// --- boundaries

std::int32_t Sketch::level() const { return markdown::block - depth_step * static_cast<std::int32_t>(std::min<std::size_t>(depth_, deepest)); }

void Sketch::put(std::size_t offset, std::int32_t strength, Label label) { columns_.put(offset <= beginning_ ? 0 : offset, strength, label, first_); }

void Sketch::block(std::size_t start, Label label) {
    if (!glued_) put(start, level(), label);
}

void Sketch::whole(std::size_t start, Label label) {
    put(start, level() + (glued_ ? kept_below : 0), label);
    glued_ = 0;
}

void Sketch::put_off(WorkKind kind, std::size_t start, std::size_t end) { works_.push_back({columns_.offsets.back(), kind, start, end}); }

bool Sketch::blank_before(std::size_t offset) const {
    if (offset == 0 || copy_[offset - 1] != '\n') return false;
    for (std::size_t at = offset - 1; at > 0; --at) {
        if (copy_[at - 1] == '\n') return true;
        if (!is_blank_mark(copy_[at - 1])) return false;
    }
    return true;
}

// --- refining

std::span<const Work> Sketch::works_in(std::size_t unit) const {
    auto const [first, last] = std::ranges::equal_range(works_, unit, {}, &Work::unit);
    return {first, last};
}

std::optional<Lines> Sketch::verbatim_lines(const Work& work) const {
    if (work.kind == WorkKind::verbatim) return Lines{work.start, work.end};
    Lines const code = work.kind == WorkKind::fence ? code_of(work) : Lines{work.start, work.end};
    if (code.end - code.start >= static_cast<std::size_t>(embedded::long_code)) return std::nullopt;
    return code;
}

// The line that opens a fence stays with the first line of code, the one that closes it with the last.
Lines Sketch::code_of(const Work& fence) const {
    std::string_view const block = copy_.substr(0, fence.end);
    std::size_t const feed = block.find('\n', fence.start);
    std::size_t const first = feed == std::string_view::npos ? fence.end : feed + 1;
    std::size_t last = fence.end;
    while (last > first && (last == fence.end || block[last - 1] != '\n')) --last;
    std::string_view const opening = block.substr(fence.start, first - fence.start);
    std::size_t const mark = std::min(opening.find("```"), opening.find("~~~"));
    if (mark == std::string_view::npos || !closes(block.substr(last), opening[mark])) last = fence.end;
    return {first, last};
}

// --- taking back

Sketch::Mark Sketch::mark() const {
    return {columns_.offsets.size(),   works_.size(), headings_.size(),       tables_.size(), depth_,
            columns_.strengths.back(), first_,        columns_.labels.back(), glued_,         first_item_};
}

void Sketch::take_back(const Mark& mark) {
    columns_.offsets.resize(mark.boundaries);
    columns_.strengths.resize(mark.boundaries);
    columns_.labels.resize(mark.boundaries);
    columns_.strengths.back() = mark.last_strength;
    columns_.labels.back() = mark.last_label;
    works_.resize(mark.works);
    headings_.resize(mark.headings);
    tables_.resize(mark.tables);
    depth_ = mark.depth;
    first_ = mark.first;
    glued_ = mark.glued;
    first_item_ = mark.first_item;
}

}  // namespace chunker::markdown
