// Lists of ids, with an int of Python for each id that is made once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "text.hpp"

namespace bpe::bindings {

// A list of numbers; `made` makes a new reference to an int, or returns null with an exception set.
template <class Made>
nb::object list_of(const std::vector<std::uint32_t>& numbers, Made&& made) {
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(numbers.size())));
    if (!list.is_valid()) throw nb::python_error();
    Py_ssize_t place = 0;
    for (std::uint32_t const number : numbers) {
        PyObject* const object = made(number);
        if (!object) throw nb::python_error();
        PyList_SetItem(list.ptr(), place++, object);
    }
    return list;
}

inline nb::object list_of(const std::vector<std::uint32_t>& numbers) { return list_of(numbers, PyLong_FromUnsignedLong); }

// The ints of ids: making an int anew takes longer than finding the id. Without the GIL threads would wait for each other at the references of one int.
class KnownInts {
public:
    KnownInts() = default;
    KnownInts(const KnownInts&) = delete;
    KnownInts& operator=(const KnownInts&) = delete;

#ifdef Py_GIL_DISABLED
    nb::object list(const std::vector<std::uint32_t>& ids) { return list_of(ids); }
#else
    ~KnownInts() {
        for (PyObject* const known : ints_) Py_XDECREF(known);
    }

    nb::object list(const std::vector<std::uint32_t>& ids) {
        return list_of(ids, [this](std::uint32_t id) {
            if (id >= ints_.size()) {
                if (id >= most) return PyLong_FromUnsignedLong(id);
                ints_.resize(std::min<std::size_t>(most, std::max<std::size_t>(id + 1, ints_.size() * 2)), nullptr);
            }
            PyObject*& known = ints_[id];
            if (!known) known = PyLong_FromUnsignedLong(id);
            Py_XINCREF(known);
            return known;
        });
    }

private:
    static constexpr std::size_t most = std::size_t{1} << 20;  // vocabularies are smaller
    std::vector<PyObject*> ints_;
#endif
};

}  // namespace bpe::bindings
