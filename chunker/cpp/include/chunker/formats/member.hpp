// The members of data that are told about.
#pragma once

#include <cstddef>

namespace chunker::formats {

// A long member, which is a scope if it has a name: that of its key text[first:last], or its number, which is `first`. The kinds are those of
// chunker.formats.nesting.Kind.
struct Member {
    enum Kind : int { key, element, record, document };

    std::size_t start, end;
    Kind kind;
    std::size_t first, last;
};

}  // namespace chunker::formats
