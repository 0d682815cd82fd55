// The chunks of a text, made all at once.
#include <array>
#include <cstddef>

#include "given.hpp"
#include "parts.hpp"

namespace chunker::bindings {

namespace {

nb::list placed(nb::handle kind, nb::object origin, nb::list pieces, std::size_t first) {
    if (!PyType_Check(kind.ptr())) given::raise_type("a kind of chunks", "a class", kind);
    nb::object const make = kind.attr("__new__");
    std::array<nb::str, 3> const names = {nb::str("_origin"), nb::str("_index"), nb::str("_piece")};
    nb::list made;
    for (nb::handle const piece : pieces) {
        nb::object const chunk = make(kind);
        std::array<nb::object, 3> const values = {origin, nb::int_(first++), nb::borrow(piece)};
        for (std::size_t place = 0; place < names.size(); ++place)
            // Not by `__setattr__` of the class, which raises: chunks are immutable.
            if (PyObject_GenericSetAttr(chunk.ptr(), names[place].ptr(), values[place].ptr()) != 0) throw nb::python_error();
        made.append(chunk);
    }
    return made;
}

}  // namespace

void define_chunks(nb::module_& module) {
    module.def("placed", &placed, nb::arg("kind"), nb::arg("origin"), nb::arg("pieces"), nb::arg("first"),
               nb::sig("def placed(kind: type, origin: object, pieces: list[tuple[int, int, str, int, str]], first: int) -> list[object]"),
               "A chunk for each piece, as `chunker.models.placed` makes it; the first has the index `first`.");
}

}  // namespace chunker::bindings
