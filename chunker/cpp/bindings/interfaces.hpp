// The interfaces of bpe_engine's encoders to other compiled modules.
#pragma once

#include <nanobind/nanobind.h>

#include "given.hpp"

namespace chunker::bindings {

// Raises what the tokenizer has to say of a text that it cannot count.
[[noreturn]] inline void raise_uncountable(nb::handle tokenizer, nb::handle text) {
    tokenizer.attr("count")(text);
    given::raise(PyExc_ValueError, "the tokenizer cannot count this text while it grows: %.200R", text.ptr());
}

// The pointer in a capsule of bpe_engine.
template <class Interface>
const Interface* interface_of(nb::handle encoder, const char* name) {
    nb::object const capsule = encoder.attr("_interface")();
    auto const* const found = static_cast<const Interface*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (!found) throw nb::python_error();
    return found;
}

}  // namespace chunker::bindings
