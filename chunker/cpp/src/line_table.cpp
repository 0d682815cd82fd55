#include "chunker/line_table.hpp"

#include <algorithm>
#include <array>

#include "chunker/constants.hpp"
#include "chunker/utf8.hpp"

namespace chunker {

namespace {

constexpr std::size_t longest_run = parsing::longest_run;

constexpr bool is_indentation(char byte) { return byte == ' ' || byte == '\t' || byte == '\f' || byte == '\v'; }

constexpr bool ends_line(char byte) { return byte == '\n' || byte == '\r'; }

std::uint32_t characters_in(std::string_view bytes) {
    return static_cast<std::uint32_t>(bytes.size() - count_bytes(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), continues));
}

// The start of the next line. Each byte is read once, for any kind of line end.
std::size_t next_line(std::string_view source, std::size_t from, bool has_returns) {
    if (!has_returns) return std::min(source.find('\n', from), source.size() - 1) + 1;
    while (from < source.size() && !ends_line(source[from])) ++from;
    bool const two_bytes = source.substr(from, 2) == "\r\n";
    return std::min(from + (two_bytes ? 2 : 1), source.size());
}

std::size_t end_of_indentation(std::string_view source, std::size_t from, std::size_t end) {
    if (source.substr(from, 3) == "\xEF\xBB\xBF") from += 3;
    while (from < end && is_indentation(source[from])) ++from;
    return from;
}

// After a backslash nothing else may stand on the line.
bool is_skimmed(std::string_view line) { return line.front() != '\\' || line.size() == 1 || ends_line(line[1]); }

}  // namespace

LineTable::LineTable(std::string_view source) {
    bool const has_returns = source.find('\r') != std::string_view::npos;
    bool const one_byte_each = characters_in(source) == source.size();
    std::size_t const about = source.size() / 32 + 2;
    starts_.reserve(about);
    indents_.reserve(about);
    first_bytes_.reserve(about);
    starts_.push_back(0);
    if (!one_byte_each) characters_.push_back(0);
    for (std::size_t start = 0; start < source.size();) {
        std::size_t const end = next_line(source, start, has_returns);
        std::size_t const text_start = end_of_indentation(source, start, end);
        indents_.push_back(static_cast<std::uint32_t>(text_start));
        first_bytes_.push_back(text_start < end ? source[text_start] : '\n');
        starts_.push_back(static_cast<std::uint32_t>(end));
        if (!one_byte_each) characters_.push_back(characters_.back() + characters_in(source.substr(start, end - start)));
        start = end;
    }
}

LineTable::Row LineTable::row(std::uint32_t byte, Row near) const {
    Row const count = size();
    if (starts_[near] > byte) near = 0;
    // Steps of doubled width, and then by halves: the children of a node follow one another.
    Row step = 1;
    while (near + step < count && starts_[near + step] <= byte) {
        near += step;
        step *= 2;
    }
    Row const stop = std::min(count, near + step);
    auto const found = std::upper_bound(starts_.begin() + near, starts_.begin() + stop, byte);
    return static_cast<Row>(found - starts_.begin()) - 1;
}

std::vector<LineTable::Row> hidden_rows(const LineTable& lines, std::string_view source, std::string_view skimmed) {
    std::vector<LineTable::Row> hidden, run;
    if (skimmed.empty()) return hidden;
    std::array<bool, 256> in_question{};
    for (char const byte : skimmed) in_question[static_cast<unsigned char>(byte)] = true;
    in_question['\n'] = in_question['\r'] = true;

    auto const end_run = [&] {
        if (run.size() > longest_run) hidden.insert(hidden.end(), run.begin(), run.end() - longest_run);
        run.clear();
    };
    const std::string& first_bytes = lines.first_bytes();
    for (LineTable::Row row = 0; row < lines.size(); ++row) {
        if (!in_question[static_cast<unsigned char>(first_bytes[row])]) {
            end_run();
        } else if (!lines.blank(row)) {
            if (is_skimmed(source.substr(lines.text_start(row), lines.end(row) - lines.text_start(row)))) run.push_back(row);
            else end_run();
        }
    }
    end_run();
    return hidden;
}

std::string without(const std::vector<LineTable::Row>& rows, const LineTable& lines, std::string_view source) {
    std::string masked(source);
    for (LineTable::Row const row : rows) {
        std::size_t end = lines.end(row);
        while (end > lines.text_start(row) && ends_line(source[end - 1])) --end;
        std::fill(masked.begin() + lines.text_start(row), masked.begin() + static_cast<std::ptrdiff_t>(end), ' ');
    }
    return masked;
}

}  // namespace chunker
