// Lists, those of int in and out. Reading them runs no Python code.
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

// The list of what `make` returns for each number below `size`, which it holds a reference to.
template <class Make>
nb::list list_of(std::size_t size, Make make) {
    nb::list result = nb::steal<nb::list>(PyList_New(static_cast<Py_ssize_t>(size)));
    if (!result.is_valid()) throw nb::python_error();
    for (std::size_t place = 0; place < size; ++place) PyList_SetItem(result.ptr(), static_cast<Py_ssize_t>(place), nb::object(make(place)).release().ptr());
    return result;
}

template <class Value>
nb::list to_list(const std::vector<Value>& values) {
    return list_of(values.size(), [&](std::size_t place) { return nb::int_(values[place]); });
}

}  // namespace chunker::bindings
