// The outline of plain text: read when it is made, and lists for Python once they are asked for.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chunker/constants.hpp"
#include "chunker/text_rows.hpp"
#include "formats.hpp"
#include "native_sketch.hpp"
#include "parts.hpp"
#include "source.hpp"
#include "gil.hpp"

namespace chunker::bindings {

namespace {

class TextReading : public NativeSketch {
public:
    explicit TextReading(nb::str text) : size_(static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()))) {
        nb::object const source = utf8_if_whole(text) ? nb::object(text) : text.attr("encode")("utf-8", "surrogatepass");
        Utf8 const read(source);
        gil::Released const others_may_run(read.size);
        rows_ = text_rows(read.data, read.size);
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
            rows.labels.push_back(is_paragraph(row));
        }
        rows.names = {interned("line"), interned("paragraph")};
        return rows;
    }
    ThreeColumns columns() const {
        nb::object const line = interned("line"), paragraph = interned("paragraph");
        return ThreeColumns(nb::make_tuple(list_of(rows_.size(), [&](std::size_t row) { return nb::int_(rows_[row].offset); }),
                                           list_of(rows_.size(), [&](std::size_t row) { return nb::int_(strength_of(rows_[row])); }),
                                           list_of(rows_.size(), [&](std::size_t row) { return is_paragraph(rows_[row]) ? paragraph : line; })));
    }

private:
    static std::int64_t strength_of(const TextRow& row) {
        if (row.offset == 0) return strength::document;
        return row.blank == 0 ? strength::line : strength::paragraph + static_cast<std::int64_t>(row.blank) - 1;
    }
    // The text begins as after blank lines.
    static bool is_paragraph(const TextRow& row) { return row.offset == 0 || row.blank > 0; }

    std::size_t size_;  // in characters
    std::vector<TextRow> rows_;
};

}  // namespace

void define_outlines(nb::module_& module) {
    nb::class_<TextReading, NativeSketch>(module, "TextReading", "The lines of a plain text that are not blank, and its first line.")
        .def(nb::init<nb::str>(), nb::arg("text"))
        .def("columns", &TextReading::columns,
             "Where the lines begin, in characters, their strengths and their labels. The first has the strength of a document.");
}

}  // namespace chunker::bindings
