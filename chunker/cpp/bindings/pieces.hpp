// Chunks that a grower or an optimizer has cut, as Python has them.
#pragma once

#include <nanobind/nanobind.h>

#include <array>

#include "chunker/limits.hpp"
#include "contexts.hpp"
#include "outlined.hpp"

namespace chunker::bindings {

// A tuple of the class `kind`, which is chunker.growing.pieces.Piece or tuple: where it starts and ends, its context, its tokens, and the label of its first
// unit. To make the class of a tuple takes twice as long.
inline nb::object made_piece(nb::type_object kind, const Piece& piece, const Contexts& contexts, const Outlined& outlined) {
    std::array<nb::object, 5> fields{nb::int_(piece.start), nb::int_(piece.end), nb::borrow(contexts.string(piece.context)), nb::int_(piece.tokens),
                                     outlined.label(piece.label)};
    nb::object made = nb::steal(PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(kind.ptr()), static_cast<Py_ssize_t>(fields.size())));
    if (!made.is_valid()) throw nb::python_error();
    Py_ssize_t place = 0;
    for (nb::object& field : fields) PyTuple_SetItem(made.ptr(), place++, field.release().ptr());
    return made;
}

inline void require_tuples(nb::type_object kind) {
    if (!PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(kind.ptr()), &PyTuple_Type)) throw nb::type_error("pieces are made as tuples");
}

}  // namespace chunker::bindings
