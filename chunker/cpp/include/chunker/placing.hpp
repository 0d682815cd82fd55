// From what a walk found to boundaries; the twin of chunker/boundaries/placing.py, which draws it.
#pragma once

#include <vector>

#include "chunker/found.hpp"
#include "chunker/line_table.hpp"

namespace chunker {

// The parts moved up to the first of the comments and attributes above them; what ends a definition cut off it, if all of it does not fit.
ByRow<Placed> settled(const Found& found, const LineTable& lines);

struct Boundaries {
    std::vector<std::uint32_t> offsets;  // in characters
    std::vector<int> strengths;
    std::vector<Label> labels;
};

// A stretch of lines whose inside is not known yet, and the nodes in it.
struct Unit {
    Row first, behind;
    std::vector<Closed> nodes;
};

// A boundary for each line that is not blank: what is placed there, else a line. There is at least one line.
class Rows {
public:
    Rows(ByRow<Placed> placed, Label whole_text, const LineTable& lines);

    // Hide what is inside units with these nodes: a unit goes from the last boundary to the first that is stronger than all that such a node may
    // hold. What is weaker, the line of a brace for example, is inside, too. The units in the order of the text.
    std::vector<Unit> close(std::vector<Closed> closed);

    // All that is not hidden.
    Boundaries boundaries() const;

    // What is inside a unit, where more is placed than was known.
    Boundaries inside(const Unit& unit, const ByRow<Placed>& more) const;

private:
    bool inked(Row row) const { return row == 0 || !lines_.blank(row); }
    void show(Row row, Placed placed, Boundaries& boundaries) const;

    const LineTable& lines_;
    ByRow<Placed> placed_;
    std::vector<Placed> rows_;
    std::vector<char> hidden_;
};

}  // namespace chunker
