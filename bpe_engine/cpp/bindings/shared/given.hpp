// Checks of arguments from Python: a wrong type, number or length raises an exception of Python, and is never undefined behaviour.
//
// nb::cast throws std::bad_cast, which reaches Python as a RuntimeError without a word, and nb::list reads elements without a look at the
// length. Nothing here runs Python code, so no list changes while it is read.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <limits>

namespace given {

namespace nb = nanobind;

template <class... Arguments>
[[noreturn]] void raise(PyObject* type, const char* format, Arguments... arguments) {
    PyErr_Format(type, format, arguments...);
    throw nb::python_error();
}

// Raises TypeError: "`what` is `wanted`, not str".
[[noreturn]] inline void raise_type(const char* what, const char* wanted, nb::handle value) {
    nb::object const name = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr()))).attr("__name__");
    raise(PyExc_TypeError, "%s must be %s, not %U", what, wanted, name.ptr());
}

// The int that a whole number of Python or numpy is. It may run code of Python: who goes through a list holds its elements meanwhile.
inline nb::object whole_number(nb::handle value, const char* what) {
    if (!PyIndex_Check(value.ptr())) raise_type(what, "an int", value);
    nb::object converted = nb::steal(PyNumber_Index(value.ptr()));
    if (!converted.is_valid()) throw nb::python_error();
    return converted;
}

// A whole number of Python or numpy, or the nearest to it that there is. As above, it may run code of Python.
inline Py_ssize_t nearest(nb::handle value, const char* what) {
    nb::object const whole = PyLong_Check(value.ptr()) ? nb::borrow(value) : whole_number(value, what);
    return PyNumber_AsSsize_t(whole.ptr(), nullptr);
}

// An int from `least` to `most`. Raises TypeError or OverflowError; `what` is what the message calls it. It runs no code of Python.
inline std::int64_t number(nb::handle value, const char* what, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                           std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
    if (!PyLong_Check(value.ptr())) raise_type(what, "an int", value);
    int overflow = 0;
    long long const found = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (found == -1 && PyErr_Occurred()) throw nb::python_error();
    if (overflow != 0 || found < least || found > most)
        raise(PyExc_OverflowError, "%s must be from %lld to %lld, not %.80R", what, static_cast<long long>(least), static_cast<long long>(most), value.ptr());
    return found;
}

inline std::size_t size(nb::handle value, const char* what) { return static_cast<std::size_t>(number(value, what, 0)); }

// An element of a list that is long enough now. A reference: the list may let go of it.
inline nb::object element(nb::handle list, std::size_t index, const char* what) {
    PyObject* const found = PyList_GetItem(list.ptr(), static_cast<Py_ssize_t>(index));
    if (found) return nb::borrow(found);
    PyErr_Clear();
    raise(PyExc_ValueError, "%s has fewer elements than it had before", what);
}

// Raises ValueError unless both lists are of the same length.
inline void same_length(nb::list one, const char* name, nb::list other, const char* other_name) {
    if (nb::len(one) != nb::len(other)) raise(PyExc_ValueError, "%s and %s are of one length, not %zu and %zu", name, other_name, nb::len(one), nb::len(other));
}

}  // namespace given
