// Chunks of whole rows, by the appending encoder of bpe_engine.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "chunker/row_grower.hpp"
#include "integers.hpp"
#include "parts.hpp"
#include "references.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

// Products of two of these and of a length of a text do not overflow.
constexpr std::size_t most_limit = std::size_t{1} << 40;
// So many units in front of the rows are looked at; and characters, to find one of them in bytes.
constexpr std::size_t most_units = 128;
constexpr std::size_t most_characters = 1 << 16;

// Keeps the owner of the bytes that the grower reads.
struct Growing {
    nb::object text;
    RowGrower rows;
    Spot last{0, 0};  // where units were looked for last

    std::array<PyObject*, 1> held() const { return {text.ptr()}; }

    // In bytes, too. False where that is too far to look for.
    bool locate(std::size_t offset, Spot& spot) {
        spot = rows.row_before(offset);
        if (last.offset <= offset && last.offset > spot.offset) spot = last;
        if (offset - spot.offset > most_characters) return false;
        spot = rows.spot(offset, spot);
        return true;
    }

    // The units ahead of the row that begins at `behind`, of the places of chunker.units in the opposite order; `closed` holds the offsets of those that are. False
    // where one of them is too far to look for.
    // `heads` of those in a head; `labels` are theirs.
    bool read_front(nb::list places, nb::dict closed, nb::dict heads, std::size_t behind, std::vector<Unit>& front, std::vector<nb::object>& labels) {
        std::size_t const size = nb::len(places);
        std::size_t least = 0;
        for (std::size_t unit = 0; unit < std::min(size, most_units); ++unit) {
            nb::object const place = given::element(places, size - 1 - unit, "front");
            if (!PyTuple_Check(place.ptr())) given::raise_type("a place", "a tuple", place);
            if (PyTuple_Size(place.ptr()) != 4) throw nb::value_error("a place has an offset, a strength, a label and an end");
            auto const part = [&](Py_ssize_t number) { return nb::handle(PyTuple_GetItem(place.ptr(), number)); };
            auto const start = given::size(part(0), "the offset of a place"), end = given::size(part(3), "the end of a place");
            if (start < least || start > behind || end < start || end > rows.start(rows.rows()))
                throw nb::value_error("units must ascend, stand before the row, and end with the text");
            least = start;
            Unit made{};
            if (!locate(start, made.start)) return false;
            last = made.start;
            if (!locate(end, made.end)) return false;
            made.strength = given::number(part(1), "the strength of a place");
            made.closed = closed.contains(part(0));
            made.in_head = heads.contains(part(0));
            front.push_back(made);
            labels.push_back(nb::borrow(part(2)));
        }
        return true;
    }
};

}  // namespace

void define_growing(nb::module_& module) {
    nb::class_<Limits>(module, "Limits", "What a chunk may be, and how far it is looked for: see chunker.growing.")
        .def(
            "__init__",
            [](Limits* self, std::size_t most, std::size_t least, std::size_t look_ahead, std::size_t leap_fills, double leap, std::size_t stride,
               std::size_t longest_token, std::int64_t finest) {
                if (!std::isfinite(leap) || leap < 0 || leap > 1) throw nb::value_error("leap is a share: from 0 to 1");
                for (std::size_t const limit : {most, least, look_ahead, leap_fills, stride, longest_token})
                    if (limit > most_limit) given::raise(PyExc_ValueError, "a limit is at most %zu, not %zu", most_limit, limit);
                new (self) Limits{most, least, look_ahead, leap_fills, leap, std::max<std::size_t>(stride, 1), longest_token, finest};
            },
            nb::kw_only(), nb::arg("most"), nb::arg("least"), nb::arg("look_ahead"), nb::arg("leap_fills"), nb::arg("leap"), nb::arg("stride"),
            nb::arg("longest_token"), nb::arg("finest"));
    nb::class_<Growing>(module, "RowGrower", nb::type_slots(references::shown<Growing>), "Grows chunks of whole units: rows of an outline, and what stands in front of them.")
        .def(
            "__init__",
            [](Growing* self, nb::object text, Integers offsets, Integers strengths, std::size_t size, const Limits& limits) {
                std::vector<std::int64_t> places = from_list(offsets), levels = from_list(strengths);
                if (places.size() != levels.size()) throw nb::value_error("as many strengths as offsets");
                if (places.empty() || places.front() != 0 || !std::is_sorted(places.begin(), places.end()) || places.back() > static_cast<std::int64_t>(size))
                    throw nb::value_error("offsets must ascend from 0 to the size of the text");
                Utf8 const source(text);
                if (size > source.size) throw nb::value_error("a text of so few bytes has not so many characters");
                new (self) Growing{text, {source.data, source.size, std::move(places), std::move(levels), size, limits}};
            },
            nb::arg("text"), nb::arg("offsets"), nb::arg("strengths"), nb::arg("size"), nb::arg("limits"),
            nb::sig("def __init__(self, text: str | bytes, offsets: list[int], strengths: list[int], size: int, limits: Limits) -> None"),
            "`text` is a str, of ASCII if that is to cost nothing, or UTF-8, of `size` characters, as `offsets` are.")
        .def(
            "grow",
            [](Growing& self, nb::object encoder, nb::list places, nb::dict closed_places, std::size_t row, nb::bytearray closed, nb::list labels,
               std::size_t number, std::size_t full, nb::dict heads) {
                auto const* const interface = static_cast<const GrowingInterface*>(PyCapsule_GetPointer(encoder.ptr(), growing_interface_name));
                if (!interface) throw nb::python_error();
                if (row > self.rows.rows()) throw nb::index_error("there are not so many rows");
                nb::list made;
                std::size_t units = 0;
                std::optional<std::size_t> opening;
                std::vector<Unit> front;
                std::vector<nb::object> front_labels;
                bool const found = self.read_front(places, closed_places, heads, self.rows.start(row), front, front_labels);
                if (closed.size() != self.rows.rows() || nb::len(labels) != self.rows.rows())
                    throw nb::value_error("closed must have a byte for each row, and labels an element");
                auto const* const flags = static_cast<const unsigned char*>(closed.data());
                full = std::min(full, most_limit);
                if (found) {
                    bool const whole_front = front.size() == nb::len(places);
                    auto const start = [&](std::size_t unit) {
                        return unit < front.size() ? front[unit].start.offset : self.rows.start(row + unit - front.size());
                    };
                    nb::str const no_context("");
                    auto const grown = self.rows.grow(*interface, front, whole_front, row, number, flags, full);
                    for (auto const& piece : grown.pieces) {
                        nb::object const label = units < front.size() ? front_labels[units] : given::element(labels, row + units - front.size(), "labels");
                        made.append(nb::make_tuple(start(units), start(piece.units), no_context, piece.tokens, label));
                        units = piece.units;
                    }
                    if (grown.opening) opening = *grown.opening - units;
                }
                return std::tuple<nb::list, std::size_t, std::optional<std::size_t>, std::size_t>(made, units, opening, full);
            },
            nb::arg("encoder"), nb::arg("front"), nb::arg("closed_front"), nb::arg("row"), nb::arg("closed"), nb::arg("labels"), nb::arg("number"),
            nb::arg("full"), nb::arg("heads"),
            nb::sig("def grow(self, encoder: object, front: list[tuple[int, int, str, int]], closed_front: dict[int, int], row: int, closed: bytearray, "
                    "labels: list[str], number: int, full: int, heads: dict[int, int]) -> tuple[list[tuple[int, int, str, int, str]], int, int | None, int]"),
            "The chunks of the units in `front`, last one first, and of the rows from `row` on: of each where it starts and ends, no context, its "
            "tokens, and the label of its first unit; the units of all of them; how many units further one has to be looked into, if that is what "
            "ended it; and what the next call takes for `full`.");
}

}  // namespace chunker::bindings
