// Blocks of more than one line that are certain where nothing is open around them: tables between bars, math, link definitions. The
// expressions for the same are in chunker/formats/markup/markdown_blocks.py.
#include <algorithm>

#include "chunker/markdown_blocks.hpp"

namespace chunker::markdown {

namespace {

// A line that begins so is text: a letter, or a character beyond ASCII, which the copy has as 2.
bool begins_text(char character) { return (character >= 'A' && character <= 'Z') || (character >= 'a' && character <= 'z') || character == '\x02'; }

}  // namespace

Blocks::Step Blocks::begin_at_margin() {
    switch (copy_[start_]) {
    case '|': return table();
    case '$': return math();
    case '[': return definitions();
    default: return Step::text;
    }
}

// | a | b |
// |---|---|      as many cells as above
// | 1 | 2 |      and so on, up to a blank line, a heading or a fence; a line of text is a row, too
Blocks::Step Blocks::table() {
    if (next_ >= copy_.size()) return Step::text;
    std::size_t const rule_end = end_of_line(next_);
    std::string_view const header = copy_.substr(start_, end_ - start_), rule = copy_.substr(next_, rule_end - next_);
    if (is_blank(header.substr(1)) || !is_delimiter(rule) || cells(header) != cells(rule)) return Step::text;
    std::vector<std::size_t> rows;
    std::size_t at = std::min(rule_end + 1, copy_.size());
    while (at < copy_.size()) {
        std::size_t const end = end_of_line(at);
        bool const cells = copy_[at] == '|' && !is_blank(copy_.substr(at + 1, end - at - 1));
        if (!cells && !begins_text(copy_[at])) break;
        rows.push_back(at);
        at = std::min(end + 1, copy_.size());
    }
    std::string_view const rest = copy_.substr(at, end_of_line(at) - at);
    if (!is_blank(rest) && heading_level(rest) == 0 && fence_length(rest) == 0) return Step::uncertain;
    sketch_.table(start_, at, rows);
    next_ = at;
    return Step::done;
}

// $$
// - a         whatever it looks like, but no blank line
// $$
Blocks::Step Blocks::math() {
    if (!copy_.substr(start_).starts_with("$$") || !blank_before()) return Step::text;
    for (std::size_t at = start_ + 2; at < copy_.size(); ++at) {
        if (copy_[at] == '\n' && blank_or_end(at + 1)) break;
        if (copy_[at] != '$' || at + 1 == copy_.size() || copy_[at + 1] != '$') continue;
        std::size_t const end = end_of_line(at + 2);
        if (!is_blank(copy_.substr(at + 2, end - at - 2))) break;
        next_ = std::min(end + 1, copy_.size());
        sketch_.leaf(start_, next_, "math");
        return Step::done;
    }
    return Step::text;
}

// [a]: http://b
// [c]: d        and so on, up to a blank line
Blocks::Step Blocks::definitions() {
    std::size_t at = start_, end = end_;
    while (is_plain_definition(copy_.substr(at, end - at))) {
        at = std::min(end + 1, copy_.size());
        end = end_of_line(at);
    }
    if (at == start_) return Step::text;
    if (!blank_or_end(at)) return Step::uncertain;
    sketch_.lines(start_, at);
    next_ = at;
    return Step::done;
}

bool Blocks::blank_before() const {
    if (start_ == 0) return true;
    std::size_t at = start_ - 1;
    while (at > 0 && (copy_[at - 1] == ' ' || copy_[at - 1] == '\t')) --at;
    return copy_[start_ - 1] == '\n' && (at == 0 || copy_[at - 1] == '\n');
}

bool Blocks::blank_or_end(std::size_t at) const { return is_blank(copy_.substr(at, end_of_line(at) - at)); }

std::size_t Blocks::end_of_line(std::size_t at) const { return std::min(copy_.find('\n', at), copy_.size()); }

}  // namespace chunker::markdown
