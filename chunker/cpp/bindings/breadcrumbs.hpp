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

namespace chunker::bindings {

// As `in_one_line` in chunker/formats/code/naming.py.
inline nb::object in_one_line(const std::string& name) {
    constexpr Py_ssize_t longest = naming::longest;
    auto const checked = [](PyObject* made) {
        if (!made) throw nb::python_error();
        return nb::steal(made);
    };
    nb::object const text = checked(PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), "replace"));
    if (name.size() <= static_cast<std::size_t>(longest) && is_on_one_line(name)) return text;
    nb::object const words = checked(PyUnicode_Split(text.ptr(), nullptr, -1));
    nb::object const line = checked(PyUnicode_Join(nb::str(" ").ptr(), words.ptr()));
    if (PyUnicode_GetLength(line.ptr()) <= longest) return line;
    return checked(PyUnicode_Substring(line.ptr(), 0, longest - 1)) + nb::str("…");
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
            if (is_blank(region.name)) continue;
            while (!open.empty() && scopes_[open.back()].end <= region.start) open.pop_back();
            for (auto around = open.rbegin(); clipped && around != open.rend() && scopes_[*around].end < region.end; ++around)
                scopes_[*around].end = region.start;
            // A region that was cut off there does not enclose this one.
            while (!open.empty() && scopes_[open.back()].end <= region.start) open.pop_back();
            scopes_.push_back({region.start, region.end, open.empty() ? none : open.back(), std::move(region.name), {}});
            open.push_back(scopes_.size() - 1);
        }
    }

    // The number of the innermost one around an offset, which does not begin there; `none` if there is none.
    std::size_t innermost(std::size_t offset) const {
        auto const next = std::lower_bound(scopes_.begin(), scopes_.end(), offset, [](const Scope& scope, std::size_t place) { return scope.start < place; });
        return first_around(offset, next == scopes_.begin() ? none : static_cast<std::size_t>(next - scopes_.begin()) - 1);
    }

    // The names around an offset, outermost first, after those of `breadcrumb`.
    void add_names(std::size_t offset, std::vector<nb::object>& breadcrumb) {
        std::size_t const outer = breadcrumb.size();
        for (std::size_t scope = innermost(offset); scope != none; scope = first_around(offset, scopes_[scope].around))
            breadcrumb.push_back(name_of(scopes_[scope]));
        std::reverse(breadcrumb.begin() + static_cast<std::ptrdiff_t>(outer), breadcrumb.end());
    }

    // Add the same names without Python, innermost first. Returns false if one of them is too long or has white space to be changed. Needs no GIL.
    bool add_written(std::size_t offset, std::vector<std::string>& names) const {
        for (std::size_t scope = innermost(offset); scope != none; scope = first_around(offset, scopes_[scope].around)) {
            std::string const& name = scopes_[scope].written;
            if (name.size() > naming::longest || !is_on_one_line(name)) return false;
            names.push_back(name);
        }
        return true;
    }

private:
    struct Scope {
        std::uint32_t start, end;
        std::size_t around;  // the number of the one around it
        std::string written;
        nb::object name;  // once it was asked for: of most scopes it never is
    };

    static const nb::object& name_of(Scope& scope) {
        if (!scope.name.is_valid()) scope.name = in_one_line(scope.written);
        return scope.name;
    }

    static bool is_blank(const std::string& name) {
        if (std::any_of(name.begin(), name.end(), [](char byte) { return byte > ' ' && byte <= '~'; })) return false;
        gil::Held const held;
        return PyUnicode_GetLength(in_one_line(name).ptr()) == 0;
    }

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

    nb::tuple names(std::size_t offset) override {
        std::vector<nb::object> breadcrumb;
        outside().add_names(offset, breadcrumb);
        if (auto* const unit = inside(offset)) unit->second.add_names(offset, breadcrumb);
        nb::list found;
        for (nb::object& name : breadcrumb) found.append(std::move(name));
        return nb::tuple(found);
    }

    std::optional<std::vector<std::string>> written(std::size_t offset) override {
        std::vector<std::string> names;
        auto* const unit = inside(offset);
        bool const all = (!unit || unit->second.add_written(offset, names)) && outside().add_written(offset, names);
        return all ? std::optional(std::move(names)) : std::nullopt;
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
