// Arguments and results of the readers of formats: a text by its characters; columns of boundaries.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "chunker/formats/columns.hpp"
#include "given.hpp"
#include "integers.hpp"
#include "source.hpp"

namespace chunker::bindings {

// nb::cast, with a message: its own std::bad_cast would reach Python without one.
template <class T>
T as(nb::handle value, const char* what, const char* wanted) {
    T found;
    if (!nb::try_cast(value, found)) given::raise_type(what, wanted, value);
    return found;
}

inline std::string as_text(nb::handle value, const char* what) { return as<std::string>(value, what, "a str"); }
inline nb::list as_list(nb::handle value, const char* what) { return as<nb::list>(value, what, "a list"); }

// A tuple of this many members; reading it runs no Python code.
inline nb::tuple as_tuple(nb::handle value, std::size_t size, const char* what) {
    nb::tuple const found = as<nb::tuple>(value, what, "a tuple");
    if (nb::len(found) != size) given::raise(PyExc_ValueError, "%s has %zu members, not %zu", what, size, nb::len(found));
    return found;
}

// The columns of boundaries from Python, which are of one length.
struct GivenColumns {
    std::vector<std::int64_t> offsets, strengths;
    nb::list labels;
};

inline GivenColumns read_columns(nb::handle offsets, nb::handle strengths, nb::handle labels) {
    GivenColumns found{from_list(as_list(offsets, "offsets")), from_list(as_list(strengths, "strengths")), as_list(labels, "labels")};
    if (found.offsets.size() != found.strengths.size() || found.offsets.size() != nb::len(found.labels))
        throw nb::value_error("as many strengths and labels as offsets");
    return found;
}

// The characters of a str, halves of surrogate pairs too.
inline std::u32string characters_of(nb::str text) {
    auto const size = static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()));
    std::unique_ptr<Py_UCS4, decltype(&PyMem_Free)> const characters(PyUnicode_AsUCS4Copy(text.ptr()), &PyMem_Free);
    if (!characters) throw nb::python_error();
    return {characters.get(), characters.get() + size};
}

// Those of a copy for parsers, which lives as long as the str.
inline std::string_view bytes_of_copy(nb::str copy) {
    std::string_view const bytes = Utf8(copy).view();
    if (static_cast<Py_ssize_t>(bytes.size()) != PyUnicode_GetLength(copy.ptr())) throw nb::value_error("the copy for parsers is ASCII");
    return bytes;
}

using Strings = nb::typed<nb::list, nb::str>;
using ThreeColumns = nb::typed<nb::tuple, Integers, Integers, Strings>;

// Offsets, strengths and labels; equal labels are one object.
inline ThreeColumns to_columns(const formats::Columns& columns) {
    std::unordered_map<formats::Label, nb::object> known;
    nb::list const labels = list_of(columns.size(), [&](std::size_t row) {
        nb::object& shown = known[columns.labels[row]];
        if (!shown.is_valid()) shown = interned(columns.labels[row]);
        return shown;
    });
    return ThreeColumns(nb::make_tuple(to_list(columns.offsets), to_list(columns.strengths), labels));
}

}  // namespace chunker::bindings
