// Bindings of the boundaries at separators. Offsets are in characters.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "chunker/constants.hpp"
#include "chunker/separators.hpp"
#include "integers.hpp"
#include "native_sketch.hpp"
#include "parts.hpp"
#include "references.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

constexpr formats::Label part_label = "part";

// A sketch whose boundaries are at separators. They are found when the first grower asks for them, which has read the text.
class SeparatorSketch : public NativeSketch {
public:
    SeparatorSketch(nb::str text, nb::list separators, nb::list strengths, bool before, std::size_t most) : most_(most) {
        side_ = before ? Side::before : Side::after;
        strengths_ = from_list(strengths);
        Utf8 const source(text);  // raises for halves of surrogate pairs
        size_ = static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()));
        for (nb::handle const given : separators) separators_.push_back(separator(given));
        if (strengths_.size() != separators_.size()) throw nb::value_error("as many strengths as separators");
        if (most > 0) finest_ = separators_.empty() ? 0 : separators_.back().character();
        if (most > 0 && finest_ == 0) throw nb::value_error("the last separator must be a character");
    }

    std::size_t size() const override { return size_; }

    std::optional<NativeInside> look(const Text& text, std::size_t unit) const override {
        find(text);
        auto const next =
            std::upper_bound(parts_.begin(), parts_.end(), unit, [](std::size_t offset, SeparatedPart const& part) { return offset < part.start; });
        std::size_t const end = next == parts_.end() ? size_ : next->start;
        NativeInside found;
        if (most_ == 0) return found;
        found.columns.offsets = cuts_at(text, unit, end, finest_, side_);
        found.columns.strengths.assign(found.columns.offsets.size(), static_cast<std::int32_t>(strengths_.back()));
        found.columns.labels.assign(found.columns.offsets.size(), part_label);
        return found;
    }

    std::optional<NativeRows> rows(const Text& text) const override {
        NativeRows rows;
        if (size_ == 0) return rows;
        find(text);
        nb::object const whole = nb::str("text"), part = nb::str("part");
        std::size_t const number = parts_.size() + 1;
        rows.offsets.reserve(number);
        rows.strengths.reserve(number);
        rows.closed.reserve(number);
        rows.offsets.push_back(0);
        rows.strengths.push_back(strength::document);
        rows.closed.push_back(first_closed_);
        for (SeparatedPart const& one : parts_) {
            rows.offsets.push_back(static_cast<std::int64_t>(one.start));
            rows.strengths.push_back(strengths_[one.rank]);
            rows.closed.push_back(one.closed);
        }
        rows.labels.assign(number, part);
        rows.labels.front() = whole;
        return rows;
    }

private:
    void find(const Text& text) const {
        std::call_once(is_found_, [&] { parts_ = separated_parts(text, separators_, side_, most_, first_closed_); });
    }

    Separator separator(nb::handle given) const {
        Separator made;
        if (PyUnicode_Check(given.ptr())) {
            made.runs.push_back({string(given)});
        } else if (PyTuple_Check(given.ptr())) {
            for (nb::handle const run : nb::borrow<nb::tuple>(given)) {
                if (!PyTuple_Check(run.ptr()) || PyTuple_Size(run.ptr()) != 3) given::raise_type("a run", "a tuple of string, least and most", run);
                made.runs.push_back({string(run[0]), given::size(run[1], "a number of repetitions"), given::size(run[2], "a number of repetitions")});
                if (made.runs.back().least == 0 || made.runs.back().most < made.runs.back().least) throw nb::value_error("a string occurs at least once");
            }
            if (made.runs.empty()) throw nb::value_error("a separator must not be empty");
        } else if (PyList_Check(given.ptr())) {
            for (std::int64_t const cut : from_list(nb::borrow<nb::list>(given))) {
                if (cut < 0 || static_cast<std::size_t>(cut) > size_ || (!made.cuts.empty() && made.cuts.back() > static_cast<std::size_t>(cut)))
                    throw nb::value_error("cuts must ascend inside of the text");
                made.cuts.push_back(static_cast<std::size_t>(cut));
            }
        } else {
            given::raise_type("a separator", "a str, a tuple of runs or a list of offsets", given);
        }
        return made;
    }

    static std::string string(nb::handle given) {
        if (!PyUnicode_Check(given.ptr())) given::raise_type("the text of a run", "a str", given);
        Utf8 const literal(given);
        if (literal.size == 0) throw nb::value_error("a separator must not be empty");
        return {reinterpret_cast<const char*>(literal.data), literal.size};
    }

    std::size_t size_ = 0, most_ = 0;
    Side side_ = Side::before;
    std::vector<std::int64_t> strengths_;
    std::vector<Separator> separators_;
    char32_t finest_ = 0;
    mutable std::once_flag is_found_;
    mutable std::vector<SeparatedPart> parts_;
    mutable bool first_closed_ = false;
};

}  // namespace

const NativeSketch* native_separators(nb::handle object) {
    const SeparatorSketch* found = nullptr;
    return nb::try_cast(object, found) ? found : nullptr;
}

void define_separators(nb::module_& module) {
    nb::class_<SeparatorSketch>(module, "SeparatorSketch", "The parts of a text between separators; as `integrations.separators` finds them.")
        .def(nb::init<nb::str, nb::list, nb::list, bool, std::size_t>(), nb::arg("text"), nb::arg("separators"), nb::arg("strengths"), nb::arg("before"),
             nb::arg("most"),
             nb::sig("def __init__(self, text: str, separators: list[str | tuple[tuple[str, int, int], ...] | list[int]], strengths: list[int], before: bool, "
                     "most: int) -> None"),
             "`separators`: the best first, each a string, strings with the least and greatest numbers of their repetitions, or the ascending cuts at what an "
             "expression has found. `most`: parts of at most so many characters "
             "are cut at the last separator on request alone; 0 if there is no such separator. Raises UnicodeEncodeError for halves of surrogate pairs.");
}

}  // namespace chunker::bindings
