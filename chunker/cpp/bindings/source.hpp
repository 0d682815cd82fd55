// The bytes of a text, and a str made of them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <string_view>

#include "given.hpp"

namespace chunker::bindings {

namespace nb = nanobind;

// The UTF-8 of a str, which the str caches, or bytes in UTF-8. The bytes live as long as the object.
struct Utf8 {
    explicit Utf8(nb::handle text) {
        Py_ssize_t length = 0;
        char* found = nullptr;
        if (PyUnicode_Check(text.ptr())) found = const_cast<char*>(PyUnicode_AsUTF8AndSize(text.ptr(), &length));
        else PyBytes_AsStringAndSize(text.ptr(), &found, &length);  // raises for anything else
        if (!found) throw nb::python_error();
        data = reinterpret_cast<const unsigned char*>(found);
        size = static_cast<std::size_t>(length);
    }

    std::string_view view() const { return {reinterpret_cast<const char*>(data), size}; }

    const unsigned char* data;
    std::size_t size;
};

// That of a str, which the message of the TypeError calls `what`. Raises UnicodeEncodeError for halves of surrogate pairs.
inline Utf8 utf8_of(nb::handle text, const char* what = "a text") {
    if (!PyUnicode_Check(text.ptr())) given::raise_type(what, "a str", text);
    return Utf8(text);
}

// The same; none for halves of surrogate pairs.
inline std::optional<Utf8> utf8_if_whole(nb::handle text, const char* what = "a text") {
    try {
        return utf8_of(text, what);
    } catch (nb::python_error& error) {
        if (!error.matches(PyExc_UnicodeEncodeError)) throw;
        return std::nullopt;
    }
}

// The one str with this text that all who ask for it share.
inline nb::object interned(std::string_view text) {
    PyObject* made = nb::str(text.data(), text.size()).release().ptr();
    PyUnicode_InternInPlace(&made);
    return nb::steal(made);
}

}  // namespace chunker::bindings
