// The chunks of a text, as Python has them: `Piece` of chunker/growing/pieces.py.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <utility>

#include "chunker/limits.hpp"
#include "given.hpp"

namespace chunker::bindings {

namespace nb = nanobind;

// Makes pieces of a class of tuples. To make a tuple and then one of the class of it took a tenth of the time of small chunks.
class PieceMaker {
public:
    explicit PieceMaker(nb::handle kind) : kind_(reinterpret_cast<PyTypeObject*>(kind.ptr())) {
        bool const is_right = PyType_Check(kind.ptr()) && PyType_IsSubtype(kind_, &PyTuple_Type) && nb::hasattr(kind, "_fields");
        if (!is_right || nb::len(nb::object(kind.attr("_fields"))) != parts) given::raise_type("a kind of pieces", "a class of tuples with five names", kind);
    }

    nb::object operator()(const Piece& piece, nb::handle context, nb::handle label) const {
        nb::object made = nb::steal(PyType_GenericAlloc(kind_, parts));
        if (!made.is_valid()) throw nb::python_error();
        Py_ssize_t place = 0;
        auto const put = [&](nb::object part) { PyTuple_SetItem(made.ptr(), place++, part.release().ptr()); };
        put(nb::int_(piece.start));
        put(nb::int_(piece.end));
        put(nb::borrow(context));
        put(nb::int_(piece.tokens));
        put(nb::borrow(label));
        // Numbers and strings are in no cycle.
        PyObject_GC_UnTrack(made.ptr());
        return made;
    }

private:
    static constexpr int parts = 5;

    PyTypeObject* kind_;
};

}  // namespace chunker::bindings
