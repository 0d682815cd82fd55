// Lines against a look at byte after byte.
#include "chunker/line_table.hpp"

#include <random>

#include "check.hpp"

namespace {

using chunker::LineTable;

std::string random_source(std::mt19937& random) {
    static const std::string pieces[] = {
        "\n", "\r", "\r\n", " ", "\t", "\f", "\v", "x", "# c\n", "\\\n", "\xC3\xA9", "\xED\xA0\x80", "\xF0\x9F\x98\x80", "\xEF\xBB\xBF", std::string(1, '\0')};
    std::string source;
    for (unsigned count = random() % 30; count > 0; --count) source += pieces[random() % 15];
    return source;
}

void compare(const std::string& source, std::mt19937& random) {
    LineTable const lines(source);
    std::uint32_t row = 0, byte = 0, character = 0;
    while (byte < source.size()) {
        CHECK(row < lines.size());
        CHECK(lines.start(row) == byte && lines.character(row) == character);
        std::uint32_t end = byte;
        while (end < source.size() && source[end] != '\n' && source[end] != '\r') ++end;
        if (end < source.size()) end += source.compare(end, 2, "\r\n") == 0 ? 2 : 1;
        std::uint32_t text_start = byte;
        if (source.compare(text_start, 3, "\xEF\xBB\xBF") == 0) text_start += 3;
        while (text_start < end && std::string(" \t\f\v").find(source[text_start]) != std::string::npos) ++text_start;
        CHECK(lines.end(row) == end && lines.text_start(row) == text_start && lines.indent(row) == text_start - byte);
        CHECK(lines.blank(row) == (text_start == end || source[text_start] == '\n' || source[text_start] == '\r'));
        for (; byte < end; ++byte) {
            CHECK(lines.row(byte) == row);
            CHECK(lines.row(byte, static_cast<LineTable::Row>(random() % lines.size())) == row);
            character += (static_cast<unsigned char>(source[byte]) & 0xC0u) != 0x80u;
        }
        ++row;
    }
    CHECK(row == lines.size() && lines.character(row) == character);
    if (row > 0) CHECK(lines.row(byte) == row - 1);
}

void hide() {
    std::string source = "x = 1\n";
    for (int line = 0; line < 60; ++line) source += line % 7 ? "  # c\r\n" : "\n\\\n";
    LineTable const lines(source);
    auto const hidden = chunker::hidden_rows(lines, source, "#\\");
    CHECK(hidden.size() == 60 - 48);
    CHECK(hidden.front() == 2 && chunker::hidden_rows(lines, source, "").empty() && chunker::hidden_rows(lines, source, "#").empty());
    std::string const masked = chunker::without({0, 3}, lines, source);
    CHECK(masked == "     " + source.substr(5, 4) + "     \r\n" + source.substr(16));
}

}  // namespace

int main() {
    std::mt19937 random(11);
    for (const char* source : {"", "a", "\n", "\r", "\r\n", " ", "\xEF\xBB\xBF", "\xEF\xBB\xBF x\n"}) compare(source, random);
    for (current_round = 0; current_round < 4000; ++current_round) compare(random_source(random), random);
    hide();
    return 0;
}
