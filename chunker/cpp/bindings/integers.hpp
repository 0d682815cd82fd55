// Lists of int, in and out. Reading them runs no Python code.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

#include "given.hpp"

namespace chunker::bindings {

namespace nb = nanobind;

using Integers = nb::typed<nb::list, int>;

inline std::vector<std::int64_t> from_list(nb::list values) {
    std::vector<std::int64_t> result;
    result.reserve(nb::len(values));
    for (nb::handle value : values) result.push_back(given::number(value, "an element of the list"));
    return result;
}

template <class Values>
nb::list to_list(const Values& values) {
    nb::list result = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(values.size())));
    if (!result.is_valid()) throw nb::python_error();
    Py_ssize_t place = 0;
    for (auto const value : values) {
        PyObject* const made = PyLong_FromLongLong(static_cast<long long>(value));
        if (!made) throw nb::python_error();
        PyList_SetItem(result.ptr(), place++, made);
    }
    return result;
}

}  // namespace chunker::bindings
