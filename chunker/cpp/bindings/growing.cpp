// Chunks of whole rows, by the appending encoder of bpe_engine.
#include <nanobind/stl/tuple.h>

#include <algorithm>

#include "chunker/row_grower.hpp"
#include "integers.hpp"
#include "parts.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

// Keeps the owner of the bytes that the grower reads.
struct Growing {
    nb::object text;
    RowGrower rows;
};

}  // namespace

void define_growing(nb::module_& module) {
    nb::class_<Growing>(module, "RowGrower", "Grows chunks of whole rows of an outline.")
        .def(
            "__init__",
            [](Growing* self, nb::object text, Integers offsets, Integers strengths, std::size_t size, std::size_t most, std::size_t least,
               std::size_t look_ahead, std::size_t leap_fills, double leap, std::size_t stride, std::size_t longest_token, std::int64_t finest) {
                std::vector<std::int64_t> places = from_list(offsets), levels = from_list(strengths);
                if (places.size() != levels.size()) throw nb::value_error("as many strengths as offsets");
                if (places.empty() || places.front() != 0 || !std::is_sorted(places.begin(), places.end()) || places.back() > static_cast<std::int64_t>(size))
                    throw nb::value_error("offsets must ascend from 0 to the size of the text");
                Utf8 const source(text);
                if (size > source.size) throw nb::value_error("a text of so few bytes has not so many characters");
                new (self) Growing{text,
                                   {source.data, source.size, std::move(places), std::move(levels), size,
                                    {most, least, look_ahead, leap_fills, leap, std::max<std::size_t>(stride, 1), longest_token, finest}}};
            },
            nb::arg("text"), nb::arg("offsets"), nb::arg("strengths"), nb::kw_only(), nb::arg("size"), nb::arg("most"), nb::arg("least"),
            nb::arg("look_ahead"), nb::arg("leap_fills"), nb::arg("leap"), nb::arg("stride"), nb::arg("longest_token"), nb::arg("finest"),
            nb::sig("def __init__(self, text: str | bytes, offsets: list[int], strengths: list[int], *, size: int, most: int, least: int, "
                    "look_ahead: int, leap_fills: int, leap: float, stride: int, longest_token: int, finest: int) -> None"),
            "`text` is a str, of ASCII if that is to cost nothing, or UTF-8, of `size` characters, as `offsets` are; the other limits are those of chunker.growing.")
        .def(
            "grow",
            [](const Growing& self, nb::object encoder, std::size_t row, std::size_t number, nb::bytearray closed, std::size_t full) {
                auto const* const interface = static_cast<const GrowingInterface*>(PyCapsule_GetPointer(encoder.ptr(), growing_interface_name));
                if (!interface) throw nb::python_error();
                if (closed.size() != self.rows.rows())
                    throw nb::value_error("closed must have a byte for each row");
                auto const* const flags = static_cast<const unsigned char*>(closed.data());
                nb::list ends, tokens;
                for (auto const& piece : self.rows.grow(*interface, row, number, flags, full)) {
                    ends.append(piece.end);
                    tokens.append(piece.tokens);
                }
                return std::tuple<nb::list, nb::list, std::size_t>(ends, tokens, full);
            },
            nb::arg("encoder"), nb::arg("row"), nb::arg("number"), nb::arg("closed"), nb::arg("full"),
            nb::sig("def grow(self, encoder: object, row: int, number: int, closed: bytearray, full: int) -> tuple[list[int], list[int], int]"),
            "The chunks from a row on: the row behind each, its tokens; and what the next call takes for `full`.");
}

}  // namespace chunker::bindings
