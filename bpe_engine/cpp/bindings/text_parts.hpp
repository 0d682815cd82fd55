// Texts that come from Python in parts, or are compared with what is there.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "bpe/explicit_tokens.hpp"
#include "text.hpp"

namespace bpe::bindings {

// The text that `move_to` goes to.
struct Target {
    // `parts`: (text, id, how the token is written) each.
    explicit Target(nb::handle parts);
    Bytes bytes() const { return whole ? whole->bytes() : Bytes{joined.data(), joined.size()}; }

    std::optional<Text> whole;
    std::vector<Byte> joined;
    std::vector<ExplicitToken> tokens;
    nb::object unfinished;  // a surrogate that waits, or none
};

bool continues(Bytes text, std::size_t place);
std::size_t characters_in(Bytes text);
// Bytes that both begin with.
std::size_t common_prefix(Bytes one, Bytes other);

// The bytes of a str of ASCII; none of any other, which is not to keep its UTF-8 for this.
struct Ascii {
    explicit Ascii(nb::str text);
    const Byte* data = nullptr;
};

// The UTF-8 of a str that does not keep it: texts of callers do not grow because somebody looked into them. A lone surrogate, which may stand for a byte
// that is no UTF-8, is a character of three bytes.
class Encoded {
public:
    explicit Encoded(nb::str text);
    Bytes bytes() const { return bytes_; }

private:
    nb::object owner_;
    Bytes bytes_;
};

// Spans with ids, ascending, in characters for Python.
class SpansInCharacters {
public:
    explicit SpansInCharacters(Bytes text) : text_(text) {}
    // `start`, `end`: in bytes.
    void add(std::size_t start, std::size_t end, std::uint32_t id) {
        std::size_t const first = to(start);
        found_.append(nb::make_tuple(first, to(end), id));
    }
    nb::list list() const { return found_; }

private:
    // Two spans may share white space: so it may go back.
    std::size_t to(std::size_t place) {
        if (place < place_) characters_ -= characters_in(text_.part(place, place_));
        else characters_ += characters_in(text_.part(place_, place));
        place_ = place;
        return characters_;
    }

    Bytes text_;
    std::size_t place_ = 0, characters_ = 0;
    nb::list found_;
};

// Ascending offsets into a text of `length` characters. Throws IndexError.
std::vector<std::size_t> offsets_in(nb::handle cuts, std::size_t length);

}  // namespace bpe::bindings
