#include "chunker/parser_copy.hpp"

#include <algorithm>
#include <array>

#include "chunker/utf8.hpp"

namespace chunker {

namespace {

constexpr char other = '\x02';

// What becomes of each byte that begins a character.
constexpr std::array<char, 256> copies = [] {
    std::array<char, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) table[byte] = byte < 0x80 ? static_cast<char>(byte) : other;
    for (char const odd : {'\x01', '\v', '\f'}) table[static_cast<unsigned char>(odd)] = other;
    table['\r'] = '\n';
    return table;
}();

bool begins_character(char byte) { return !continues(static_cast<unsigned char>(byte)); }

}  // namespace

bool is_parser_copy(std::string_view utf8) {
    // Four searches for one byte each are faster than one for any of them.
    for (char const odd : {'\r', '\x01', '\v', '\f'}) {
        if (utf8.find(odd) != utf8.npos) return false;
    }
    // No early end, so that many bytes are looked at at a time.
    unsigned char all = 0;
    for (char const byte : utf8) all |= static_cast<unsigned char>(byte);
    return all < 0x80;
}

std::string parser_copy(std::string_view utf8) {
    std::string copy(utf8.size(), '\0');
    std::size_t size = 0;
    for (char const byte : utf8) {
        copy[size] = copies[static_cast<unsigned char>(byte)];
        size += begins_character(byte);
    }
    copy.resize(size);
    if (utf8.find('\r') == utf8.npos) return copy;
    // Each \r is a \n by now. One that stood before a \n becomes a space.
    std::size_t place = 0;
    for (std::size_t at = 0; at < utf8.size(); ++at) {
        if (!begins_character(utf8[at])) continue;
        if (utf8[at] == '\r' && at + 1 < utf8.size() && utf8[at + 1] == '\n') copy[place] = ' ';
        ++place;
    }
    return copy;
}

}  // namespace chunker
