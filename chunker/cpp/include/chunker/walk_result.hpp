// The findings of a walk over a syntax tree, by line; the twin of `WalkResult` in chunker/formats/code/walking.py.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "chunker/constants.hpp"
#include "chunker/line_table.hpp"

namespace chunker {

using Row = LineTable::Row;
using Label = std::uint16_t;  // its number among those of a grammar

// The labels that every grammar has come first.
enum FixedLabel : Label { line_label, paragraph_label, statement_label, clause_label, comment_label, fixed_labels };

namespace strength {

constexpr int at(int depth, Rank rank) { return structure + (max_depth - depth) * ranks + rank; }

// Whether a boundary of this strength gets stronger when a blank line precedes it.
constexpr bool is_plain_part(int strength) { return strength >= structure && (strength - structure) % ranks == part; }

}  // namespace strength

// A boundary at the start of a line; of strength 0: none.
struct Placed {
    int strength = 0;
    Label label = line_label;
};

// A value for each line that a walk may touch; `none` if it was not set.
template <class Value>
class ByRow {
public:
    ByRow(Row first, Row end, Value none) : first_(first), none_(none), values_(end - first, none) {}

    // Lines outside have nothing.
    Value operator()(Row row) const { return row - first_ < values_.size() ? values_[row - first_] : none_; }

    Value& at(Row row) {
        if (row - first_ >= values_.size()) throw std::logic_error("a node reaches out of the lines of what holds it");
        return values_[row - first_];
    }

private:
    Row first_;  // a row before it is far after the last one, as rows have no sign
    Value none_;
    std::vector<Value> values_;
};

constexpr Row no_row = ~Row{0};

// The lines of a definition, comments at its end included.
struct Region {
    Row first, last;
    int depth;
    std::uint32_t definition;  // its number among those that the walk met
};

// `parts`: what begins there. `leading`: of parts with attributes, where these begin. `own`: of definitions, the strength of a cut between them
// and the comments above. `headers`: of definitions that begin with attributes or annotations of their own, their first line after these.
// `comments`: their last lines -> their first. `regions`: the definitions.
struct WalkResult {
    WalkResult(Row first_row, Row end_row)
        : first(first_row),
          end(end_row),
          parts(first, end, {}),
          leading(first, end, no_row),
          own(first, end, 0),
          headers(first, end, no_row),
          comments(first, end, no_row) {}

    // Put a part on a line; of two on the same line the stronger one counts.
    void put(Row row, int strength, Label label) {
        Placed& known = parts.at(row);
        if (known.strength < strength) known = {strength, label};
    }

    Row first, end;
    ByRow<Placed> parts;
    ByRow<Row> leading;
    ByRow<int> own;
    ByRow<Row> headers;
    ByRow<Row> comments;
    std::vector<Region> regions;
};

// A node that the walk has not entered: what may begin on the lines after `first` up to `last` is known to be no stronger than `bound`.
struct Closed {
    Row first, last;
    int depth;
    std::uint32_t node;  // its number

    int bound() const { return strength::at(depth, strength::wrapped); }
};

}  // namespace chunker
