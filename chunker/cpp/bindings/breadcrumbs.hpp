// The names of the definitions around offsets of source code: Sketch.scopes_around in chunker/formats/sketches.py, for code.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chunker/constants.hpp"
#include "chunker/syntax.hpp"
#include "gil.hpp"
#include "native_sketch.hpp"
#include "source.hpp"

namespace chunker::bindings {

// As `in_one_line` in chunker/formats/code/naming.py. Takes the GIL for the few names that are not short ASCII on one line already.
inline std::string in_one_line(std::string name) {
    constexpr Py_ssize_t longest = naming::longest;
    if (name.size() <= static_cast<std::size_t>(longest) && is_on_one_line(name)) return name;
    gil::Held const held;
    auto const checked = [](PyObject* made) {
        if (!made) throw nb::python_error();
        return nb::steal(made);
    };
    nb::object const text = checked(PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace"));
    nb::object const words = checked(PyUnicode_Split(text.ptr(), nullptr, -1));
    nb::object line = checked(PyUnicode_Join(nb::str(" ").ptr(), words.ptr()));
    if (PyUnicode_GetLength(line.ptr()) > longest) line = checked(PyUnicode_Substring(line.ptr(), 0, longest - 1)) + nb::str("…");
    return std::string(utf8_of(line).view());
}

// Definitions with their names, by ascending starts; of two with the same start the outer one comes first.
class Scopes {
public:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    // `clipped`: one that would partly overlap the next ends there, as `clipped_scopes` of chunker/formats/line_placement.py has it.
    Scopes(std::vector<NamedRegion> regions, bool clipped) {
        std::stable_sort(regions.begin(), regions.end(),
                         [](const NamedRegion& one, const NamedRegion& other) { return std::pair(one.start, other.end) < std::pair(other.start, one.end); });
        std::vector<std::size_t> open;
        for (NamedRegion& region : regions) {
            std::string name = in_one_line(std::move(region.name));
            if (name.empty()) continue;
            while (!open.empty() && scopes_[open.back()].end <= region.start) open.pop_back();
            for (auto around = open.rbegin(); clipped && around != open.rend() && scopes_[*around].end < region.end; ++around)
                scopes_[*around].end = region.start;
            // A region that was cut off there does not enclose this one.
            while (!open.empty() && scopes_[open.back()].end <= region.start) open.pop_back();
            scopes_.push_back({region.start, region.end, open.empty() ? none : open.back(), std::move(name)});
            open.push_back(scopes_.size() - 1);
        }
    }

    // The number of the innermost one around an offset, which does not begin there; `none` if there is none.
    std::size_t innermost(std::size_t offset) const {
        auto const next = std::lower_bound(scopes_.begin(), scopes_.end(), offset, [](const Scope& scope, std::size_t place) { return scope.start < place; });
        return first_around(offset, next == scopes_.begin() ? none : static_cast<std::size_t>(next - scopes_.begin()) - 1);
    }

    // Add the names around an offset, innermost first.
    void add_names(std::size_t offset, std::vector<std::string>& names) const {
        for (std::size_t scope = innermost(offset); scope != none; scope = first_around(offset, scopes_[scope].around)) names.push_back(scopes_[scope].name);
    }

private:
    struct Scope {
        std::uint32_t start, end;
        std::size_t around;  // the number of the one around it
        std::string name;
    };

    std::size_t first_around(std::size_t offset, std::size_t scope) const {
        while (scope != none && scopes_[scope].end <= offset) scope = scopes_[scope].around;
        return scope;
    }

    std::vector<Scope> scopes_;
};

// The names of one text, found when they are asked for. For one thread at a time.
class CodeBreadcrumbs final : public Breadcrumbs {
public:
    explicit CodeBreadcrumbs(const SyntaxReading& reading) : reading_(&reading) {}

    // The innermost scope outside of closed units; the start of the unit around the offset, and the innermost scope inside it.
    Place at(std::size_t offset) override {
        auto const* const unit = inside(offset);
        return {outside().innermost(offset), unit ? unit->first : Scopes::none, unit ? unit->second.innermost(offset) : Scopes::none};
    }

    std::vector<std::string> names(std::size_t offset) override {
        std::vector<std::string> names;
        if (auto const* const unit = inside(offset)) unit->second.add_names(offset, names);
        outside().add_names(offset, names);
        return names;
    }

    void know(std::size_t unit, std::vector<NamedRegion> named) override { inside_.try_emplace(static_cast<std::uint32_t>(unit), std::move(named), false); }

private:
    Scopes& outside() {
        if (!outside_) outside_.emplace(reading_->regions(), true);
        return *outside_;
    }

    // The closed unit around an offset, which does not begin there: its start, and the scopes inside it. Null if there is none.
    std::pair<const std::uint32_t, Scopes>* inside(std::size_t offset) {
        if (!closed_) closed_ = reading_->closed();
        auto const unit = std::lower_bound(closed_->begin(), closed_->end(), offset);
        if (unit == closed_->begin()) return nullptr;
        std::uint32_t const start = *std::prev(unit);
        const std::vector<std::uint32_t>& offsets = reading_->boundaries().offsets;
        auto const end = std::upper_bound(offsets.begin(), offsets.end(), start);
        if (end != offsets.end() && *end <= offset) return nullptr;
        auto const known = inside_.find(start);
        return &*(known != inside_.end() ? known : inside_.try_emplace(start, reading_->inside(start).regions, false).first);
    }

    const SyntaxReading* reading_;
    std::optional<Scopes> outside_;
    std::optional<std::vector<std::uint32_t>> closed_;  // where the closed units begin
    std::map<std::uint32_t, Scopes> inside_;            // by that
};

}  // namespace chunker::bindings
