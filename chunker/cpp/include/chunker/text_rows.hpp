// The non-blank lines of plain text, and the number of blank lines above each.
#pragma once

#include <cstddef>
#include <vector>

namespace chunker {

struct TextRow {
    std::size_t offset;  // in characters
    unsigned blank;      // lines above; any more of them than `plain_text::most_blank` have no effect
};

// The first line, blank or not, and every other one that is not blank. Lines end as Unicode says (UAX #14: BK, CR, LF, NL); a paragraph
// separator (U+2029) ends one like a blank line. `text` in UTF-8, surrogates written as "surrogatepass" does.
std::vector<TextRow> text_rows(const unsigned char* text, std::size_t size);

}  // namespace chunker
