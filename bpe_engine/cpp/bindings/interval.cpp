#include "bpe/interval.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <memory>

#include "bpe/pipeline/slices.hpp"
#include "engine.hpp"
#include "given.hpp"
#include "pipeline.hpp"
#include "references.hpp"

namespace bpe::bindings {

namespace {

template <class Core, class Owner>
class Interval {
public:
    // Raises ValueError for a str with lone surrogates: its offsets are not those of the bytes that the core sees.
    // `tokenizer` is what a pickle holds; `engine` answers, and may be the same.
    Interval(nb::object tokenizer, nb::handle engine, nb::object text) : tokenizer_(std::move(tokenizer)), source_(std::move(text)), text_(source_) {
        if (text_.had_surrogates()) throw nb::value_error("the text holds lone surrogates");
        if (!text_.is_str()) source_ = text_.owner();
        Bytes const bytes = text_.bytes();
        auto const& encoder = owner_of<Owner>(engine).encoder();
        gil::Released const released(bytes.size);
        core_ = std::make_unique<Core>(encoder, bytes);
        if (text_.is_str()) {
            places_ = std::make_unique<CharacterPlaces>(bytes);
            if (places_->size() == bytes.size) places_.reset();
        }
    }

    Interval(const Interval&) = delete;
    Interval& operator=(const Interval&) = delete;

    std::size_t size() const { return places_ ? places_->size() : core_->size(); }

    std::size_t count_given(nb::handle start, nb::handle end) const { return count(given::nearest(start, "start"), given::nearest(end, "end")); }

    std::size_t count(Py_ssize_t start, Py_ssize_t end) const {
        auto const length = static_cast<Py_ssize_t>(size());
        if (start < 0 || start > end || end > length) {
            PyErr_Format(PyExc_IndexError, "no slice [%zd:%zd] in a text of %zd: 0 <= start <= end <= length", start, end, length);
            throw nb::python_error();
        }
        auto first = static_cast<std::size_t>(start), last = static_cast<std::size_t>(end);
        if (places_) {
            first = places_->byte_of(first);
            last = places_->byte_of(last);
        }
        return core_->count(first, last);
    }

    nb::list counts(nb::handle start, nb::handle ends) const {
        if (!PySequence_Check(ends.ptr())) given::raise_type("ends", "a sequence of offsets", ends);
        Py_ssize_t const first = given::nearest(start, "start");
        nb::list made;
        for (nb::handle end : nb::iter(ends)) made.append(count(first, given::nearest(end, "each of ends")));
        return made;
    }

    std::size_t memory() const { return core_->memory() + (places_ ? places_->memory() : 0); }

    std::array<PyObject*, 2> held() const { return {tokenizer_.ptr(), source_.ptr()}; }

    nb::object reduce() const { return nb::make_tuple(tokenizer_.attr("interval_encoder"), nb::make_tuple(source_)); }

private:
    nb::object tokenizer_, source_;
    Text text_;
    std::unique_ptr<Core> core_;
    std::unique_ptr<CharacterPlaces> places_;  // of a str that is not ASCII
};

using EngineInterval = Interval<IntervalEncoder, Engine>;
using PipelineInterval = Interval<PipelineIntervalEncoder, PipelineEngine>;

template <class Bound>
nb::class_<Bound> define(nb::module_& module, const char* name) {
    nb::class_<Bound> bound(module, name, nb::type_slots(references::shown<Bound>), "The counts of all slices of one text.");
    bound.def("__len__", &Bound::size)
        .def("count", &Bound::count_given, nb::arg("start").none(), nb::arg("end").none(), nb::sig("def count(self, start: int, end: int) -> int"),
             "The number of tokens of text[start:end]: equal to `tokenizer.count(text[start:end])`.")
        .def("counts", &Bound::counts, nb::arg("start").none(), nb::arg("ends").none(),
             nb::sig("def counts(self, start: int, ends: collections.abc.Sequence[int]) -> list[int]"), "`count(start, end)` for each of `ends`.")
        .def_prop_ro("memory", &Bound::memory, "Bytes of memory, the text itself not counted.")
        .def("__reduce__", &Bound::reduce, nb::sig("def __reduce__(self) -> tuple[object, ...]"));
    return bound;
}

}  // namespace

void define_interval(nb::module_& module) {
    define<EngineInterval>(module, "IntervalEncoder")
        .def(
            "__init__", [](EngineInterval* self, nb::object tokenizer, nb::object text) { new (self) EngineInterval(tokenizer, tokenizer, text); },
            nb::arg("tokenizer"), nb::arg("text").none());
    define<PipelineInterval>(module, "PipelineIntervalEncoder")
        .def(
            "__init__",
            [](PipelineInterval* self, nb::object tokenizer, nb::handle engine, nb::object text) { new (self) PipelineInterval(tokenizer, engine, text); },
            nb::arg("tokenizer"), nb::arg("engine"), nb::arg("text").none(),
            nb::sig("def __init__(self, tokenizer: object, engine: Pipeline, text: str | bytes) -> None"));
}

}  // namespace bpe::bindings
