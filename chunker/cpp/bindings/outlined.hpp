// The outline of a text, as Python has it: its boundaries, the labels of all that is found, the contexts of chunks.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chunker/units.hpp"
#include "counters.hpp"
#include "integers.hpp"

namespace chunker::bindings {

// The boundaries of an outline, as Python has them, with the labels of all that is found.
class Outlined : public Surroundings {
public:
    Outlined(nb::object source, nb::object labels, nb::object context_at, nb::object look, Contexts& contexts)
        : source_(std::move(source)),
          labels_(std::move(labels)),
          context_at_(std::move(context_at)),
          look_(std::move(look)),
          contexts_(contexts),
          rows_(nb::len(labels_)) {
        if (nb::object const changes = nb::getattr(context_at_, "changes", nb::none()); !changes.is_none()) {
            changes_ = from_list(nb::cast<nb::list>(changes));
            reads_overlap_ = nb::cast<bool>(context_at_.attr("reads_overlap"));
            steady_.resize(changes_.size() + 1);
        }
        for (const char* const label : {"sentence", "word", "grapheme", "character"}) more_labels_.push_back(nb::str(label));  // the levels of refining.hpp
    }

    Context context_at(std::size_t fresh, std::size_t start) override {
        if (context_at_.is_none()) return 0;
        if (!steady_.empty() && (fresh == start || !reads_overlap_)) {
            auto const behind = std::upper_bound(changes_.begin(), changes_.end(), static_cast<std::int64_t>(fresh)) - changes_.begin();
            std::optional<Context>& known = steady_[static_cast<std::size_t>(behind)];
            if (!known) known = contexts_.number_of(context_at_(fresh));
            return *known;
        }
        return contexts_.number_of(fresh == start ? context_at_(fresh) : context_at_(fresh, part_of(source_, start, fresh)));
    }

    Inside inside(std::size_t offset) override {
        nb::object const found = look_(offset);
        Inside inside;
        inside.offsets = from_list(nb::cast<nb::list>(found.attr("offsets")));
        inside.strengths = from_list(nb::cast<nb::list>(found.attr("strengths")));
        nb::list const labels = nb::cast<nb::list>(found.attr("labels"));
        if (inside.offsets.size() != inside.strengths.size() || inside.offsets.size() != nb::len(labels))
            throw nb::value_error("as many strengths and labels as offsets");
        for (nb::handle label : labels) inside.labels.push_back(number_of(nb::borrow(label)));
        inside.heads = read_heads(found.attr("heads"), static_cast<std::size_t>(PyUnicode_GetLength(source_.ptr())));
        return inside;
    }

    static std::unordered_map<std::size_t, std::size_t> read_heads(nb::handle heads, std::size_t size) {
        std::unordered_map<std::size_t, std::size_t> result;
        nb::object const items = nb::steal(PyMapping_Items(heads.ptr()));
        if (!items.is_valid()) throw nb::python_error();
        for (nb::handle item : items) {
            std::size_t const offset = given::size(item[0], "the offset of a head"), end = given::size(item[1], "the end of a head");
            if (offset >= end || end > size) throw nb::value_error("a head ends behind its start, inside of the text");
            result[offset] = end;
        }
        return result;
    }

    std::size_t number_of(nb::object label) {
        // A few labels come again and again, mostly the same objects.
        auto const known = std::find_if(more_labels_.rbegin(), more_labels_.rend(), [&](const nb::object& other) { return other.is(label); });
        if (known != more_labels_.rend()) return rows_ + static_cast<std::size_t>(more_labels_.rend() - known) - 1;
        more_labels_.push_back(std::move(label));
        return rows_ + more_labels_.size() - 1;
    }
    nb::object label(std::size_t number) const { return number < rows_ ? given::element(labels_, number, "labels") : more_labels_[number - rows_]; }

    std::array<PyObject*, 4> held() const { return {source_.ptr(), labels_.ptr(), context_at_.ptr(), look_.ptr()}; }

private:
    nb::object source_, labels_, context_at_, look_;
    Contexts& contexts_;
    std::vector<std::int64_t> changes_;           // offsets between which the context is the same; see ContextAt of chunker/growing/pieces.py
    std::vector<std::optional<Context>> steady_;  // the context of each stretch between them, once it was asked for; none if it is not the same everywhere
    bool reads_overlap_ = true;
    std::size_t rows_;
    std::vector<nb::object> more_labels_;
};

inline Rows read_rows(nb::handle outline, std::size_t size, nb::handle closed) {
    Rows rows;
    rows.offsets = from_list(nb::cast<nb::list>(outline.attr("offsets")));
    rows.strengths = from_list(nb::cast<nb::list>(outline.attr("strengths")));
    rows.finest = given::number(outline.attr("finest"), "finest");
    if (rows.offsets.size() != rows.strengths.size() || rows.offsets.size() != nb::len(nb::object(outline.attr("labels"))))
        throw nb::value_error("as many strengths and labels as offsets");
    // The outline of a stream may begin after units that are ahead already.
    if (!std::is_sorted(rows.offsets.begin(), rows.offsets.end()) ||
        (!rows.offsets.empty() && (rows.offsets.front() < 0 || rows.offsets.back() >= static_cast<std::int64_t>(size))))
        throw nb::value_error("an outline's offsets must ascend inside of the text");
    rows.heads = Outlined::read_heads(outline.attr("heads"), size);
    if (!closed.is_none()) {
        rows.closed.assign(rows.offsets.size(), 0);
        for (nb::handle offset : closed) {
            std::int64_t const number = given::number(offset, "the offset of a closed unit");
            auto const place = std::lower_bound(rows.offsets.begin(), rows.offsets.end(), number);
            if (place == rows.offsets.end() || *place != number) throw nb::value_error("a closed unit begins where a row does");
            rows.closed[static_cast<std::size_t>(place - rows.offsets.begin())] = 1;
        }
    }
    return rows;
}

}  // namespace chunker::bindings
