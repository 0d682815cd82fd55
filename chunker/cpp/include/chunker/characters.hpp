// A text by characters: the character at an offset, and the byte of its UTF-8 where it begins.
#pragma once

#include <cstddef>
#include <vector>

#include "chunker/segmentation.hpp"

namespace chunker {

class Text {
public:
    // UTF-8 without surrogates, which must live as long as this.
    Text(const unsigned char* data, std::size_t bytes);

    std::size_t size() const { return characters_.size(); }  // in characters
    char32_t operator[](std::size_t offset) const { return characters_[offset]; }
    Characters part(std::size_t start, std::size_t end) const { return Characters(characters_).subspan(start, end - start); }
    const unsigned char* data() const { return data_; }
    // At which byte a character begins, or the text ends. Constant time.
    std::size_t place(std::size_t offset) const;
    // The character that the byte at this place is of.
    std::size_t offset_at(std::size_t place) const;
    // The end of text[start:end] without the white space at its end, as str.rstrip has it.
    std::size_t stripped(std::size_t start, std::size_t end) const;
    // The next line feed of text[start:end]; `end` if there is none.
    std::size_t line_feed(std::size_t start, std::size_t end) const;

private:
    const unsigned char* data_;
    std::vector<char32_t> characters_;
    std::vector<std::size_t> places_;  // of each character whose offset is a multiple of 4; empty where all are of one byte
};

}  // namespace chunker
