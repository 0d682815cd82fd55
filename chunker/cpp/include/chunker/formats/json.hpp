// JSON and JSON Lines: what chunker/formats/data/json_text.py and json_lines.py say, which are the specification.
#pragma once

#include <cstddef>
#include <vector>

#include "chunker/formats/data_outline.hpp"

namespace chunker::formats {

class JsonScan {
public:
    // Members of more than `longest_short` characters are told about.
    explicit JsonScan(Text text, std::size_t longest_short = nesting::long_member) : whole_(text), longest_short_(longest_short) {}

    // Collect what is in the value or values text[start:end], which are `outer` deep.
    void run(std::size_t start, std::size_t end, std::size_t outer = 0);
    // Collect the records of JSON Lines.
    void run_records();

    DataOutline found;  // each member is told about when it ends, once

private:
    struct Container {
        std::size_t begin;   // of the current member
        std::size_t number;  // of that
        bool is_array;
        std::size_t member = unknown;  // its place among `members`
    };
    static constexpr std::size_t unknown = static_cast<std::size_t>(-1), nameless = static_cast<std::size_t>(-2);

    std::size_t read_separator(std::size_t at);
    void close(std::size_t at);
    void name(std::size_t depth, std::size_t end);
    void end_scalar(std::size_t end);
    void put_escaped_lines(std::size_t start, std::size_t end);
    bool is_long(std::size_t start, std::size_t end) const { return end > start + longest_short_; }

    Text whole_, text_;
    std::size_t longest_short_;
    std::size_t outer_ = 0;
    std::vector<Container> containers_;  // those that are open, the outermost being the text itself
    bool after_value_ = false;           // whether a container or a bracket too many ended last: then no scalar ends here
};

}  // namespace chunker::formats
