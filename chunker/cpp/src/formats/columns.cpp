#include "chunker/formats/columns.hpp"

#include <algorithm>

#include "chunker/break_classes.hpp"
#include "chunker/constants.hpp"

namespace chunker::formats {

void Columns::put(std::size_t offset, std::int32_t strength, Label label, std::int32_t& first) {
    if (offset > offsets.back()) {
        add(offset, strength, label);
    } else if (std::int32_t& known = offset == 0 ? first : strengths.back(); offset == offsets.back() && known < strength) {
        known = strength;
        labels.back() = label;
    }
}

void begin_with(Columns& columns, Text text, Label label) {
    if (columns.offsets.empty() || columns.offsets.front() != 0) {
        columns.offsets.insert(columns.offsets.begin(), 0);
        columns.strengths.insert(columns.strengths.begin(), 0);
        columns.labels.insert(columns.labels.begin(), label);
    }
    columns.strengths.front() = strength::document;
    columns.labels.front() = label;
    std::size_t kept = 0;
    for (std::size_t row = 0; row < columns.size(); ++row) {
        std::size_t const offset = columns.offsets[row];
        if (offset > 0 && offset < text.size() && extends(text[offset]) && !is_line_end(text[offset - 1])) continue;
        columns.offsets[kept] = offset;
        columns.strengths[kept] = columns.strengths[row];
        columns.labels[kept] = columns.labels[row];
        ++kept;
    }
    columns.offsets.resize(kept);
    columns.strengths.resize(kept);
    columns.labels.resize(kept);
}

Columns Boundaries::take(Text text, Label label) {
    std::stable_sort(found_.begin(), found_.end(), [](const Boundary& one, const Boundary& other) { return one.offset < other.offset; });
    Columns columns;
    for (Boundary const& boundary : found_) {
        if (boundary.offset == 1 && text[0] == 0xFEFF) continue;
        if (columns.offsets.empty() || columns.offsets.back() != boundary.offset) {
            columns.add(boundary.offset, boundary.strength, boundary.label);
        } else if (columns.strengths.back() < boundary.strength) {
            columns.strengths.back() = boundary.strength;
            columns.labels.back() = boundary.label;
        }
    }
    begin_with(columns, text, label);
    return columns;
}

std::int32_t strength_at(std::size_t depth, nesting::Rank rank) {
    return strength::structure + (nesting::max_depth - static_cast<int>(std::min<std::size_t>(depth, nesting::max_depth))) * nesting::ranks + rank;
}

}  // namespace chunker::formats
