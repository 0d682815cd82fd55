// The outline of a text, as the growers read it: boundaries, the insides of closed units, labels, and the contexts of chunks.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chunker/formats/text.hpp"
#include "chunker/units.hpp"
#include "counters.hpp"
#include "formats.hpp"
#include "gil.hpp"
#include "integers.hpp"
#include "native_sketch.hpp"

namespace chunker::bindings {

// The answers come from a native sketch as far as it has them, else from Python.
class Outlined : public Surroundings {
public:
    // `native`, if there is one, is asked before `outline`.
    Outlined(nb::object source, const Text& text, nb::object outline, nb::object context_at, Contexts& contexts, Counter& counter, const NativeSketch* native)
        : source_(std::move(source)),
          outline_(std::move(outline)),
          context_at_(std::move(context_at)),
          contexts_(contexts),
          counter_(counter),
          native_(native),
          text_(text) {
        if (native && native->size() != text.size()) throw nb::value_error("not the text of this sketch");
        if (native) native_rows_ = native->rows(text);
        if (!native_rows_) labels_ = outline_.attr("labels");
        rows_ = native_rows_ ? native_rows_->labels.size() : nb::len(labels_);
        if (nb::getattr(context_at_, "outline", nb::none()).is(outline_)) {
            tells_scopes_ = true;
            read_settings(context_at_.attr("names_only"));
        }
        if (native && limit_) breadcrumbs_ = native->breadcrumbs();
        for (const char* const label : {"sentence", "word", "grapheme", "character"}) more_labels_.push_back(nb::str(label));  // the levels of refining.hpp
    }

    // The rows of the outline, once. Takes note of the closed units among them.
    OutlineRows rows() {
        OutlineRows rows = native_rows_ ? OutlineRows(std::move(*native_rows_)) : read_rows(outline_, text_.size());
        rows.finest = given::number(outline_.attr("finest"), "finest");
        if (!tells_scopes_) return rows;
        auto const size = static_cast<std::int64_t>(PyUnicode_GetLength(source_.ptr()));
        for (std::size_t row = 0; row < rows.closed.size(); ++row)
            if (rows.closed[row] && (!native_ || native_->may_have_names(static_cast<std::size_t>(rows.offsets[row]))))
                unknown_.push_back({rows.offsets[row], row + 1 < rows.offsets.size() ? rows.offsets[row + 1] : size});
        return rows;
    }

    Context context_at(std::size_t fresh, std::size_t start) override {
        if (context_at_.is_none()) return 0;
        if (breadcrumbs_) {
            auto const [known, is_new] = named_.try_emplace(breadcrumbs_->at(fresh), 0);
            if (is_new) known->second = made_of(breadcrumbs_->names(fresh), {}).context;
            return known->second;
        }
        if (Steady const* const known = known_context(fresh); known && (fresh == start || !known->repeats)) return known->context;
        gil::Held const held;
        if ((fresh > 0 || limit_) && (is_steady(static_cast<std::int64_t>(fresh)) || has_no_names(static_cast<std::int64_t>(fresh)))) {
            if (fresh > 0 && !scopes_.is_valid()) read_scopes();
            std::size_t const number = steady_number(fresh);
            if (number >= steady_.size()) steady_.resize(number + 1);
            std::optional<Steady>& known = steady_[number];
            if (!known) known = steady(number / 2, fresh);
            if (fresh == start || !known->repeats) return known->context;
        }
        return contexts_.number_of(fresh == start ? context_at_(fresh) : context_at_(fresh, part_of(source_, start, fresh)));
    }

    InnerBoundaries inside(std::size_t offset) override {
        if (native_) {
            if (auto found = native_->look(text_, offset)) return inside(offset, std::move(*found));
        }
        gil::Held const held;
        nb::object const found = outline_.attr("inside")(offset);
        InnerBoundaries inside;
        GivenColumns columns = read_columns(found.attr("offsets"), found.attr("strengths"), found.attr("labels"));
        inside.offsets = std::move(columns.offsets);
        inside.strengths = std::move(columns.strengths);
        for (nb::handle label : columns.labels) inside.labels.push_back(number_of(nb::borrow(label)));
        inside.heads = read_heads(found.attr("heads"), static_cast<std::size_t>(PyUnicode_GetLength(source_.ptr())));
        // Nothing in it has a name.
        if (nb::object const scopes = found.attr("scopes"); PySequence_Check(scopes.ptr()) && nb::len(scopes) == 0) know(static_cast<std::int64_t>(offset));
        return inside;
    }

    static Heads read_heads(nb::handle heads, std::size_t size) {
        Heads result;
        nb::object const items = nb::steal(PyMapping_Items(heads.ptr()));
        if (!items.is_valid()) throw nb::python_error();
        for (nb::handle item : items) {
            std::size_t const offset = given::size(item[0], "the offset of a head"), end = given::size(item[1], "the end of a head");
            if (offset >= end || end > size) throw nb::value_error("a head ends after its start, inside of the text");
            result.emplace_back(offset, end);
        }
        std::sort(result.begin(), result.end());
        return result;
    }

    std::size_t number_of(nb::object label) {
        // A few labels come again and again, mostly the same objects.
        auto const known = std::find_if(more_labels_.rbegin(), more_labels_.rend(), [&](const nb::object& other) { return other.is(label); });
        if (known != more_labels_.rend()) return rows_ + static_cast<std::size_t>(more_labels_.rend() - known) - 1;
        more_labels_.push_back(std::move(label));
        return rows_ + more_labels_.size() - 1;
    }
    nb::object label(std::size_t number) const {
        if (number >= rows_) return more_labels_[number - rows_];
        return native_rows_ ? native_rows_->names[native_rows_->labels[number]] : given::element(labels_, number, "labels");
    }

    std::array<PyObject*, 4> held() const { return {source_.ptr(), outline_.ptr(), labels_.ptr(), context_at_.ptr()}; }

private:
    static OutlineRows read_rows(nb::handle outline, std::size_t size) {
        OutlineRows rows;
        GivenColumns columns = read_columns(outline.attr("offsets"), outline.attr("strengths"), outline.attr("labels"));
        rows.offsets = std::move(columns.offsets);
        rows.strengths = std::move(columns.strengths);
        // The outline of a stream may begin after units that are ahead already.
        if (!std::is_sorted(rows.offsets.begin(), rows.offsets.end()) ||
            (!rows.offsets.empty() && (rows.offsets.front() < 0 || rows.offsets.back() >= static_cast<std::int64_t>(size))))
            throw nb::value_error("an outline's offsets must ascend inside of the text");
        rows.heads = read_heads(outline.attr("heads"), size);
        for (nb::handle offset : nb::getattr(outline, "closed", nb::tuple()))
            if (!rows.close(given::number(offset, "the offset of a closed unit"))) throw nb::value_error("a closed unit begins where a row does");
        return rows;
    }

    InnerBoundaries inside(std::size_t offset, NativeInside found) {
        if (found.named.empty()) know(static_cast<std::int64_t>(offset));
        if (breadcrumbs_) breadcrumbs_->know(offset, std::move(found.named));
        formats::Columns const& columns = found.columns;
        InnerBoundaries inside;
        inside.heads.assign(found.heads.begin(), found.heads.end());
        inside.offsets.assign(columns.offsets.begin(), columns.offsets.end());
        inside.strengths.assign(columns.strengths.begin(), columns.strengths.end());
        inside.labels.reserve(columns.size());
        for (std::size_t row = 0; row < columns.size(); ++row) {
            formats::Label const label = columns.labels[row];
            if (row > 0 && label.data() == columns.labels[row - 1].data() && label.size() == columns.labels[row - 1].size()) {
                inside.labels.push_back(inside.labels.back());
                continue;
            }
            auto const known = std::ranges::find(native_labels_, label, &std::pair<formats::Label, std::size_t>::first);
            if (known != native_labels_.end()) {
                inside.labels.push_back(known->second);
            } else {
                gil::Held const held;
                inside.labels.push_back(native_labels_.emplace_back(label, number_of(interned(label))).second);
            }
        }
        return inside;
    }

    // A context, and whether it repeats lines, unless the overlap has them.
    struct Steady {
        Context context;
        bool repeats;
    };

    // The place in `steady_` of what is known of an offset that only `changes_` tell the context of.
    std::size_t steady_number(std::size_t fresh) const {
        std::size_t const scope = fresh > 0 ? innermost(static_cast<std::int64_t>(fresh)) : 0;
        return 2 * scope + (fresh >= imported_);
    }

    // The context at an offset if it is known already; else null. Needs no GIL.
    Steady const* known_context(std::size_t fresh) const {
        if (!(fresh > 0 ? scopes_.is_valid() : limit_.has_value()) || !is_steady(static_cast<std::int64_t>(fresh))) return nullptr;
        std::size_t const number = steady_number(fresh);
        return number < steady_.size() && steady_[number] ? &*steady_[number] : nullptr;
    }

    // That of a chunk in this scope, which is a number plus one, or 0 for none; its text begins at `fresh`.
    Steady steady(std::size_t scope, std::size_t fresh) {
        if (limit_)
            if (auto const made = of_names(scope)) return *made;
        auto const found = nb::cast<nb::tuple>(context_at_.attr("with_repeats")(fresh));
        return {contexts_.number_of(nb::object(found[0])), nb::cast<bool>(found[1])};
    }

    // The source and the names around, and the lines that the innermost scope wants repeated: what chunker/context/breadcrumbs.py says, which is the
    // specification. None where a name has halves of surrogate pairs.
    std::optional<Steady> of_names(std::size_t scope) {
        std::vector<std::string> names;  // innermost first
        std::string repeated;
        for (; scope > 0; scope = around_[scope - 1]) {
            nb::handle const fields = PyList_GetItem(scopes_.ptr(), static_cast<Py_ssize_t>(scope - 1));
            nb::object const told = fields[2], lines = fields[3];  // they own the bytes
            auto const name = utf8_if_whole(told), header = utf8_if_whole(lines);
            if (!name || !header) return std::nullopt;
            names.push_back(on_one_line(name->view()));
            if (repeated.empty()) repeated = header->view();
        }
        return made_of(std::move(names), std::move(repeated));
    }

    // `names`: innermost first. The outermost ones are left out where the context would be too long.
    Steady made_of(std::vector<std::string> names, std::string repeated) {
        names.push_back(source_name_);
        std::erase(names, std::string());
        bool const repeats = !repeated.empty();
        if (repeats && repeated.back() != '\n' && repeated.back() != '\r') repeated += '\n';
        for (;; names.pop_back()) {
            std::string breadcrumb;
            for (auto name = names.rbegin(); name != names.rend(); ++name) breadcrumb += (breadcrumb.empty() ? "" : " > ") + *name;
            if (!names.empty()) breadcrumb += '\n';
            if (repeats)
                if (auto const context = fitting(breadcrumb + std::exchange(repeated, {}))) return {*context, repeats};
            if (auto const context = fitting(breadcrumb)) return {*context, repeats};
        }
    }

    std::optional<Context> fitting(const std::string& breadcrumb) {
        Context const context = contexts_.number_of(breadcrumb);
        return context == 0 || counter_.count_up_to(context, 0, 0, *limit_) ? std::optional(context) : std::nullopt;
    }

    // White space of any length becomes a space; none at the ends.
    static std::string on_one_line(std::string_view name) {
        if (is_on_one_line(name)) return std::string(name);
        Text const text(reinterpret_cast<const unsigned char*>(name.data()), name.size());
        std::string line;
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (formats::is_space(text[at])) continue;
            if (!line.empty() && formats::is_space(text[at - 1])) line += ' ';
            line.append(name, text.place(at), text.place(at + 1) - text.place(at));
        }
        return line;
    }

    // Of the contexts that are made of names alone.
    void read_settings(nb::handle names_only) {
        if (names_only.is_none()) return;
        if (nb::object const told = names_only[0]; !told.is_none()) {
            auto const name = utf8_if_whole(told);
            if (!name) return;
            source_name_ = on_one_line(name->view());
        }
        limit_ = given::size(names_only[1], "the limit of a context");
    }

    // From this offset on, up to the next of these, a scope is the innermost: its number plus one, or 0 if none is.
    struct Change {
        std::int64_t from;
        std::size_t innermost;
    };

    // A text that is one chunk needs none of them: no scope is around its start.
    void read_scopes() {
        std::vector<std::pair<std::int64_t, std::size_t>> open;  // where each ends, and its number plus one
        auto const close_until = [&](std::int64_t offset) {
            while (!open.empty() && open.back().first <= offset) {
                std::int64_t const end = open.back().first;
                open.pop_back();
                changes_.push_back({end, open.empty() ? 0 : open.back().second});
            }
        };
        std::size_t number = 0;
        scopes_ = nb::cast<nb::list>(context_at_.attr("scopes"));
        for (nb::handle const scope : scopes_) {
            std::int64_t const start = given::number(scope[0], "the start of a scope"), end = given::number(scope[1], "the end of a scope");
            close_until(start);
            around_.push_back(open.empty() ? 0 : open.back().second);
            open.emplace_back(end, ++number);
            changes_.push_back({start + 1, number});  // one that begins at an offset is not around it
        }
        close_until(std::numeric_limits<std::int64_t>::max());
        imported_ = given::size(context_at_.attr("imported"), "imported");
    }

    std::size_t innermost(std::int64_t offset) const {
        auto const next =
            std::upper_bound(changes_.begin(), changes_.end(), offset, [](std::int64_t place, const Change& change) { return place < change.from; });
        return next == changes_.begin() ? 0 : std::prev(next)->innermost;
    }

    // A closed unit that may have names inside. It ends where it begins if it is known to have none.
    struct Unknown {
        std::int64_t start, end;
        bool has_names = false;  // true once it is known
    };

    // The number of the first that begins at an offset or after it.
    std::size_t first_unknown(std::int64_t offset) const {
        auto const found =
            std::lower_bound(unknown_.begin(), unknown_.end(), offset, [](const Unknown& unit, std::int64_t place) { return unit.start < place; });
        return static_cast<std::size_t>(found - unknown_.begin());
    }

    // Whether only `changes_` tell the context at an offset.
    bool is_steady(std::int64_t offset) const {
        if (!tells_scopes_) return false;
        std::size_t const next = first_unknown(offset);
        return next == 0 || unknown_[next - 1].end <= offset;
    }

    // Whether that holds for an offset inside a closed unit, because no name is in it. Reads the unit.
    bool has_no_names(std::int64_t offset) {
        if (!tells_scopes_) return false;
        Unknown& unit = unknown_[first_unknown(offset) - 1];
        if (unit.has_names) return false;
        unit.has_names = nb::cast<bool>(context_at_.attr("outline").attr("has_scopes_inside")(unit.start));
        if (!unit.has_names) unit.end = unit.start;
        return !unit.has_names;
    }

    // The closed unit that begins there has no names inside.
    void know(std::int64_t offset) {
        if (std::size_t const unit = first_unknown(offset); unit < unknown_.size() && unknown_[unit].start == offset) unknown_[unit].end = offset;
    }

    nb::object source_, outline_, labels_, context_at_;
    Contexts& contexts_;
    Counter& counter_;
    bool tells_scopes_ = false;                           // whether `context_at_` does; see ContextAt of chunker/growing/pieces.py
    nb::list scopes_{nb::steal<nb::list>(nb::handle())};  // except those inside closed units; invalid until it is asked for
    std::vector<std::size_t> around_;                     // each: the number of the scope around it plus one, or 0
    std::vector<Change> changes_;                         // ascending; of the scopes
    std::size_t imported_ = 0;
    std::optional<std::size_t> limit_;           // of contexts that are made here, in tokens
    std::string source_name_;                    // on one line
    std::vector<std::optional<Steady>> steady_;  // by `innermost`, before and from `imported_` on
    std::vector<Unknown> unknown_;
    const NativeSketch* native_;
    const Text& text_;
    std::optional<NativeRows> native_rows_;     // their labels, once the rows are taken
    std::unique_ptr<Breadcrumbs> breadcrumbs_;  // if contexts are made of these names alone
    std::map<Breadcrumbs::Place, Context> named_;
    std::vector<std::pair<formats::Label, std::size_t>> native_labels_;
    std::size_t rows_ = 0;
    std::vector<nb::object> more_labels_;
};

}  // namespace chunker::bindings
