// Lists of int, in and out.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <vector>

namespace chunker::bindings {

namespace nb = nanobind;

using Integers = nb::typed<nb::list, int>;

inline std::vector<std::int64_t> from_list(nb::list values) {
    std::vector<std::int64_t> result(nb::len(values));
    std::size_t place = 0;
    for (nb::handle value : values) result[place++] = nb::cast<std::int64_t>(value);
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
