// From what a walk found to boundaries; the twin of chunker/formats/line_placement.py, which draws it.
#pragma once

#include <utility>
#include <vector>

#include "chunker/walk_result.hpp"
#include "chunker/line_table.hpp"

namespace chunker {

// What is placed on which line. `headers`: of the lines between the top of a part and its first line, that one included, the first line; else
// no_row. `tops`: where parts went that moved.
struct Settled {
    ByRow<Placed> placed;
    ByRow<Row> headers, tops;
};

// The parts moved up to the first of the comments and attributes above them; what ends a definition cut off it, if all of it does not fit.
Settled settled(const WalkResult& found, const LineTable& lines);

struct Boundaries {
    std::vector<std::uint32_t> offsets;  // in characters
    std::vector<int> strengths;
    std::vector<Label> labels;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> heads;  // of some offsets: where the first line ends that what stands there belongs to

    void reserve(std::size_t rows) {
        offsets.reserve(rows);
        strengths.reserve(rows);
        labels.reserve(rows);
    }
};

// Lines whose boundaries are not known yet, and the nodes in them.
struct Unit {
    Row first, end;
    std::vector<Closed> nodes;
};

// A boundary for each line that is not blank: what is placed there, else a line. There is at least one line.
class LineBoundaries {
public:
    LineBoundaries(Settled settled, Label whole_text, const LineTable& lines);

    // Hide what is inside units with these nodes: a unit goes from the last boundary to the first that is stronger than all that such a node may
    // hold. What is weaker, the line of a brace for example, is inside, too. The units in the order of the text.
    std::vector<Unit> close(std::vector<Closed> closed);

    // All that is not hidden.
    Boundaries boundaries() const;

    // What is inside a unit, where more is placed than was known.
    Boundaries inside(const Unit& unit, const Settled& more) const;

    // The strength of the boundary at a line; 0 for one that is hidden.
    int strength(Row row) const { return hidden_[row] ? 0 : rows_[row].strength; }

private:
    bool nonblank(Row row) const { return row == 0 || !lines_.blank(row); }
    void show(Row row, Placed placed, Row header, Boundaries& boundaries) const;

    const LineTable& lines_;
    ByRow<Placed> placed_;
    ByRow<Row> headers_;
    std::vector<Placed> rows_;
    std::vector<char> hidden_;
};

}  // namespace chunker
