// The models that are no byte-pair encoding, one pre-token at a time.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <cmath>
#include <string>

#include "bpe/files/tokenizer_files.hpp"
#include "bpe/models/unigram.hpp"
#include "bpe/models/word_level.hpp"
#include "bpe/models/word_piece.hpp"
#include "text.hpp"

namespace bpe::bindings {

namespace {

Bytes view(const nb::bytes& data) { return {reinterpret_cast<const Byte*>(data.c_str()), data.size()}; }

std::uint32_t id_of(nb::handle given) {
    std::uint32_t id = 0;
    if (!PyLong_Check(given.ptr()) || !nb::try_cast(given, id)) {
        nb::object const shown = nb::str("a token id is a whole number from 0 to 4294967295, not {!r:.80}").attr("format")(given);
        PyErr_SetObject(PyLong_Check(given.ptr()) ? PyExc_ValueError : PyExc_TypeError, shown.ptr());
        throw nb::python_error();
    }
    return id;
}

std::optional<std::uint32_t> optional_id(nb::handle given) {
    if (given.is_none()) return std::nullopt;
    return id_of(given);
}

// Tokens as Python has them. Keeps them alive.
struct Tokens {
    nb::list owners;
    std::vector<Bytes> bytes;
    std::vector<std::uint32_t> ids;
    std::vector<double> scores;

    void add(nb::handle token, nb::handle id) {
        if (!PyBytes_Check(token.ptr())) {
            nb::object const shown = nb::str("a token must be bytes, not {!r:.80}").attr("format")(token);
            PyErr_SetObject(PyExc_TypeError, shown.ptr());
            throw nb::python_error();
        }
        owners.append(token);
        bytes.push_back(view(nb::borrow<nb::bytes>(token)));
        ids.push_back(id_of(id));
    }

    void add_score(nb::handle given) {
        double const score = PyFloat_AsDouble(given.ptr());
        if (score == -1 && PyErr_Occurred()) throw nb::python_error();
        if (std::isnan(score)) {
            nb::object const shown = nb::str("the score of the token {!r:.80} is not a number").attr("format")(owners[owners.size() - 1]);
            PyErr_SetObject(PyExc_ValueError, shown.ptr());
            throw nb::python_error();
        }
        scores.push_back(score);
    }
};

Tokens tokens_of(nb::dict given) {
    Tokens tokens;
    for (auto const [token, id] : given) tokens.add(token, id);
    return tokens;
}

// From tuples of a token, its id and its score.
Tokens scored_tokens_of(nb::iterable given) {
    Tokens tokens;
    for (nb::handle entry : given) {
        if (!PyTuple_Check(entry.ptr()) || PyTuple_Size(entry.ptr()) != 3) {
            nb::object const shown = nb::str("a token of Unigram is a tuple of bytes, id and score, not {!r:.80}").attr("format")(entry);
            PyErr_SetObject(PyExc_TypeError, shown.ptr());
            throw nb::python_error();
        }
        tokens.add(PyTuple_GetItem(entry.ptr(), 0), PyTuple_GetItem(entry.ptr(), 1));
        tokens.add_score(PyTuple_GetItem(entry.ptr(), 2));
    }
    return tokens;
}

// Tokens that the core has read.
Tokens tokens_of(const files::TokenTables& tables) {
    Tokens tokens;
    for (std::size_t number = 0; number < tables.size(); ++number) {
        tokens.bytes.push_back(tables.text(number));
        tokens.ids.push_back(tables.id(number));
    }
    tokens.scores = tables.scores();
    return tokens;
}

template <class Given>
void make_word_level(WordLevelModel* self, const Given& given, nb::object unknown) {
    Tokens const tokens = tokens_of(given);
    new (self) WordLevelModel(tokens.bytes, tokens.ids, optional_id(unknown));
}

template <class Given>
void make_word_piece(WordPieceModel* self, const Given& given, nb::object unknown, nb::bytes prefix, nb::object most) {
    WordPieceOptions options{view(prefix), optional_id(unknown)};
    options.most_characters = PyLong_AsSize_t(most.ptr());
    if (options.most_characters == static_cast<std::size_t>(-1) && PyErr_Occurred()) throw nb::python_error();
    if constexpr (std::is_same_v<Given, files::TokenTables>) {
        if (given.as_read()) {
            new (self) WordPieceModel(given.as_read(), options);
            return;
        }
    }
    Tokens const tokens = tokens_of(given);
    new (self) WordPieceModel(tokens.bytes, tokens.ids, options);
}

Tokens scored(nb::iterable given) { return scored_tokens_of(given); }

Tokens scored(const files::TokenTables& tables) {
    if (tables.scores().empty()) throw nb::value_error("tokens without scores");
    return tokens_of(tables);
}

template <class Given>
void make_unigram(UnigramModel* self, const Given& given, nb::object unknown, nb::dict bytes, nb::iterable user_defined, const std::string& like) {
    Tokens const tokens = scored(given);
    UnigramOptions options;
    if (like == "sentencepiece") options.flavor = UnigramOptions::Flavor::sentencepiece;
    else if (like != "tokenizers") throw nb::value_error("like is 'tokenizers' or 'sentencepiece'");
    if (options.flavor == UnigramOptions::Flavor::sentencepiece)
        for (double const score : tokens.scores)
            if (!std::isfinite(static_cast<float>(score))) throw nb::value_error("sentencepiece takes no score that is infinite as a float");
    options.unknown = optional_id(unknown);
    for (auto const [byte, id] : bytes) {
        std::uint32_t const value = id_of(byte);
        if (value > 255) throw nb::value_error("a byte is a whole number from 0 to 255");
        options.bytes[value] = id_of(id);
    }
    for (nb::handle id : user_defined) options.user_defined.push_back(id_of(id));
    new (self) UnigramModel(tokens.bytes, tokens.ids, tokens.scores, options);
}

nb::list to_list(const std::vector<std::uint32_t>& numbers) {
    nb::list list;
    for (std::uint32_t const number : numbers) list.append(number);
    return list;
}

nb::list encode(const PieceModel& self, nb::bytes piece) {
    std::vector<std::uint32_t> ids;
    {
        gil::Released const released(piece.size());
        self.encode(view(piece), ids, nullptr);
    }
    return to_list(ids);
}

nb::list encode_with_lengths(const PieceModel& self, nb::bytes piece) {
    std::vector<std::uint32_t> ids, lengths;
    {
        gil::Released const released(piece.size());
        self.encode(view(piece), ids, &lengths);
    }
    nb::list pairs;
    for (std::size_t index = 0; index < ids.size(); ++index) pairs.append(nb::make_tuple(ids[index], lengths[index]));
    return pairs;
}

std::size_t count(const PieceModel& self, nb::bytes piece) {
    gil::Released const released(piece.size());
    return self.count(view(piece));
}

void extend(GrowingPiece& self, nb::bytes more) { self.extend(view(more)); }

void truncate(GrowingPiece& self, std::size_t size) {
    if (size > self.size()) throw nb::value_error("a piece is cut back to at most its own size");
    self.truncate(size);
}

}  // namespace

void define_models(nb::module_& module) {
    nb::class_<GrowingPiece>(module, "GrowingPiece", "A pre-token that grows to the right, and the number of its tokens.")
        .def("extend", extend, nb::arg("more"), nb::sig("def extend(self, more: bytes) -> None"), "Add bytes at the end.")
        .def("truncate", truncate, nb::arg("size"), "Cut back to the first `size` bytes.")
        .def("__len__", &GrowingPiece::size)
        .def("count", &GrowingPiece::count, "The number of tokens, as if the piece ended here.")
        .def("fewest", &GrowingPiece::fewest, "A lower bound for the count of this piece and of every continuation.");

    nb::class_<PieceModel>(module, "PieceModel", "One pre-token -> token ids.")
        .def("encode", encode, nb::arg("piece"), nb::sig("def encode(self, piece: bytes) -> list[int]"), "The token ids of a pre-token.")
        .def("encode_with_lengths", encode_with_lengths, nb::arg("piece"), nb::sig("def encode_with_lengths(self, piece: bytes) -> list[tuple[int, int]]"),
             "Each token id with the number of bytes it covers.")
        .def("count", count, nb::arg("piece"), nb::sig("def count(self, piece: bytes) -> int"), "The number of tokens of a pre-token.")
        .def(
            "growing", [](const PieceModel& self) { return self.growing(Side::right); }, nb::keep_alive<0, 1>(),
            nb::sig("def growing(self) -> GrowingPiece | None"), "An empty pre-token that grows; None where encoding anew is as good.");

    nb::class_<WordLevelModel, PieceModel>(module, "WordLevelModel", "A pre-token is one token as a whole, or the unknown token.")
        .def("__init__", make_word_level<nb::dict>, nb::arg("tokens"), nb::kw_only(), nb::arg("unknown").none(),
             nb::sig("def __init__(self, tokens: dict[bytes, int], *, unknown: int | None) -> None"))
        .def("__init__", make_word_level<files::TokenTables>, nb::arg("tokens"), nb::kw_only(), nb::arg("unknown").none(),
             nb::sig("def __init__(self, tokens: TokenTables, *, unknown: int | None) -> None"));

    nb::class_<WordPieceModel, PieceModel>(module, "WordPieceModel", "The longest token first, inside words those with a prefix.")
        .def("__init__", make_word_piece<nb::dict>, nb::arg("tokens"), nb::kw_only(), nb::arg("unknown").none(), nb::arg("prefix"), nb::arg("most_characters"),
             nb::sig("def __init__(self, tokens: dict[bytes, int], *, unknown: int | None, prefix: bytes, most_characters: int) -> None"))
        .def("__init__", make_word_piece<files::TokenTables>, nb::arg("tokens"), nb::kw_only(), nb::arg("unknown").none(), nb::arg("prefix"),
             nb::arg("most_characters"),
             nb::sig("def __init__(self, tokens: TokenTables, *, unknown: int | None, prefix: bytes, most_characters: int) -> None"));

    nb::class_<UnigramModel, PieceModel>(module, "UnigramModel", "The tokens with the highest sum of scores.")
        .def("__init__", make_unigram<files::TokenTables>, nb::arg("tokens"), nb::kw_only(), nb::arg("unknown").none(), nb::arg("bytes"),
             nb::arg("user_defined"), nb::arg("like"),
             nb::sig("def __init__(self, tokens: TokenTables, *, unknown: int | None, bytes: dict[int, int], "
                     "user_defined: Iterable[int], like: str) -> None"),
             "As below, of tokens that the core has read.")
        .def("__init__", make_unigram<nb::iterable>, nb::arg("tokens"), nb::kw_only(), nb::arg("unknown").none(), nb::arg("bytes"), nb::arg("user_defined"),
             nb::arg("like"),
             nb::sig("def __init__(self, tokens: Iterable[tuple[bytes, int, float]], *, unknown: int | None, bytes: dict[int, int], "
                     "user_defined: Iterable[int], like: str) -> None"),
             "`tokens` are bytes, id and score; of equal ones the last counts. `like` is \"tokenizers\" or \"sentencepiece\"; `bytes` are the tokens of single "
             "bytes, `user_defined` the ids of user-defined ones.");
}

}  // namespace bpe::bindings
