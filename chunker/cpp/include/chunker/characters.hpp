// A text by characters: the character at an offset, and the byte of its UTF-8 where it begins. For one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "chunker/segmentation.hpp"

namespace chunker {

class Text {
public:
    // UTF-8 without surrogates, which must live as long as this.
    Text(const unsigned char* data, std::size_t bytes);

    std::size_t size() const { return size_; }  // in characters
    char32_t operator[](std::size_t offset) const { return part(offset, offset + 1)[0]; }
    Characters part(std::size_t start, std::size_t end) const {
        for (std::size_t number = start / decoded_at_once; number * decoded_at_once < end; ++number)
            if (!is_decoded_[number]) decode(number);
        return {characters_.get() + start, end - start};
    }
    const unsigned char* data() const { return data_; }
    // At which byte a character begins, or the text ends. Constant time.
    std::size_t place(std::size_t offset) const { return !places_ ? offset : bases_[offset / block] + places_[offset]; }
    // The character that the byte at this place is of. Constant time.
    std::size_t offset_at(std::size_t place) const;
    // The end of text[start:end] without the white space at its end, as str.rstrip has it.
    std::size_t stripped(std::size_t start, std::size_t end) const;
    // The next line feed of text[start:end]; `end` if there is none.
    std::size_t line_feed(std::size_t start, std::size_t end) const;

private:
    std::size_t find_places(std::size_t at, std::size_t offset, std::size_t end);
    void decode(std::size_t number) const;

    const unsigned char* data_;
    std::size_t bytes_, size_;
    // Decoded when they are asked for: of a text with lines most never are.
    static constexpr std::size_t decoded_at_once = 512;
    std::unique_ptr<char32_t[]> characters_;
    mutable std::vector<bool> is_decoded_;
    // The places of all characters and of the end, after the base of their block; none where all are of one byte.
    static constexpr std::size_t block = 1 << 14;
    std::unique_ptr<std::uint16_t[]> places_;
    std::vector<std::size_t> bases_;
    // How many bytes before each multiple of `counted_at_once` go on with a character. To search for a place among those of a block took eight times as long.
    static constexpr std::size_t counted_at_once = 128;
    std::vector<std::size_t> continuing_;
};

}  // namespace chunker
