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

// Ascending offsets into a text of `length` characters. Throws IndexError.
std::vector<std::size_t> offsets_in(nb::sequence cuts, std::size_t length);

}  // namespace bpe::bindings
