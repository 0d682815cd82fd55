// Sketches whose units are looked into without Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>

#include "chunker/characters.hpp"
#include "chunker/formats/columns.hpp"

namespace chunker::bindings {

namespace nb = nanobind;

class NativeSketch {
public:
    virtual ~NativeSketch() = default;

    // Of the text that it is of, in characters.
    virtual std::size_t size() const = 0;
    // Adds the boundaries inside of the closed unit of that text that begins at `unit`; false if only Python knows them. None of these units has a name inside.
    virtual bool look(const Text& text, std::size_t unit, formats::Columns& found) const = 0;
};

// The sketch that an object of Python is, for as long as that lives; raises TypeError for any other object.
const NativeSketch& native_sketch(nb::handle sketch);

}  // namespace chunker::bindings
