#include "chunker/line_placement.hpp"

#include <algorithm>
#include <utility>

namespace chunker {

namespace {

void clear(ByRow<Placed>& placed, Row from, Row to) {
    for (Row row = from; row < to; ++row) placed.at(row) = {};
}

// Comments belong to what follows without a blank line, unless they are indented more: those end the part before. Attributes belong to what
// follows, whatever stands between.
ByRow<Placed> with_leading_lines(const WalkResult& found, const LineTable& lines, ByRow<Row>& tops) {
    ByRow<Placed> placed = found.parts;
    for (Row row = found.first; row < found.end; ++row) {
        Placed part = found.parts(row);
        bool const has_attributes = found.leading(row) != no_row;
        if (part.strength == 0 || !(has_attributes || (row > 0 && found.comments(row - 1) != no_row))) continue;
        Row const leading = has_attributes ? found.leading(row) : row;
        Row top = leading;
        clear(placed, leading, row);
        for (Row above; top > 0 && (above = found.comments(top - 1)) != no_row && lines.indent(above) <= lines.indent(row);) {
            clear(placed, above, top);
            // A comment that has moved up is indented at least as much as those that it has passed.
            top = tops(above) != no_row ? tops(above) : above;
            placed.at(top) = {};
        }
        if (top == row) continue;
        placed.at(row) = {};
        tops.at(row) = top;
        if (strength::is_plain_part(part.strength) && top > 0 && lines.blank(top - 1)) part.strength += strength::group - strength::part;
        placed.at(top) = part;
        // If all of it is too long, a cut above its attributes is better than one below them.
        int const own = found.own(row);
        if (own > 0 && top < leading) placed.at(leading) = {own, part.label};
        if (own > 0 && leading < row) {
            Row cut = row;
            // Comments below the attributes stay with what follows them.
            for (Row above; cut > 0 && (above = found.comments(cut - 1)) != no_row && above > leading;) cut = above;
            placed.at(cut) = {own - strength::commented + strength::wrapped, part.label};
        }
    }
    return placed;
}

// Comments at the end of a definition stay with it, if all of it fits; else they go first.
void cut_off_trailing_comments(ByRow<Placed>& placed, const WalkResult& found, const LineTable& lines) {
    if (found.regions.empty()) return;
    ByRow<char> commented(found.first, found.end, 0);
    for (Row last = found.first; last < found.end; ++last)
        if (found.comments(last) != no_row)
            for (Row row = found.comments(last); row <= last; ++row) commented.at(row) = 1;
    for (const Region& region : found.regions) {
        Row row = region.last;
        // Only where a definition ends with a comment is there anything to look for.
        for (Row above = row; above > region.first && (lines.blank(above) || commented(above)); --above)
            if (!lines.blank(above)) row = above;
        int const strength = strength::at(region.depth, strength::trailing);
        if (commented(row) && placed(row).strength < strength) placed.at(row) = {strength, comment_label};
    }
}

// Parts that are not stronger than lines have no head, because no unit begins there.
ByRow<Row> headers_of(const WalkResult& found, const ByRow<Row>& tops) {
    ByRow<Row> headers(found.first, found.end, no_row);
    for (Row row = found.first; row < found.end; ++row) {
        bool const moved = tops(row) != no_row, has_header = found.headers(row) != no_row;
        if (!(moved || has_header) || found.parts(row).strength <= strength::paragraph) continue;
        Row const header = has_header ? found.headers(row) : row;
        // What an attribute holds may have a head of its own: it is inside this one, which comes later or reaches farther.
        for (Row line = (moved ? tops(row) : row) + 1; line <= header; ++line) {
            Row& known = headers.at(line);
            known = known == no_row ? header : std::max(known, header);
        }
    }
    return headers;
}

}  // namespace

Settled settled(const WalkResult& found, const LineTable& lines) {
    ByRow<Row> tops(found.first, found.end, no_row);  // where those went that moved
    ByRow<Placed> placed = with_leading_lines(found, lines, tops);
    cut_off_trailing_comments(placed, found, lines);
    ByRow<Row> headers = headers_of(found, tops);
    return {std::move(placed), std::move(headers), std::move(tops)};
}

LineBoundaries::LineBoundaries(Settled settled, Label whole_text, const LineTable& lines)
    : lines_(lines), placed_(std::move(settled.placed)), headers_(std::move(settled.headers)), rows_(lines.size()), hidden_(lines.size(), 0) {
    for (Row row = 0; row < lines.size(); ++row) {
        rows_[row] = placed_(row);
        if (rows_[row].strength > 0) continue;
        bool const after_blank = row > 0 && lines.blank(row - 1);
        rows_[row] = after_blank ? Placed{strength::paragraph, paragraph_label} : Placed{strength::line, line_label};
    }
    rows_[0] = {strength::document, whole_text};
}

std::vector<Unit> LineBoundaries::close(std::vector<Closed> closed) {
    std::stable_sort(closed.begin(), closed.end(), [](const Closed& one, const Closed& other) { return one.first < other.first; });
    std::vector<Unit> units;
    int bound = 0;
    auto const stands = [&](Row row) { return nonblank(row) && rows_[row].strength > bound; };
    for (const Closed& node : closed) {
        Unit unit{node.first, 0, {}};
        bool const joins = !units.empty() && node.first < units.back().end;
        if (joins) {
            unit = std::move(units.back());
            units.pop_back();
        }
        bound = joins ? std::max(bound, node.bound()) : node.bound();
        unit.nodes.push_back(node);
        unit.end = std::max(unit.end, node.last + 1);
        while (!stands(unit.first)) {
            --unit.first;
            if (!units.empty() && unit.first < units.back().end) {
                Unit before = std::move(units.back());
                units.pop_back();
                before.nodes.insert(before.nodes.end(), unit.nodes.begin(), unit.nodes.end());
                unit = {before.first, std::max(before.end, unit.end), std::move(before.nodes)};
            }
        }
        while (unit.end < rows_.size() && !stands(unit.end)) ++unit.end;
        units.push_back(std::move(unit));
    }
    for (const Unit& unit : units) std::fill(hidden_.begin() + unit.first + 1, hidden_.begin() + unit.end, 1);
    return units;
}

void LineBoundaries::show(Row row, Placed placed, Row header, Boundaries& boundaries) const {
    boundaries.offsets.push_back(lines_.character(row));
    boundaries.strengths.push_back(placed.strength);
    boundaries.labels.push_back(placed.label);
    if (header != no_row) boundaries.heads.emplace_back(lines_.character(row), lines_.character(header + 1));
}

Boundaries LineBoundaries::boundaries() const {
    Boundaries result;
    result.reserve(rows_.size());
    for (Row row = 0; row < rows_.size(); ++row)
        if (!hidden_[row] && nonblank(row)) show(row, rows_[row], headers_(row), result);
    return result;
}

Boundaries LineBoundaries::inside(const Unit& unit, const Settled& more) const {
    Boundaries result;
    result.reserve(unit.end - unit.first);
    for (Row row = unit.first + 1; row < unit.end; ++row) {
        if (!nonblank(row)) continue;
        Placed const found = more.placed(row);
        Row const known = headers_(row), header = more.headers(row);
        bool const counts = found.strength > 0 && (found.strength > rows_[row].strength || placed_(row).strength == 0);
        show(row, counts ? found : rows_[row], known == no_row || (header != no_row && header > known) ? header : known, result);
    }
    return result;
}

}  // namespace chunker
