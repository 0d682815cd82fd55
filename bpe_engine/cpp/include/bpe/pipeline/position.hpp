// A position in a text, from which it can be read on.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bpe {

// Context of a position: all that reading on from it has to know of the text before.
enum class Before : std::uint8_t {
    nothing,  // the text begins here
    region,   // some of the region that goes on here
    token,    // an added token: a region begins here
    inside,   // an added token that is looked for in normalized text: the region goes on, so the normalizer does nothing here that it does at a start
};

// Whether the normalizer has the start of a region here.
inline bool begins_region(Before before) { return before == Before::nothing || before == Before::token; }

struct Position {
    std::size_t offset = 0;  // in the raw text, in bytes
    Before before = Before::nothing;
    double sum = 0;  // the scores of the tokens of the region so far, where a Unigram model reads it unit by unit
    bool operator==(const Position&) const = default;
};

}  // namespace bpe
