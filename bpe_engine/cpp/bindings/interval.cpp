#include "bpe/interval.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <memory>

#include "engine.hpp"
#include "references.hpp"

namespace bpe::bindings {

namespace {

class Interval {
public:
    // Raises ValueError for a str with lone surrogates: its offsets are not those of the bytes that the core sees.
    Interval(nb::object tokenizer, nb::object text) : tokenizer_(std::move(tokenizer)), source_(std::move(text)), text_(source_) {
        if (text_.had_surrogates()) throw nb::value_error("the text holds lone surrogates");
        if (!text_.is_str()) source_ = text_.owner();
        Bytes const bytes = text_.bytes();
        auto const& encoder = engine_of(tokenizer_).encoder();
        WithoutGil const released(bytes.size);
        core_ = std::make_unique<IntervalEncoder>(encoder, bytes);
        if (text_.is_str()) {
            places_ = std::make_unique<CharacterPlaces>(bytes);
            if (places_->size() == bytes.size) places_.reset();
        }
    }

    Interval(const Interval&) = delete;
    Interval& operator=(const Interval&) = delete;

    std::size_t size() const { return places_ ? places_->size() : core_->size(); }

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

    nb::typed<nb::list, int> counts(Py_ssize_t start, nb::typed<nb::sequence, int> ends) const {
        nb::list made;
        for (nb::handle end : ends) {
            Py_ssize_t const last = PyLong_AsSsize_t(end.ptr());
            if (last == -1 && PyErr_Occurred()) {
                if (!PyErr_ExceptionMatches(PyExc_OverflowError)) throw nb::python_error();
                PyErr_Clear();  // no offset, and -1 is none either
            }
            made.append(count(start, last));
        }
        return made;
    }

    std::size_t memory() const { return core_->memory() + (places_ ? places_->memory() : 0); }

    std::array<PyObject*, 2> held() const { return {tokenizer_.ptr(), source_.ptr()}; }

    nb::object reduce() const { return nb::make_tuple(tokenizer_.attr("interval_encoder"), nb::make_tuple(source_)); }

private:
    nb::object tokenizer_, source_;
    Text text_;
    std::unique_ptr<IntervalEncoder> core_;
    std::unique_ptr<CharacterPlaces> places_;  // of a str that is not ASCII
};

}  // namespace

void define_interval(nb::module_& module) {
    nb::class_<Interval>(module, "IntervalEncoder", nb::type_slots(references::shown<Interval>), "The counts of all slices of one text.")
        .def(nb::init<nb::object, nb::object>(), nb::arg("tokenizer"), nb::arg("text").none())
        .def("__len__", &Interval::size)
        .def("count", &Interval::count, nb::arg("start"), nb::arg("end"),
             "The number of tokens of text[start:end]: equal to `tokenizer.count(text[start:end])`.")
        .def("counts", &Interval::counts, nb::arg("start"), nb::arg("ends"),
             "`count(start, end)` for each of `ends`.")
        .def_prop_ro("memory", &Interval::memory, "Bytes of memory, the text itself not counted.")
        .def("__reduce__", &Interval::reduce, nb::sig("def __reduce__(self) -> tuple[object, ...]"));
}

}  // namespace bpe::bindings
