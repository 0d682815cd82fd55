// Bindings of the formats of data: the outline of one text. Offsets are in characters.
#include "chunker/formats/json.hpp"
#include "chunker/formats/line_formats.hpp"
#include "chunker/formats/notebook.hpp"
#include "formats.hpp"
#include "parts.hpp"

namespace chunker::bindings {

namespace {

using formats::Cell;
using formats::DataOutline;
using formats::Member;

using Members = nb::typed<nb::list, nb::typed<nb::tuple, int, int, int, int, int>>;

Members members(const DataOutline& found) {
    nb::list result;
    for (const Member& member : found.members)
        result.append(nb::make_tuple(member.start, member.end, static_cast<int>(member.kind), member.first, member.last));
    return Members(result);
}

nb::object to_pair(const std::optional<formats::Span>& span) { return span ? nb::object(nb::make_tuple(span->first, span->second)) : nb::none(); }

nb::list cells(const DataOutline& found) {
    nb::list result;
    for (const Cell& cell : found.cells) {
        nb::list lines;
        for (auto const& line : cell.lines) lines.append(to_pair(line));
        nb::object const row = cell.row == formats::none ? nb::none() : nb::object(nb::int_(cell.row));
        result.append(nb::make_tuple(cell.start, cell.end, row, to_pair(cell.source), lines, to_pair(cell.outputs)));
    }
    return result;
}

DataOutline read_json(nb::str text) {
    std::u32string const characters = characters_of(text);
    formats::JsonScan scan(characters);
    scan.run(0, characters.size());
    formats::begin_with(scan.found.columns, characters, "document");
    return std::move(scan.found);
}

DataOutline read_json_lines(nb::str text) {
    std::u32string const characters = characters_of(text);
    formats::JsonScan scan(characters);
    scan.run_records();
    formats::begin_with(scan.found.columns, characters, "record");
    return std::move(scan.found);
}

DataOutline read_notebook(nb::str text) {
    std::u32string const characters = characters_of(text);
    formats::JsonScan scan(characters, 0);
    scan.run(0, characters.size());
    formats::begin_with(scan.found.columns, characters, "document");
    formats::read_cells(characters, scan.found);
    return std::move(scan.found);
}

nb::list tables(const DataOutline& found) {
    nb::list result;
    for (const formats::TableHeader& table : found.tables) result.append(nb::make_tuple(table.start, table.of_array, table.name_start, table.name_end));
    return result;
}

DataOutline read_yaml(nb::str text) { return formats::read_yaml(characters_of(text)); }

DataOutline read_toml(nb::str text) {
    std::u32string const characters = characters_of(text);
    if (characters.empty()) throw nb::value_error("an empty text has no outline");
    return formats::read_toml(characters);
}

}  // namespace

void define_data_formats(nb::module_& module) {
    nb::class_<DataOutline> outline(module, "DataOutline", "What was found in a text of data.");
    outline.def(
               "columns", [](const DataOutline& self) { return to_columns(self.columns); }, "Offsets, strengths and labels of the boundaries.")
        .def("members", &members, "Those of some length, as fields of chunker.formats.nesting.Member.")
        .def("cells", &cells,
             nb::sig("def cells(self) -> list[tuple[int, int, int | None, tuple[int, int] | None, list[tuple[int, int]], tuple[int, int] | None]]"),
             "Those of a notebook: start, end, the row of its boundary, where the text of Markdown stands, its first lines, and where outputs stand.");
    outline.def("tables", &tables, nb::sig("def tables(self) -> list[tuple[int, bool, int, int]]"),
                "The headers of those of TOML, as fields of chunker.formats.data.toml_text.Header.");
    module.def("read_json", &read_json, nb::arg("text"), "The members of JSON: see chunker.formats.data.json_text.");
    module.def("read_json_lines", &read_json_lines, nb::arg("text"), "The records of JSON Lines: see chunker.formats.data.json_lines.");
    module.def("read_yaml", &read_yaml, nb::arg("text"), "The keys and items of YAML: see chunker.formats.data.yaml_text.");
    module.def("read_toml", &read_toml, nb::arg("text"), "The tables and keys of TOML, which is not empty: see chunker.formats.data.toml_text.");
    module.def("read_notebook", &read_notebook, nb::arg("text"), "The cells of a notebook: see chunker.formats.data.notebook.");
}

}  // namespace chunker::bindings
