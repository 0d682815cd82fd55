#include "chunker/markdown_lines.hpp"

#include "chunker/constants.hpp"
#include "chunker/formats/text.hpp"

namespace chunker::markdown {

using formats::is_blank;
using formats::is_digit;

namespace {

constexpr bool blank_from(std::string_view line, std::size_t at) {
    while (at < line.size() && is_blank(line[at])) ++at;
    return at == line.size();
}

constexpr std::size_t run(std::string_view line, char mark, std::size_t at = 0) {
    std::size_t const start = at;
    while (at < line.size() && line[at] == mark) ++at;
    return at - start;
}

}  // namespace

Indent indent_of(std::string_view line) {
    Indent indent;
    for (; indent.characters < line.size() && is_blank(line[indent.characters]); ++indent.characters) {
        bool const tab = line[indent.characters] == '\t';
        indent.columns += tab ? 4 - indent.columns % 4 : 1;
        indent.tabs |= tab;
    }
    return indent;
}

bool is_blank(std::string_view line) { return blank_from(line, 0); }

int heading_level(std::string_view line) {
    std::size_t const level = run(line, '#');
    if (level == 0 || level > markdown_headings::deepest_level) return 0;
    return level == line.size() || is_blank(line[level]) ? static_cast<int>(level) : 0;
}

int underline_level(std::string_view line) {
    if (line.empty() || (line[0] != '=' && line[0] != '-')) return 0;
    if (!blank_from(line, run(line, line[0]))) return 0;
    return line[0] == '=' ? 1 : 2;
}

bool is_rule(std::string_view line) {
    if (line.empty() || (line[0] != '*' && line[0] != '-' && line[0] != '_')) return false;
    std::size_t marks = 0;
    for (char const character : line) {
        if (character == line[0]) {
            ++marks;
        } else if (!is_blank(character)) {
            return false;
        }
    }
    return marks >= 3;
}

std::size_t fence_length(std::string_view line) {
    if (line.empty() || (line[0] != '`' && line[0] != '~')) return 0;
    std::size_t const length = run(line, line[0]);
    if (length < 3) return 0;
    return line[0] == '`' && line.find('`', length) != line.npos ? 0 : length;
}

bool closes_fence(std::string_view line, char mark, std::size_t length) {
    std::size_t const indent = run(line, ' ');
    if (indent > 3) return false;
    std::size_t const marks = run(line, mark, indent);
    return marks >= length && indent + marks + run(line, ' ', indent + marks) == line.size();  // the parser takes no tabs there
}

ItemMark item_mark(std::string_view line) {
    ItemMark mark;
    if (line.empty()) return mark;
    std::size_t at = 0;
    if (line[0] != '-' && line[0] != '+' && line[0] != '*') {
        while (at < line.size() && at < 9 && is_digit(line[at])) ++at;
        if (at == 0 || at == line.size() || (line[at] != '.' && line[at] != ')')) return mark;
        mark.one = line[at - 1] == '1' && run(line, '0') + 1 == at;
    }
    char const kind = line[at];
    std::size_t const after = ++at;
    if (at < line.size() && !is_blank(line[at])) return mark;
    mark.kind = kind;
    mark.length = after;
    mark.pad = run(line, ' ', after);
    mark.empty = blank_from(line, after);
    mark.tab = !mark.empty && line[after + mark.pad] == '\t';
    return mark;
}

bool could_delimit(std::string_view line) {
    constexpr std::string_view marks = "-|: \t";
    return line.find('|') != line.npos && line.find_first_not_of(marks) == line.npos;
}

bool is_delimiter(std::string_view line) {
    if (line.find('|') == line.npos || line.starts_with("    ")) return false;
    std::size_t at = 0;
    auto const spaces = [&] { at += run(line, ' ', at); };
    auto const mark = [&](char wanted) {
        bool const found = at < line.size() && line[at] == wanted;
        at += found;
        return found;
    };
    mark('|');
    for (bool first = true;; first = false) {
        spaces();
        bool const colon = mark(':');
        std::size_t const dashes = run(line, '-', at);
        if (dashes == 0) return !first && !colon && at == line.size();  // after the last bar there need not be one more cell
        at += dashes;
        mark(':');
        spaces();
        if (at == line.size()) return true;
        if (!mark('|')) return false;
    }
}

std::size_t cells(std::string_view line) {
    bool const is_trimmed = !line.empty() && is_blank(line.back());
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    std::size_t bars = 0, kept = 0;
    bool first = false, last = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '\\' && at + 1 < line.size() && (line[at + 1] == '\\' || line[at + 1] == '|')) {
            ++at, ++kept, last = false;
            continue;
        }
        if (line[at] == '\\' && at + 1 == line.size() && !is_trimmed) return 0;
        last = line[at] == '|';
        bars += last;
        first |= last && kept == 0;
        ++kept;
    }
    return 1 + bars - first - (last && kept > static_cast<std::size_t>(first));
}

bool is_plain_definition(std::string_view line) {
    constexpr std::string_view not_first = "<>()\"'", anywhere = "<>()";
    auto const printable = [](char character) { return !is_blank(character) && (character < '\x1c' || character > '\x1f'); };
    if (line.size() < 2 || line[0] != '[' || line[1] == '^') return false;
    std::size_t at = 1;
    while (at < line.size() && line[at] != ']' && line[at] != '[' && line[at] != '\\') ++at;
    if (at < 2 || !printable(line[1])) return false;
    if (at + 1 >= line.size() || line[at] != ']' || line[at + 1] != ':') return false;
    at += 2;
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at == line.size() || !printable(line[at]) || not_first.find(line[at]) != not_first.npos) return false;
    while (at < line.size() && printable(line[at]) && anywhere.find(line[at]) == anywhere.npos) ++at;
    return blank_from(line, at);
}

bool could_define(std::string_view line) {
    if (line.size() < 2 || line[1] == '^') return true;
    std::size_t at = 1;
    while (at < line.size() && line[at] != ']' && line[at] != '[' && line[at] != '\\') ++at;
    if (at == line.size() || line[at] == '\\') return true;
    return line[at] == ']' && at + 1 < line.size() && line[at + 1] == ':';
}

}  // namespace chunker::markdown
