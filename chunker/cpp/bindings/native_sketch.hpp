// Sketches whose units are refined without Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "chunker/characters.hpp"
#include "chunker/formats/columns.hpp"

namespace chunker::bindings {

namespace nb = nanobind;

// The inside of a closed unit. `has_names`: whether some of it has a name, so that contexts differ inside.
struct NativeInside {
    formats::Columns columns;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> heads;
    bool has_names = false;
};

class NativeSketch {
public:
    virtual ~NativeSketch() = default;

    // Of the text that it is of, in characters.
    virtual std::size_t size() const = 0;
    // The boundaries inside the closed unit that begins at `unit`; none if only Python can find them.
    virtual std::optional<NativeInside> look(const Text& text, std::size_t unit) const = 0;
};

// The sketch that an object of Python is, for as long as that lives; null for any other object.
const NativeSketch* native_markdown(nb::handle object);
const NativeSketch* native_code(nb::handle object);

}  // namespace chunker::bindings
