// The lines of a source text, in characters and in bytes at once; the twin of chunker/formats/text/lines.py.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace chunker {

// Lines end with \n, \r\n or \r; the last one may lack its end. No line is empty. The text is UTF-8 that may hold surrogates, less than 4 GB.
//
//     "é = 1\n\n  b"   bytes 0 7 8 (11)   characters 0 6 7 (10)   indents 0 7 10   blank 0 1 0
class LineTable {
public:
    using Row = std::uint32_t;

    explicit LineTable(std::string_view source);

    Row size() const { return static_cast<Row>(indents_.size()); }

    // In bytes: where the line begins, where the next one does, and where its indentation ends, a byte order mark included.
    std::uint32_t start(Row row) const { return starts_[row]; }
    std::uint32_t end(Row row) const { return starts_[row + 1]; }
    std::uint32_t text_start(Row row) const { return indents_[row]; }

    // In characters, where the line begins; of the row after the last one, the length of the text.
    std::uint32_t character(Row row) const { return characters_.empty() ? starts_[row] : characters_[row]; }

    // The number of bytes of indentation of a line.
    std::uint32_t indent(Row row) const { return indents_[row] - starts_[row]; }

    // Whether the line holds nothing but indentation.
    bool blank(Row row) const { return first_bytes_[row] == '\n' || first_bytes_[row] == '\r'; }

    // The bytes after the indentation, one a line; \n where there is none.
    const std::string& first_bytes() const { return first_bytes_; }

    // The line that holds this byte; the last one for what is after the text. Quick where it is `near` or soon after it.
    Row row(std::uint32_t byte, Row near = 0) const;

private:
    std::vector<std::uint32_t> starts_;      // and the length of the text
    std::vector<std::uint32_t> characters_;  // the same in characters; empty where all are of one byte
    std::vector<std::uint32_t> indents_;
    std::string first_bytes_;
};

// The lines, in order, that are hidden from a grammar whose scanner is quadratic in them: of a long run of lines that begin with one of the
// characters `skimmed`, all but the last ones. chunker/formats/code/parsing.py tells why.
std::vector<LineTable::Row> hidden_rows(const LineTable& lines, std::string_view source, std::string_view skimmed);

// `source` with spaces instead of the text on these lines; no byte moves.
std::string without(const std::vector<LineTable::Row>& rows, const LineTable& lines, std::string_view source);

}  // namespace chunker
