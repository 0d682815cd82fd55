// Exceptions of the compiler of regular expressions.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace bpe::regex {

// The source is not a valid regular expression of its flavour.
class PatternSyntax : public std::runtime_error {
public:
    PatternSyntax(const std::string& message, std::size_t where) : std::runtime_error(message), offset(where) {}
    std::size_t offset;  // bytes of the source
};

// The source is well formed, but uses an unsupported feature or is too large.
class UnsupportedPattern : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace bpe::regex
