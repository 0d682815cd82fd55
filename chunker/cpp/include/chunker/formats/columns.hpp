// The boundaries that a format finds, by columns, as chunker.formats.outline.Outline has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "chunker/constants.hpp"
#include "chunker/formats/text.hpp"

namespace chunker::formats {

// Labels are string literals, or strings that live as long as the columns.
using Label = std::string_view;

struct Columns {
    std::vector<std::size_t> offsets;
    std::vector<std::int32_t> strengths;
    std::vector<Label> labels;

    std::size_t size() const { return offsets.size(); }

    void reserve(std::size_t rows) {
        offsets.reserve(rows);
        strengths.reserve(rows);
        labels.reserve(rows);
    }

    // A boundary after those that are there.
    void add(std::size_t offset, std::int32_t strength, Label label) {
        offsets.push_back(offset);
        strengths.push_back(strength);
        labels.push_back(label);
    }

    // A line, which blank lines may stand before.
    void add_line(std::size_t offset, bool after_blank) { add(offset, after_blank ? strength::paragraph : strength::line, after_blank ? "paragraph" : "line"); }

    // A boundary at or after the last one; of two at one place the stronger one stays. The first one stays at 0 with its strength, and `first` is the
    // strength of what gave it its label.
    void put(std::size_t offset, std::int32_t strength, Label label, std::int32_t& first);
};

// The boundaries of a text whose first one has the label `label`, without those that would cut a grapheme cluster. Each of the others follows an
// ASCII character. Offsets ascend.
void begin_with(Columns& columns, Text text, Label label);

// Boundaries in any order; of several at one place the strongest one stays, and the first of equal ones.
class Boundaries {
public:
    void put(std::size_t offset, std::int32_t strength, Label label) { found_.push_back({offset, strength, label}); }
    void put_line(std::size_t offset, bool after_blank) { put(offset, after_blank ? strength::paragraph : strength::line, after_blank ? "paragraph" : "line"); }
    // All of them, in a text that begins with what `label` says, a byte order mark included.
    Columns take(Text text, Label label);

private:
    struct Boundary {
        std::size_t offset;
        std::int32_t strength;
        Label label;
    };
    std::vector<Boundary> found_;
};

// The strength of a boundary of nested data at this depth: see chunker/formats/nesting.py.
std::int32_t strength_at(std::size_t depth, nesting::Rank rank = nesting::member);

}  // namespace chunker::formats
