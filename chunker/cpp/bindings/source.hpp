// The bytes of a text.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

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

    const unsigned char* data;
    std::size_t size;
};

}  // namespace chunker::bindings
