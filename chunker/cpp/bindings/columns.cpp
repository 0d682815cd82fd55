// Chunks by columns, for Arrow.
#include "chunker/chunk_columns.hpp"

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats.hpp"
#include "parts.hpp"

namespace chunker::bindings {

namespace {

// The memory of a column, which Python reads by the buffer protocol: nothing is copied.
class ColumnBuffer {
public:
    // Takes a vector or a string over; much more room than it needs is given back, since a table may be kept for long.
    template <class Values>
    explicit ColumnBuffer(Values values) {
        if (values.capacity() - values.size() > values.size() / 4) values.shrink_to_fit();
        auto owned = std::make_shared<Values>(std::move(values));
        data_ = owned->empty() ? static_cast<const void*>("") : owned->data();  // Arrow takes no null pointer
        size_ = static_cast<Py_ssize_t>(owned->size() * sizeof(*owned->data()));
        owner_ = std::move(owned);
    }

    static int get(PyObject* self, Py_buffer* view, int flags) {
        if (!nb::inst_ready(self)) {
            PyErr_SetString(PyExc_BufferError, "there is no column: only ChunkColumns.take makes a ColumnBuffer");
            return -1;
        }
        auto const& buffer = *nb::inst_ptr<ColumnBuffer>(self);
        return PyBuffer_FillInfo(view, self, const_cast<void*>(buffer.data_), buffer.size_, 1, flags);
    }

private:
    std::shared_ptr<const void> owner_;
    const void* data_;
    Py_ssize_t size_;
};

void add(ChunkColumns& columns, nb::str text, nb::list pieces, nb::bytes identity) {
    std::string_view const whole = utf8_of(text).view();
    auto const size = static_cast<std::size_t>(PyUnicode_GetLength(text.ptr()));
    std::vector<ChunkColumns::Piece> found;
    found.reserve(nb::len(pieces));
    std::vector<nb::object> held;  // no code of a caller takes a context away meanwhile
    for (nb::handle const given_piece : pieces) {
        nb::tuple const piece = as_tuple(given_piece, 5, "a piece");
        std::size_t const start = given::size(piece[0], "the start of a piece"), end = given::size(piece[1], "the end of a piece");
        std::size_t const tokens = given::size(piece[3], "the tokens of a piece");
        if (start >= end || end > size) throw nb::value_error("a piece is not empty, and inside of its text");
        if (tokens > ChunkColumns::most_tokens) throw nb::value_error("more tokens than a column can hold");
        held.push_back(piece[2]);
        held.push_back(piece[4]);
        found.push_back({start, end, tokens, utf8_of(held[held.size() - 2], "a context").view(), utf8_of(held.back(), "a kind").view()});
    }
    columns.add(whole, found, {identity.c_str(), identity.size()});
}

template <class Values>
nb::object buffer_of(Values values) {
    return nb::cast(ColumnBuffer(std::move(values)));
}

nb::tuple strings_of(StringColumn column, bool wide) {
    nb::object const data = buffer_of(std::move(column.data));
    if (wide) return nb::make_tuple(buffer_of(std::move(column.ends)), data);
    return nb::make_tuple(buffer_of(std::vector<std::int32_t>(column.ends.begin(), column.ends.end())), data);
}

nb::dict take(ChunkColumns& of, bool wide) {
    of.hash();
    for (StringColumn const* const column : {&of.body, &of.text, &of.context, &of.kind, &of.id, &of.content_hash})
        if (std::size_t const size = column->data.size(); !wide && size > std::numeric_limits<std::int32_t>::max())
            given::raise(PyExc_OverflowError, "a column of strings holds 2 GB, and these are %zu bytes: take a large_string, or smaller tables", size);
    ChunkColumns columns = std::exchange(of, {});
    bool const has_contexts = !columns.context.data.empty();
    nb::dict result;
    result["body"] = strings_of(std::move(columns.body), wide);
    result["text"] = has_contexts ? strings_of(std::move(columns.text), wide) : nb::borrow<nb::tuple>(result["body"]);
    result["context"] = strings_of(std::move(columns.context), wide);
    result["token_count"] = nb::make_tuple(buffer_of(std::move(columns.tokens)));
    result["start"] = nb::make_tuple(buffer_of(std::move(columns.start)));
    result["end"] = nb::make_tuple(buffer_of(std::move(columns.end)));
    result["start_byte"] = nb::make_tuple(buffer_of(std::move(columns.start_byte)));
    result["end_byte"] = nb::make_tuple(buffer_of(std::move(columns.end_byte)));
    result["start_line"] = nb::make_tuple(buffer_of(std::move(columns.start_line)));
    result["end_line"] = nb::make_tuple(buffer_of(std::move(columns.end_line)));
    result["index"] = nb::make_tuple(buffer_of(std::move(columns.index)));
    result["kind"] = strings_of(std::move(columns.kind), false);
    result["id"] = strings_of(std::move(columns.id), false);
    result["content_hash"] = strings_of(std::move(columns.content_hash), false);
    return result;
}

nb::bytes lines(ChunkColumns& columns, nb::list breadcrumbs, nb::str source, nb::bytes rest) {
    std::vector<Breadcrumb> found;
    std::vector<nb::tuple> held;  // as the contexts above
    for (nb::handle const breadcrumb : breadcrumbs) {
        if (!PyTuple_Check(breadcrumb.ptr())) given::raise_type("a breadcrumb", "a tuple of names", breadcrumb);
        held.push_back(nb::borrow<nb::tuple>(breadcrumb));
        Breadcrumb names;
        for (nb::handle const name : held.back()) names.push_back(utf8_of(name, "a name").view());
        found.push_back(std::move(names));
    }
    if (found.size() != columns.size()) throw nb::value_error("a breadcrumb for each chunk");
    columns.hash();
    std::string const made = json_lines(columns, found, utf8_of(source, "a source").view(), {rest.c_str(), rest.size()});
    return nb::bytes(made.data(), made.size());
}

}  // namespace

void define_columns(nb::module_& module) {
    static PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(ColumnBuffer::get)}, {0, nullptr}};
    nb::class_<ColumnBuffer>(module, "ColumnBuffer", nb::type_slots(slots), "The memory of a column, by the buffer protocol.");
    nb::class_<ChunkColumns>(module, "ChunkColumns", "Chunks of many texts by columns, as Arrow keeps them: see chunker.scale.chunk_columns.")
        .def(
            "__init__", [](ChunkColumns* columns, nb::object bytes) { new (columns) ChunkColumns(given::size(bytes, "bytes")); }, nb::arg("bytes") = 0,
            nb::sig("def __init__(self, bytes: int = 0) -> None"), "`bytes`: about so many all texts together will have.")
        .def("add", &add, nb::lock_self(), nb::arg("text"), nb::arg("pieces"), nb::arg("identity"),
             nb::sig("def add(self, text: str, pieces: list[tuple[int, int, str, int, str]], identity: bytes) -> None"),
             "Add the chunks of a text; `identity` is what their ids begin with. Raises UnicodeEncodeError for halves of surrogate pairs.")
        .def("lines", &lines, nb::lock_self(), nb::arg("breadcrumbs"), nb::arg("source"), nb::arg("rest"),
             nb::sig("def lines(self, breadcrumbs: list[tuple[str, ...]], source: str, rest: bytes) -> bytes"),
             "The records of the chunks of one text as lines of JSON. `breadcrumbs`: the names around each; `rest`: the JSON of the fields that all have in "
             "common, from the language on, with the brace at the end.")
        .def("take", &take, nb::lock_self(), nb::arg("wide"), nb::sig("def take(self, wide: bool) -> dict[str, tuple[ColumnBuffer, ...]]"),
             "Takes all chunks out. The buffers of each column: of strings where each ends and the bytes of all, in 64 bits if `wide` and else in 32; of "
             "numbers the values.");
}

}  // namespace chunker::bindings
