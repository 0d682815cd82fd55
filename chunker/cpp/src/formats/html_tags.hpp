// The tags of HTML, in one pass.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "chunker/formats/html.hpp"

namespace chunker::formats {

struct Tag {
    enum Kind { inline_tag, block, raw, comment, line_break };

    Kind kind;
    std::size_t element;  // its number; of blocks and raw ones
    std::size_t start, end;
    bool closes = false;
    std::size_t content_start = 0, content_end = 0;  // of what is no HTML
};

class TagReader {
public:
    TagReader(std::string_view copy, const Elements& elements) : copy_(copy), elements_(elements) {}

    // Moves past the next tag; false if there is none. Linear over all calls.
    bool next(Tag& tag);
    // Whether no tag so far lacks a quotation mark.
    bool is_quoted() const { return quotes_; }

private:
    bool may_begin(std::size_t start) const;
    bool read(std::size_t start, Tag& tag);
    std::size_t after_attributes(std::size_t at) const;
    void read_name(std::size_t first, std::size_t last, Tag& tag);
    void find_content(Tag& tag);

    std::string_view copy_;
    const Elements& elements_;
    std::size_t at_ = 0;
    bool quotes_ = true;  // false once a quotation mark that nothing closes would hide the rest of the text
    std::string name_;
};

}  // namespace chunker::formats
