// Outlines that are read without Python: boundaries, units refined, names of code.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chunker/characters.hpp"
#include "chunker/formats/columns.hpp"
#include "chunker/syntax.hpp"
#include "chunker/units.hpp"
#include "given.hpp"

namespace chunker::bindings {

namespace nb = nanobind;

// Whether a name needs no change to stand on one line: its only white space are single spaces inside of it. Only names in ASCII are looked at.
inline bool is_on_one_line(std::string_view name) {
    bool after_space = true;
    for (char const byte : name) {
        if (byte < ' ' || byte > '~' || (byte == ' ' && after_space)) return false;
        after_space = byte == ' ';
    }
    return !after_space;
}

// The inside of a closed unit, and what has a name in it, so that contexts differ inside.
struct NativeInside {
    formats::Columns columns;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> heads;
    std::vector<NamedRegion> named;
};

// The boundaries of a sketch, by columns.
struct NativeRows : OutlineRows {
    std::vector<std::uint16_t> labels;  // each a number in `names`
    std::vector<nb::object> names;
};

// The names around the offsets of a text. Needs no GIL.
class Breadcrumbs {
public:
    // Offsets with the same place have the same names.
    using Place = std::array<std::size_t, 3>;

    virtual ~Breadcrumbs() = default;
    virtual Place at(std::size_t offset) = 0;
    // Innermost first, each on one line.
    virtual std::vector<std::string> names(std::size_t offset) = 0;
    // Keeps the named regions inside the closed unit that begins at `unit`, so that `names` does not read the unit again.
    virtual void know(std::size_t unit, std::vector<NamedRegion> named) = 0;
};

class NativeSketch {
public:
    virtual ~NativeSketch() = default;

    // The length of its text, in characters.
    virtual std::size_t size() const = 0;
    // The boundaries inside the closed unit that begins at `unit`; none if only Python can find them.
    virtual std::optional<NativeInside> look(const Text&, std::size_t) const { return std::nullopt; }
    // Whether something inside that unit may have a name.
    virtual bool may_have_names(std::size_t) const { return true; }
    // All boundaries of the text.
    virtual NativeRows rows(const Text&) const = 0;
    // The names around offsets, for as long as the sketch lives; none if only Python knows them.
    virtual std::unique_ptr<Breadcrumbs> breadcrumbs() const { return nullptr; }
};

// The sketch that an object of Python is, for as long as that lives; null for None. Raises TypeError for any other object.
inline const NativeSketch* native_sketch(nb::handle object) {
    const NativeSketch* sketch = nullptr;
    if (!nb::try_cast(object, sketch)) given::raise_type("a native sketch", "a NativeSketch", object);
    return sketch;
}

}  // namespace chunker::bindings
