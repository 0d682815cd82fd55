// The example that chunker/formats/line_placement.py draws, and what holds of closed units whatever there is.
#include "chunker/line_placement.hpp"

#include <algorithm>
#include <random>
#include <string>

#include "check.hpp"

namespace {

using namespace chunker;

constexpr Label function = fixed_labels, module = fixed_labels + 1;

void example() {
    std::string const source = "// Counts.\n#[test]\nfn count() {\n    let a = 1;\n\n    run(a);\n    // Done.\n}\n";
    LineTable const lines(source);
    int const definition = strength::at(1, strength::definition);
    WalkResult found(0, lines.size());
    found.comments.at(0) = 0;
    found.comments.at(6) = 6;
    found.put(2, definition, function);
    found.put(2, strength::line, statement_label);  // the weaker one does not count
    found.leading.at(2) = 1;
    found.own.at(2) = strength::at(1, strength::commented);
    found.put(5, strength::at(2, strength::group), statement_label);
    found.regions.push_back({2, 6, 1, 0});

    Settled const all_placed = settled(found, lines);
    ByRow<Placed> const& placed = all_placed.placed;
    CHECK(placed(0).strength == definition && placed(0).label == function);
    CHECK(placed(1).strength == strength::at(1, strength::commented));
    CHECK(placed(2).strength == strength::at(1, strength::wrapped));
    CHECK(placed(3).strength == 0 && placed(5).strength == strength::at(2, strength::group));
    CHECK(placed(6).strength == strength::at(1, strength::trailing) && placed(6).label == comment_label);

    LineBoundaries const rows(all_placed, module, lines);
    Boundaries const all = rows.boundaries();
    CHECK(all.offsets == std::vector<std::uint32_t>({0, 11, 19, 32, 48, 60, 73}));
    CHECK((all.heads == std::vector<std::pair<std::uint32_t, std::uint32_t>>({{11, 32}, {19, 32}})));
    CHECK(all.strengths.front() == strength::document && all.labels.front() == module && all.strengths.back() == strength::line);
}

// Whatever is placed, and whatever is closed: units follow one another, hold their nodes, and hide what is inside and no more.
void anything(std::mt19937& random) {
    std::string source;
    Row const count = 1 + static_cast<Row>(random() % 30);
    for (Row row = 0; row < count; ++row) source += random() % 4 ? "x\n" : "\n";
    LineTable const lines(source);
    WalkResult found(0, count);
    for (Row row = 0; row < count; ++row) {
        if (random() % 3 == 0)
            found.put(row, strength::at(static_cast<int>(1 + random() % 4), static_cast<strength::Rank>(random() % strength::ranks)), function);
        if (random() % 6 == 0) found.comments.at(row) = row - std::min<Row>(row, random() % 2);
    }
    std::vector<Closed> closed;
    for (std::uint32_t node = 0; node < random() % 6; ++node) {
        Row const first = static_cast<Row>(random() % count);
        closed.push_back({first, std::min<Row>(count - 1, first + static_cast<Row>(random() % 5)), static_cast<int>(1 + random() % 5), node});
    }
    LineBoundaries rows(settled(found, lines), module, lines);
    Boundaries const all = rows.boundaries();
    std::vector<Unit> const units = rows.close(closed);
    Boundaries const shown = rows.boundaries();

    std::size_t nodes = 0;
    Row end = 0;
    Boundaries opened;
    std::size_t next = 0;
    auto const show_until = [&](std::uint32_t offset) {
        for (; next < shown.offsets.size() && shown.offsets[next] <= offset; ++next) opened.offsets.push_back(shown.offsets[next]);
    };
    for (const Unit& unit : units) {
        CHECK(unit.first >= end && unit.first < unit.end && unit.end <= count);
        end = unit.end;
        nodes += unit.nodes.size();
        for (const Closed& node : unit.nodes) CHECK(node.first >= unit.first && node.last < unit.end);
        show_until(lines.character(unit.first));
        Boundaries const inside =
            rows.inside(unit, {ByRow<Placed>(unit.first, unit.end, {}), ByRow<Row>(unit.first, unit.end, no_row), ByRow<Row>(unit.first, unit.end, no_row)});
        opened.offsets.insert(opened.offsets.end(), inside.offsets.begin(), inside.offsets.end());
        CHECK(std::binary_search(shown.offsets.begin(), shown.offsets.end(), lines.character(unit.first)));
    }
    show_until(lines.character(count));
    CHECK(nodes == closed.size());
    CHECK(opened.offsets == all.offsets);
}

}  // namespace

int main() {
    example();
    std::mt19937 random(5);
    for (current_round = 0; current_round < 5000; ++current_round) anything(random);
    return 0;
}
