// The outline of plain text: read when it is made, and lists for Python once they are asked for.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chunker/constants.hpp"
#include "chunker/text_rows.hpp"
#include "integers.hpp"
#include "native_sketch.hpp"
#include "parts.hpp"
#include "source.hpp"
#include "gil.hpp"

namespace chunker::bindings {

namespace {

class TextReading : public NativeSketch {
public:
    TextReading(nb::str text, nb::list strengths, nb::list labels)
        : strengths_(from_list(strengths)), size_(static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()))) {
        if (strengths_.empty() || strengths_.size() != nb::len(labels)) throw nb::value_error("as many strengths as labels, at least one");
        for (nb::handle const label : labels) names_.push_back(nb::borrow(label));
        nb::object const source = utf8_if_whole(text) ? nb::object(text) : text.attr("encode")("utf-8", "surrogatepass");
        Utf8 const read(source);
        gil::Released const others_may_run(read.size);
        rows_ = text_rows(read.data, read.size, static_cast<unsigned>(strengths_.size()) - 1);
    }

    std::size_t size() const override { return size_; }
    NativeRows rows(const Text&) const override {
        NativeRows rows;
        rows.offsets.reserve(rows_.size());
        rows.strengths.reserve(rows_.size());
        rows.labels.reserve(rows_.size());
        for (TextRow const& row : rows_) {
            rows.offsets.push_back(static_cast<std::int64_t>(row.offset));
            rows.strengths.push_back(strength_of(row));
            rows.labels.push_back(static_cast<std::uint16_t>(label_of(row)));
        }
        rows.names = names_;
        return rows;
    }
    nb::tuple columns() const {
        std::vector<nb::object> strengths;
        for (std::int64_t const strength : strengths_) strengths.push_back(nb::int_(strength));
        nb::object const first = nb::int_(strength::document);
        return nb::make_tuple(list_of(rows_.size(), [&](std::size_t row) { return nb::int_(rows_[row].offset); }),
                              list_of(rows_.size(), [&](std::size_t row) { return row == 0 ? first : strengths[rows_[row].blank]; }),
                              list_of(rows_.size(), [&](std::size_t row) { return names_[label_of(rows_[row])]; }));
    }

private:
    // The text begins as after any number of blank lines.
    std::int64_t strength_of(const TextRow& row) const { return row.offset == 0 ? strength::document : strengths_[row.blank]; }
    std::size_t label_of(const TextRow& row) const { return row.offset == 0 ? names_.size() - 1 : row.blank; }

    std::vector<std::int64_t> strengths_;  // by the number of blank lines above
    std::size_t size_;                     // in characters
    std::vector<nb::object> names_;
    std::vector<TextRow> rows_;
};

}  // namespace

void define_outlines(nb::module_& module) {
    nb::class_<TextReading, NativeSketch>(module, "TextReading", "The lines of a plain text that are not blank, and its first line.")
        .def(nb::init<nb::str, nb::list, nb::list>(), nb::arg("text"), nb::arg("strengths"), nb::arg("labels"),
             nb::sig("def __init__(self, text: str, strengths: list[int], labels: list[str]) -> None"),
             "Of the two lists a line has the element for the number of blank lines above it; the last element for more.")
        .def("columns", &TextReading::columns, nb::sig("def columns(self) -> tuple[list[int], list[int], list[str]]"),
             "Where the lines begin, in characters, their strengths and their labels. The first has the strength of a document.");
}

}  // namespace chunker::bindings
