// The binding of the outline of plain text.
#include <nanobind/stl/tuple.h>

#include "chunker/text_rows.hpp"
#include "integers.hpp"
#include "parts.hpp"
#include "source.hpp"

namespace chunker::bindings {

void define_outlines(nb::module_& module) {
    module.def(
        "text_rows",
        [](nb::object text, nb::list strengths, nb::list labels) {
            if (nb::len(strengths) == 0 || nb::len(strengths) != nb::len(labels)) throw nb::value_error("as many strengths as labels, at least one");
            Utf8 const source(text);
            auto const rows = text_rows(source.data, source.size, static_cast<unsigned>(nb::len(strengths)) - 1);
            return std::tuple(list_of(rows.size(), [&](std::size_t row) { return nb::int_(rows[row].offset); }),
                              list_of(rows.size(), [&](std::size_t row) { return given::element(strengths, rows[row].blank, "strengths"); }),
                              list_of(rows.size(), [&](std::size_t row) { return given::element(labels, rows[row].blank, "labels"); }));
        },
        nb::arg("text"), nb::arg("strengths"), nb::arg("labels"),
        nb::sig("def text_rows(text: str | bytes, strengths: list[int], labels: list[str]) -> tuple[list[int], list[int], list[str]]"),
        "Where the lines that are not blank begin, in characters, and of the two lists the element for the number of blank lines above each; the "
        "last element for more. `text` is a str, of ASCII if that is to cost nothing, or UTF-8.");
}

}  // namespace chunker::bindings
