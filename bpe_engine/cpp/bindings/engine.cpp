#include "engine.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <string>

#include "batches.hpp"
#include "bpe/limits.hpp"
#include "bpe/unicode.hpp"
#include "given.hpp"
#include "interface.hpp"

namespace bpe::bindings {

namespace {

nb::object count(const Engine& self, nb::handle text) {
    Text const given(text);
    std::size_t found;
    {
        gil::Released const released(given.bytes().size);
        found = self.encoder()->count(given.bytes());
    }
    return nb::steal(PyLong_FromSize_t(found));
}

nb::object encode_ordinary(const Engine& self, nb::handle text) {
    Text const given(text);
    return self.to_list(self.encode(given.bytes()));
}

nb::object encode_to_buffer(const Engine& self, nb::handle text) {
    Text const given(text);
    return memory_view(self.encode(given.bytes()));
}

nb::object count_up_to(const Engine& self, nb::handle text, Py_ssize_t limit) {
    Text const given(text);
    std::optional<std::size_t> found;
    if (limit >= 0) {
        gil::Released const released(given.bytes().size);
        found = bpe::count_up_to(*self.encoder(), given.bytes(), static_cast<std::size_t>(limit));
    }
    return found ? nb::steal(PyLong_FromSize_t(*found)) : nb::none();
}

// The part of `text` that `fitting_prefix` or `fitting_suffix` keeps: a str without lone surrogates, or bytes.
nb::object truncate_fast(const Engine& self, nb::handle text, std::size_t most, bool head) {
    Text const given(text);
    Bytes const bytes = given.bytes();
    std::size_t kept;
    {
        gil::Released const released(bytes.size);
        kept = head ? fitting_prefix(self.encoder(), bytes, most) : fitting_suffix(self.encoder(), bytes, most);
    }
    if (kept == bytes.size && (PyUnicode_CheckExact(text.ptr()) || PyBytes_CheckExact(text.ptr()))) return nb::borrow(text);
    Bytes const part = head ? bytes.part(0, kept) : bytes.part(bytes.size - kept, bytes.size);
    return given.is_str() ? decoded(part, "strict") : nb::object(to_python(part));
}

bool has_lone_surrogates(nb::handle text) {
    if (!PyUnicode_Check(text.ptr()) || PyUnicode_AsUTF8AndSize(text.ptr(), nullptr)) return false;
    PyErr_Clear();
    return true;
}

// The numbers of the characters that ascending offsets into their UTF-8 are in.
nb::list character_starts(nb::str characters, nb::list starts) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(characters.ptr(), &size);
    if (!bytes) throw nb::python_error();
    nb::list found;
    Py_ssize_t place = 0, characters_begun = 0;
    for (nb::handle const offset : starts) {
        auto const start = static_cast<Py_ssize_t>(given::number(offset, "an offset", 0, size));
        if (start < place - 1) throw nb::value_error("the offsets must be ascending");
        for (Py_ssize_t const stop = std::min(start + 1, size); place < stop; ++place)
            characters_begun += !UnicodeTable::continues(static_cast<Byte>(bytes[place]));
        found.append(start == size ? characters_begun : characters_begun - 1);
    }
    return found;
}

nb::object split(const Engine& self, nb::handle text) {
    Text const given(text);
    Bytes const bytes = given.bytes();
    nb::list pieces;
    auto const add = [&](std::size_t start, std::size_t end) { pieces.append(decoded(bytes.part(start, end), "surrogateescape")); };
    if (self.encoder()->scanner()) for_each_pretoken(*self.encoder()->scanner(), bytes.data, 0, bytes.size, add);
    else if (bytes.size > 0) add(0, bytes.size);
    return pieces;
}

// The ids of one pre-token, in any encoding of it.
nb::object encode_piece(const Engine& self, nb::bytes piece) {
    Bytes const bytes{reinterpret_cast<const Byte*>(piece.c_str()), piece.size()};
    nb::list result;
    if (bytes.size == 0) return result;
    Encoder::Lease const lease(*self.encoder());
    for (Rank const rank : self.encoder()->encode_piece(bytes, *lease)) result.append(self.tokens().id(rank));
    return result;
}

}  // namespace

Engine::Engine(TokenSet tokens, const Scanner* scanner)
    : tokens_(std::move(tokens)), encoder_(std::make_shared<const Encoder>(tokens_.dictionary, scanner, tokens_.ids)) {}

std::vector<std::uint32_t> Engine::encode(Bytes text) const {
    std::vector<std::uint32_t> ids;
    gil::Released const released(text.size);
    encoder_->encode(text, ids);
    return ids;
}

void define_engine(nb::module_& module) {
    nb::class_<Engine>(module, "Engine", "Text -> tokens, by a vocabulary and a named scanner.")
        .def(
            "__init__",
            [](Engine* self, const TokenSet& tokens, std::optional<std::string> grammar) {
                const Scanner* const scanner = grammar ? scanner_named(*grammar) : nullptr;
                if (grammar && !scanner) given::raise(PyExc_ValueError, "the core knows no grammar of the name %.80R", nb::cast(*grammar).ptr());
                new (self) Engine(tokens, scanner);
            },
            nb::arg("tokens"), nb::arg("grammar").none(), nb::sig("def __init__(self, tokens: TokenSet, grammar: str | None) -> None"),
            "`grammar` names a scanner, None: the whole text is one pre-token.")
        .def("count", &count, nb::arg("text").none(), nb::sig("def count(self, text: str | bytes) -> int"),
             "The number of tokens of `text`: `len(encode(text))`, without the ids.")
        .def("encode_ordinary", &encode_ordinary, nb::arg("text").none(), nb::sig("def encode_ordinary(self, text: str | bytes) -> list[int]"),
             "The token ids of `text`, special tokens in it taken as plain text: `encode` with no options.")
        .def("encode_to_buffer", &encode_to_buffer, nb::arg("text").none(), nb::sig("def encode_to_buffer(self, text: str | bytes) -> memoryview"),
             "The token ids of `text` as one array of unsigned 32-bit integers (buffer protocol, four bytes a token).")
        .def("interface", &interface<Engine>, nb::sig("def interface(self) -> object"),
             "For compiled callers: a capsule with the encoders, which keeps this engine.")
        .def("count_up_to", &count_up_to, nb::arg("text").none(), nb::arg("limit"),
             nb::sig("def count_up_to(self, text: str | bytes, limit: int) -> int | None"),
             "The number of tokens of `text`, None if it is above `limit`. Stops reading soon after the limit.")
        .def("split", &split, nb::arg("text").none(), nb::sig("def split(self, text: str | bytes) -> list[str]"),
             "The pre-tokens of `text`: no token crosses from one to the next. Bytes that are not UTF-8 show as U+DC80..U+DCFF.")
        .def("count_batch", &count_batch<Engine>, nb::arg("texts").none(), nb::kw_only(), nb::arg("num_threads") = 8,
             nb::sig("def count_batch(self, texts: collections.abc.Iterable[str | bytes], *, num_threads: int = 8) -> list[int]"),
             "`count` of each text, in order.")
        .def("encode_ordinary_batch", &encode_batch<Engine>, nb::arg("text").none(), nb::kw_only(), nb::arg("num_threads") = 8,
             nb::sig("def encode_ordinary_batch(self, text: collections.abc.Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]"),
             "`encode_ordinary` of each text, in order.")
        .def("_fitting", &truncate_fast, nb::arg("text").none(), nb::arg("most"), nb::arg("head"),
             nb::sig("def _fitting(self, text: str | bytes, most: int, head: bool) -> str | bytes"))
        .def("encode_piece", &encode_piece, nb::arg("piece"), nb::sig("def encode_piece(self, piece: bytes) -> list[int]"),
             "The ids of one pre-token, whatever the scanner would make of it.");

    module.def("has_lone_surrogates", &has_lone_surrogates, nb::arg("text").none(), nb::sig("def has_lone_surrogates(text: str | bytes) -> bool"),
               "Whether `text` is a str that no UTF-8 stands for.");
    module.def("character_starts", &character_starts, nb::arg("characters"), nb::arg("starts"),
               nb::sig("def character_starts(characters: str, starts: list[int]) -> list[int]"),
               "The numbers of the characters that ascending offsets into their UTF-8 are in.");
    module.def(
        "has_scanner", [](const std::string& name) { return scanner_named(name) != nullptr; }, nb::arg("name"),
        "Whether the core knows the grammar of this name.");
}

}  // namespace bpe::bindings
