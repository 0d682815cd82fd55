// Spans, as fields of chunker.models.Span.
#include <array>

#include "chunker/span_meter.hpp"
#include "parts.hpp"
#include "references.hpp"
#include "source.hpp"

namespace chunker::bindings {

namespace {

struct Spans {
    explicit Spans(nb::object text) : owner(text), meter(source(text)) {}

    static SpanMeter source(nb::handle text) {
        Utf8 const bytes(text);
        return {bytes.data, bytes.size};
    }

    std::array<PyObject*, 1> held() const { return {owner.ptr()}; }

    nb::object owner;
    SpanMeter meter;
};

}  // namespace

void define_spans(nb::module_& module) {
    nb::class_<Spans>(module, "SpanMeter", nb::type_slots(references::shown<Spans>), "Turns character offsets into spans: see chunker.growing.spans.")
        .def(nb::init<nb::object>(), nb::arg("text"), nb::sig("def __init__(self, text: str | bytes) -> None"),
             "`text` is a str, of ASCII if that is to cost nothing, or UTF-8.")
        .def(
            "measure",
            [](Spans& self, std::size_t start, std::size_t end) {
                if (start >= end) throw nb::value_error("a span is not empty");
                SpanMeter::Span const span = self.meter.span(start, end);
                return nb::make_tuple(span.start.byte, span.end.byte, 1 + span.start.breaks, 1 + span.last_line);
            },
            nb::lock_self(), nb::arg("start"), nb::arg("end"), nb::sig("def measure(self, start: int, end: int) -> tuple[int, int, int, int]"),
            "Of text[start:end], which is not empty, in characters: where it starts and ends in bytes, and its first and its last line.");
}

}  // namespace chunker::bindings
