#include "chunker/parser_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "chunker/utf8.hpp"

namespace chunker {

namespace {

constexpr char other = '\x02';

// The replacement of each byte that begins a character.
constexpr std::array<char, 256> copies = [] {
    std::array<char, 256> table{};
    for (std::size_t byte = 0; byte < table.size(); ++byte) table[byte] = byte < 0x80 ? static_cast<char>(byte) : other;
    for (char const odd : {'\x01', '\v', '\f'}) table[static_cast<unsigned char>(odd)] = other;
    table['\r'] = '\n';
    return table;
}();

// Whether there are ASCII characters that are not their own copies. Four searches for one byte each are faster than one for any of them.
bool has_odd(std::string_view utf8) {
    constexpr std::array<char, 4> odds = {'\r', '\x01', '\v', '\f'};
    return std::any_of(odds.begin(), odds.end(), [&](char odd) { return utf8.find(odd) != utf8.npos; });
}

constexpr std::size_t step = 8;

// The number of the next bytes that are ASCII, in steps.
std::size_t ascii_run(std::string_view utf8, std::size_t at) {
    std::size_t const start = at;
    while (at + step <= utf8.size()) {
        std::uint64_t word = 0;
        std::memcpy(&word, utf8.data() + at, step);
        if (word & 0x8080808080808080u) break;
        at += step;
    }
    return at - start;
}

bool begins_character(char byte) { return !continues(static_cast<unsigned char>(byte)); }

}  // namespace

bool is_parser_copy(std::string_view utf8) { return !has_odd(utf8) && is_ascii(reinterpret_cast<const unsigned char*>(utf8.data()), utf8.size()); }

std::string parser_copy(std::string_view utf8) {
    std::string copy(utf8.size(), '\0');
    std::size_t size = 0;
    bool const even = !has_odd(utf8);
    for (std::size_t at = 0; at < utf8.size();) {
        if (std::size_t const run = even ? ascii_run(utf8, at) : 0) {
            std::memcpy(copy.data() + size, utf8.data() + at, run);
            size += run;
            at += run;
        }
        for (std::size_t const end = std::min(at + step, utf8.size()); at < end; ++at) {
            copy[size] = copies[static_cast<unsigned char>(utf8[at])];
            size += begins_character(utf8[at]);
        }
    }
    copy.resize(size);
    if (utf8.find('\r') == utf8.npos) return copy;
    // Each \r is a \n by now; of \r\n the first becomes a space.
    std::size_t place = 0;
    for (std::size_t at = 0; at < utf8.size(); ++at) {
        if (!begins_character(utf8[at])) continue;
        if (utf8[at] == '\r' && at + 1 < utf8.size() && utf8[at + 1] == '\n') copy[place] = ' ';
        ++place;
    }
    return copy;
}

}  // namespace chunker
