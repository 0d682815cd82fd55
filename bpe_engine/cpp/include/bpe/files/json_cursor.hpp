// Reads JSON value by value, for the long plain parts of a file: strings and whole numbers. It accepts valid JSON only, and throws Unreadable for
// anything else; then another reader reports the error.
#pragma once

#include <vector>

#include "bpe/types.hpp"

namespace bpe::files {

struct Unreadable {};

// Whether a text is UTF-8 throughout.
bool is_utf8(Bytes text);

class JsonCursor {
public:
    explicit JsonCursor(Bytes text) : text_(text) {}

    std::size_t place() const { return place_; }
    void go_to(std::size_t place) { place_ = place; }
    // The next byte that is not white space; 0 at the end.
    Byte next();
    // Skips a byte, if it is the next one after white space.
    bool take(char wanted);
    void expect(char wanted) {
        if (!take(wanted)) throw Unreadable{};
    }
    // Skips a null, if it comes next.
    bool take_null();
    // Between two elements: true for a comma, false for `end`.
    bool another(char end) {
        if (take(',')) return true;
        expect(end);
        return false;
    }
    // A string, as UTF-8. Valid until the next one is read.
    Bytes string();
    // A whole number up to `most`, written with digits only.
    std::uint64_t whole_number(std::uint64_t most);
    // Any number, rounded as bpe_engine/formats/json_numbers.py says; a number that is too large for a double is Unreadable.
    double number();
    // Skips a value; only its strings and brackets are checked.
    void skip();

private:
    void skip_string();
    void escape();
    std::uint32_t four_digits();

    Bytes text_;
    std::size_t place_ = 0;
    std::vector<Byte> unescaped_;
};

}  // namespace bpe::files
