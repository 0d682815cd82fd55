// Offsets in characters, bytes and lines together; each part of a text is read a bounded number of times.
#pragma once

#include <cstddef>

namespace chunker {

class SpanMeter {
public:
    // A place in all three: `breaks` are the line breaks that end before it; a "\r" before a "\n" is none.
    struct Place {
        std::size_t offset = 0, byte = 0, breaks = 0;
    };
    // The span of text[start:end]; `last_line` counts the breaks before its last character.
    struct Span {
        Place start, end;
        std::size_t last_line;
    };

    // `text` in UTF-8, surrogates as "surrogatepass" writes them; it must live as long as this.
    SpanMeter(const unsigned char* text, std::size_t size) : text_(text), size_(size) {}

    // `start` before `end`, in characters, neither after the text. Costs its length, and its distance from the last span.
    Span span(std::size_t start, std::size_t end);

private:
    Place forward(Place from, std::size_t offset) const;
    Place backward(Place from, std::size_t offset) const;
    Place at(std::size_t offset, const Place& from) const { return offset < from.offset ? backward(from, offset) : forward(from, offset); }
    std::size_t breaks(std::size_t start, std::size_t end) const;

    const unsigned char* text_;
    std::size_t size_;
    Place start_, end_;  // of the last span
};

}  // namespace chunker
