// Python objects -> the bytes that the core reads.
#pragma once

#include <nanobind/nanobind.h>

#include "bpe/types.hpp"
#include "gil.hpp"

namespace bpe::bindings {

namespace nb = nanobind;

// The bytes of `text`: str as UTF-8, bytes as they are. The object that owns them lives as long as this.
class Text {
public:
    // Throws TypeError for anything but str, bytes, bytearray and memoryview.
    explicit Text(nb::handle text);

    const Bytes& bytes() const { return bytes_; }
    bool is_str() const { return is_str_; }
    // Whether a str held lone surrogates: then `bytes` are those of bpe_engine.text.input, and not of the same characters.
    bool had_surrogates() const { return had_surrogates_; }
    // A new reference to the object whose bytes these are.
    nb::object owner() const { return owner_; }

private:
    nb::object owner_;
    Bytes bytes_;
    bool is_str_ = false;
    bool had_surrogates_ = false;
};

inline nb::bytes to_python(Bytes bytes) { return nb::bytes(reinterpret_cast<const char*>(bytes.data), bytes.size); }

// The str of UTF-8, with `errors` as bytes.decode takes it.
inline nb::object decoded(Bytes bytes, const char* errors) {
    PyObject* const made = PyUnicode_DecodeUTF8(reinterpret_cast<const char*>(bytes.data), static_cast<Py_ssize_t>(bytes.size), errors);
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

void define_engine(nb::module_& module);
void define_files(nb::module_& module);
void define_growing(nb::module_& module);
void define_interval(nb::module_& module);
void define_pipeline(nb::module_& module);
void define_algorithms(nb::module_& module);
void define_regex(nb::module_& module);
void define_special_tokens(nb::module_& module);
void define_models(nb::module_& module);
void define_token_buffer(nb::module_& module);
void define_token_set(nb::module_& module);
void define_training(nb::module_& module);

}  // namespace bpe::bindings
