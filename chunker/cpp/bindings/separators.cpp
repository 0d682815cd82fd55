// Bindings of the boundaries at separators. Offsets are in characters.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "chunker/constants.hpp"
#include "chunker/separators.hpp"
#include "formats.hpp"
#include "native_sketch.hpp"
#include "parts.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

constexpr formats::Label part_label = "part";

std::string string_of(nb::handle given) {
    std::string literal(utf8_of(given, "the text of a run").view());
    if (literal.empty()) throw nb::value_error("a separator must not be empty");
    return literal;
}

std::vector<Run> runs_of(nb::handle given) {
    if (!PyTuple_Check(given.ptr())) given::raise_type("a separator", "a tuple of runs", given);
    std::vector<Run> runs;
    for (nb::handle const given_run : nb::borrow<nb::tuple>(given)) {
        nb::tuple const run = as_tuple(given_run, 3, "a run");
        runs.push_back({string_of(run[0]), given::size(run[1], "a number of repetitions"), given::size(run[2], "a number of repetitions")});
        if (runs.back().least == 0 || runs.back().most < runs.back().least) throw nb::value_error("a string occurs at least once");
    }
    return runs;
}

// Separators with the strengths of the boundaries at them.
struct Ranked {
    Ranked(nb::tuple separators, nb::tuple strengths, bool before) {
        std::vector<std::vector<Run>> made;
        for (nb::handle const given : separators) made.push_back(runs_of(given));
        this->strengths = from_list(nb::list(strengths));
        if (this->strengths.size() != made.size()) throw nb::value_error("as many strengths as separators");
        this->separators = std::make_shared<const Separators>(std::move(made), before ? Side::before : Side::after);
    }

    std::shared_ptr<const Separators> separators;
    std::vector<std::int64_t> strengths;
};

// A sketch whose boundaries are at separators. They are found when the first grower asks for them, which has read the text.
class SeparatorSketch : public NativeSketch {
public:
    SeparatorSketch(nb::str text, const Ranked& ranked, nb::dict cuts, std::size_t most) : ranked_(ranked), most_(most) {
        Utf8 const source(text);  // raises for halves of surrogate pairs
        size_ = static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()));
        cuts_.resize(ranked_.separators->size());
        for (auto const& [rank, found] : cuts) {
            std::size_t const number = given::size(rank, "a rank");
            if (number >= cuts_.size()) throw nb::value_error("there is no separator of this rank");
            for (std::int64_t const cut : from_list(nb::cast<nb::list>(found))) {
                if (cut < 0 || static_cast<std::size_t>(cut) > size_ || (!cuts_[number].empty() && cuts_[number].back() > static_cast<std::size_t>(cut)))
                    throw nb::value_error("cuts must ascend inside of the text");
                cuts_[number].push_back(static_cast<std::size_t>(cut));
            }
        }
    }

    std::size_t size() const override { return size_; }

    std::optional<NativeInside> look(const Text& text, std::size_t unit) const override {
        find(text);
        auto const next =
            std::upper_bound(parts_.begin(), parts_.end(), unit, [](std::size_t offset, SeparatedPart const& part) { return offset < part.start; });
        std::size_t const end = next == parts_.end() ? size_ : next->start;
        NativeInside found;
        if (ranked_.separators->finest() == 0) return found;
        found.columns.offsets = ranked_.separators->inside(text, unit, end);
        found.columns.strengths.assign(found.columns.offsets.size(), static_cast<std::int32_t>(ranked_.strengths.back()));
        found.columns.labels.assign(found.columns.offsets.size(), part_label);
        return found;
    }

    NativeRows rows(const Text& text) const override {
        NativeRows rows;
        if (size_ == 0) return rows;
        find(text);
        std::size_t const number = parts_.size() + 1;
        rows.offsets.reserve(number);
        rows.strengths.reserve(number);
        rows.closed.reserve(number);
        rows.offsets.push_back(0);
        rows.strengths.push_back(strength::document);
        rows.closed.push_back(first_closed_);
        for (SeparatedPart const& one : parts_) {
            rows.offsets.push_back(static_cast<std::int64_t>(one.start));
            rows.strengths.push_back(ranked_.strengths[one.rank]);
            rows.closed.push_back(one.closed);
        }
        rows.names = {nb::str("text"), interned(part_label)};
        rows.labels.assign(number, 1);
        rows.labels.front() = 0;
        return rows;
    }

private:
    void find(const Text& text) const {
        std::call_once(is_found_, [&] { parts_ = ranked_.separators->parts(text, cuts_, most_, first_closed_); });
    }

    Ranked ranked_;
    std::size_t size_ = 0, most_ = 0;
    Separators::Cuts cuts_;
    mutable std::once_flag is_found_;
    mutable std::vector<SeparatedPart> parts_;
    mutable bool first_closed_ = false;
};

}  // namespace

void define_separators(nb::module_& module) {
    nb::class_<Ranked>(module, "Separators", "Separators, prepared for many texts.")
        .def(nb::init<nb::tuple, nb::tuple, bool>(), nb::arg("separators"), nb::arg("strengths"), nb::arg("before"),
             nb::sig("def __init__(self, separators: tuple[tuple[tuple[str, int, int], ...], ...], strengths: tuple[int, ...], before: bool) -> None"),
             "`separators`: the best first, each as strings with the least and greatest numbers of their repetitions; an expression, whose cuts come with each "
             "text, is empty. `before`: the side of a separator that is cut. Raises UnicodeEncodeError for halves of surrogate pairs.");
    nb::class_<SeparatorSketch, NativeSketch>(module, "SeparatorSketch",
                                              "The parts of a text between separators; as `chunker.integrations.separators` finds them.")
        .def(nb::init<nb::str, const Ranked&, nb::dict, std::size_t>(), nb::arg("text"), nb::arg("separators"), nb::arg("cuts"), nb::arg("most"),
             nb::sig("def __init__(self, text: str, separators: Separators, cuts: dict[int, list[int]], most: int) -> None"),
             "`cuts`: the ascending cuts at what the expressions have found, by their ranks. `most`: parts of at most so many characters are cut at the last "
             "separator, if that is a character, on request alone. Raises UnicodeEncodeError for halves of surrogate pairs.");
}

}  // namespace chunker::bindings
