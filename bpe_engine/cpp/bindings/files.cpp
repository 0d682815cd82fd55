// The long parts of tokenizer files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <bitset>
#include <optional>
#include <string>

#include "bpe/files/tokenizer_files.hpp"
#include "bpe/ranking.hpp"
#include "given.hpp"
#include "text.hpp"

namespace bpe::bindings {

namespace {

using files::PieceFile;
using files::TokenTables;
using files::VocabularyFile;

nb::object shown(const TokenTables& tables, Bytes text) { return tables.as_bytes() ? nb::object(to_python(text)) : decoded(text, "strict"); }

Bytes view(const nb::bytes& data) { return {reinterpret_cast<const Byte*>(data.c_str()), data.size()}; }

// The result of a reader; None if another reader has to say what is wrong.
template <class Read>
auto readable(const nb::bytes& data, Read&& read) -> std::optional<decltype(read(Bytes{}))> {
    try {
        gil::Released const released(data.size());
        return read(view(data));
    } catch (const files::Unreadable&) {
        return std::nullopt;
    }
}

nb::object number(std::uint32_t value) { return nb::steal(PyLong_FromUnsignedLong(value)); }

// The UTF-8 of a str; nothing where it has none.
std::optional<Bytes> utf8(nb::handle text) {
    if (!PyUnicode_Check(text.ptr())) given::raise_type("a token", "a str", text);
    Py_ssize_t size = 0;
    const char* const data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (!data) {
        PyErr_Clear();
        return std::nullopt;
    }
    return Bytes{reinterpret_cast<const Byte*>(data), static_cast<std::size_t>(size)};
}

std::uint32_t find(const VocabularyFile& self, nb::handle text) {
    std::optional<Bytes> const found = utf8(text);
    return found ? self.tokens->find(*found) : files::TokenList::none;
}

std::optional<TokenTables> select(const VocabularyFile& self, nb::list left_out, nb::object byte_of) {
    std::vector<Bytes> texts;
    for (nb::handle text : left_out)
        if (std::optional<Bytes> const found = utf8(text)) texts.push_back(*found);
    std::vector<std::int16_t> bytes;
    if (!byte_of.is_none()) {
        if (!PyDict_Check(byte_of.ptr())) given::raise_type("byte_of", "a dict", byte_of);
        for (auto const [character, byte] : nb::borrow<nb::dict>(byte_of)) {
            if (!PyUnicode_Check(character.ptr()) || PyUnicode_GetLength(character.ptr()) != 1)
                given::raise_type("a character", "a str of one character", character);
            std::size_t const code = PyUnicode_ReadChar(character.ptr(), 0);
            if (bytes.size() <= code) bytes.resize(code + 1, -1);
            bytes[code] = static_cast<std::int16_t>(given::number(byte, "a byte", 0, 255));
        }
    }
    try {
        return TokenTables(self, texts, !byte_of.is_none(), bytes);
    } catch (const files::Unreadable&) {
        return std::nullopt;
    }
}

nb::dict tokens(const TokenTables& self) {
    nb::dict made;
    for (std::size_t place = 0; place < self.size(); ++place) made[number(self.id(place))] = shown(self, self.text(place));
    return made;
}

nb::dict texts_only(const TokenTables& self) {
    nb::dict made;
    for (auto const& [id, text] : self.texts_only()) made[number(id)] = shown(self, {text.data(), text.size()});
    return made;
}

nb::list merges(const TokenTables& self) {
    nb::list made;
    for (auto const& [left, right] : self.merges()) made.append(nb::make_tuple(number(left), number(right)));
    return made;
}

nb::object first_merge_of(const TokenTables& self, nb::list ids) {
    std::vector<std::uint32_t> wanted;
    for (nb::handle id : ids) wanted.push_back(static_cast<std::uint32_t>(given::number(id, "an id", 0, 0xFFFFFFFF)));
    std::sort(wanted.begin(), wanted.end());
    // Hardly any other id has the low bits of one that is wanted.
    std::bitset<1 << 16> low_bits;
    for (std::uint32_t const id : wanted) low_bits.set(id & 0xFFFF);
    auto const is_wanted = [&](std::uint32_t id) { return low_bits[id & 0xFFFF] && std::binary_search(wanted.begin(), wanted.end(), id); };
    auto const& merges = self.merges();
    auto const found = std::find_if(merges.begin(), merges.end(), [&](auto const& merge) { return is_wanted(merge.first) || is_wanted(merge.second); });
    return found == merges.end() ? nb::none() : nb::steal(PyLong_FromSsize_t(found - merges.begin()));
}

nb::object read_tekken(nb::bytes data) {
    auto const file = readable(data, files::read_tekken);
    if (!file) return nb::none();
    nb::list made;
    for (std::uint32_t place = 0; place < file->tokens.size(); ++place) made.append(to_python(file->tokens.text(place)));
    return nb::make_tuple(made, to_python({file->rest.data(), file->rest.size()}));
}

nb::object read_tiktoken(nb::bytes data) {
    auto const found = readable(data, files::read_tiktoken);
    if (!found) return nb::none();
    nb::dict made;
    for (std::uint32_t place = 0; place < found->size(); ++place) made[to_python(found->text(place))] = number(found->id(place));
    return made;
}

nb::object shown_piece(const PieceFile& file, std::size_t number) { return decoded(file.text(number), "strict"); }

nb::object kind_of(const PieceFile& file, std::size_t number) { return nb::steal(PyLong_FromUnsignedLongLong(file.kinds[number])); }

nb::list pieces(const PieceFile& self) {
    nb::list made;
    for (std::size_t place = 0; place < self.size(); ++place)
        made.append(nb::make_tuple(shown_piece(self, place), static_cast<double>(self.scores[place]), kind_of(self, place)));
    return made;
}

nb::list unusual_pieces(const PieceFile& self) {
    nb::list made;
    for (std::size_t place = 0; place < self.size(); ++place)
        if (self.kinds[place] != PieceFile::normal)
            made.append(nb::make_tuple(nb::steal(PyLong_FromSize_t(place)), shown_piece(self, place), kind_of(self, place)));
    return made;
}

std::optional<TokenTables> select_pieces(const PieceFile& self, nb::list kinds, bool ranked) {
    std::vector<std::uint64_t> wanted;
    for (nb::handle kind : kinds) wanted.push_back(static_cast<std::uint64_t>(given::number(kind, "a kind", 0, 0xFFFFFFFF)));
    try {
        return TokenTables(self, wanted, ranked);
    } catch (const files::Unreadable&) {
        return std::nullopt;
    }
}

nb::dict scores(const TokenTables& self) {
    nb::dict made;
    for (std::size_t place = 0; place < self.scores().size(); ++place) made[number(self.id(place))] = nb::float_(self.scores()[place]);
    return made;
}

nb::dict ranks(const TokenTables& self) {
    nb::dict made;
    if (self.ranks().empty()) return made;
    std::vector<std::uint32_t> const found = self.ranks_of_made();
    for (std::size_t place = 0; place < found.size(); ++place)
        if (found[place] != TokenTables::no_rank) made[number(self.id(place))] = number(found[place]);
    return made;
}

nb::object made_of_two(nb::list tokens) {
    std::vector<Bytes> texts;
    for (nb::handle token : tokens) {
        std::optional<Bytes> const text = utf8(token);
        if (!text) return nb::none();
        texts.push_back(*text);
    }
    nb::list made;
    try {
        for (std::uint32_t const one : files::made_of_two(texts)) made.append(number(one));
    } catch (const files::Unreadable&) {
        return nb::none();
    }
    return made;
}

nb::tuple rank_by_pairs(nb::list tokens, nb::list merges) {
    std::vector<Bytes> texts;
    texts.reserve(nb::len(tokens));
    for (nb::handle token : tokens) {
        if (!PyBytes_Check(token.ptr())) given::raise_type("a token", "bytes", token);
        texts.push_back(view(nb::borrow<nb::bytes>(token)));
    }
    auto const last = static_cast<std::int64_t>(texts.size()) - 1;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    pairs.reserve(nb::len(merges));
    for (nb::handle merge : merges) {
        if (!PyTuple_Check(merge.ptr()) || PyTuple_Size(merge.ptr()) != 2) given::raise_type("a merge", "a tuple of two", merge);
        auto const side = [&](Py_ssize_t place) { return static_cast<std::uint32_t>(given::number(PyTuple_GetItem(merge.ptr(), place), "a half", 0, last)); };
        pairs.emplace_back(side(0), side(1));
    }
    Ranking found;
    try {
        found = bpe::rank_by_pairs(texts, pairs);
    } catch (const NoSuchToken& error) {
        nb::object const type = nb::module_::import_("bpe_engine.errors").attr("VocabularyError");
        nb::object const message =
            nb::str("merge {} makes {:.80}, which is not a token").attr("format")(error.place, nb::repr(to_python({error.text.data(), error.text.size()})));
        PyErr_SetObject(type.ptr(), message.ptr());
        throw nb::python_error();
    }
    auto const listed = [](const std::vector<std::uint32_t>& numbers) {
        nb::list made;
        for (std::uint32_t const one : numbers) made.append(number(one));
        return made;
    };
    nb::object const disordered = found.disordered ? number(*found.disordered) : nb::none();
    return nb::make_tuple(listed(found.order), disordered, listed(found.blocked), listed(found.unreachable));
}

}  // namespace

void define_files(nb::module_& module) {
    nb::class_<TokenTables>(module, "TokenTables", "The tokens of a file that texts are encoded to, in the order of ids, with their merges, ranks or scores.")
        .def("__len__", &TokenTables::size)
        .def(
            "__contains__",
            [](const TokenTables& self, nb::handle id) {
                std::uint64_t wanted = 0;
                return PyLong_Check(id.ptr()) && nb::try_cast(id, wanted) && self.has_id(wanted);
            },
            nb::arg("id").none(), nb::sig("def __contains__(self, id: object) -> bool"), "Whether a token has this id.")
        .def("tokens", &tokens, nb::sig("def tokens(self) -> dict[int, bytes] | dict[int, str]"), "Id -> token.")
        .def("texts_only", &texts_only, nb::sig("def texts_only(self) -> dict[int, bytes] | dict[int, str]"), "Id -> what is only ever decoded.")
        .def("scores", &scores, nb::sig("def scores(self) -> dict[int, float]"), "Id -> score, where tokens have scores.")
        .def("ranks", &ranks, nb::sig("def ranks(self) -> dict[int, int]"), "Id -> merge rank, of the tokens that have one.")
        .def("merges", &merges, nb::sig("def merges(self) -> list[tuple[int, int]]"), "The merges as pairs of ids.")
        .def_prop_ro(
            "merge_count", [](const TokenTables& self) { return self.merges().size(); }, "How many merges there are.")
        .def("first_merge_of", &first_merge_of, nb::arg("ids"), nb::sig("def first_merge_of(self, ids: list[int]) -> int | None"),
             "The place of the first merge of one of these tokens.");
    nb::class_<VocabularyFile>(module, "VocabularyFile", "The tokens of a tokenizer.json, and its merges or scores.")
        .def("__len__", [](const VocabularyFile& self) { return self.tokens->size(); })
        .def_ro("has_merges", &VocabularyFile::has_merges, "Whether there is a list of merges.")
        .def_prop_ro(
            "has_scores", [](const VocabularyFile& self) { return !self.scores.empty(); }, "Whether tokens have scores.")
        .def_prop_ro(
            "rest", [](const VocabularyFile& self) { return to_python({self.rest.data(), self.rest.size()}); }, nb::sig("def rest(self) -> bytes"),
            "The file with nothing in their place.")
        .def(
            "find",
            [](const VocabularyFile& self, nb::handle text) -> nb::object {
                std::uint32_t const found = find(self, text);
                if (found == files::TokenList::none) return nb::none();
                return number(self.tokens->id(found));
            },
            nb::arg("text"), nb::sig("def find(self, text: str) -> int | None"), "The id of a token; None where there is none.")
        .def(
            "is_merged",
            [](const VocabularyFile& self, nb::handle text) {
                std::uint32_t const found = find(self, text);
                return self.has_merges && found != files::TokenList::none && self.merged[found];
            },
            nb::arg("text"), nb::sig("def is_merged(self, text: str) -> bool"), "Whether a merge makes this token, or takes it.")
        .def("select", &select, nb::arg("left_out"), nb::arg("byte_of").none(),
             nb::sig("def select(self, left_out: list[str], byte_of: dict[str, int] | None) -> TokenTables | None"),
             "All tokens but some, as the bytes that their characters stand for if `byte_of` says so; None where a merge has to do with one that is not among "
             "them.");
    module.def(
        "read_tokenizer_json", [](nb::bytes data) { return readable(data, files::read_tokenizer_json); }, nb::arg("data"),
        nb::sig("def read_tokenizer_json(data: bytes) -> VocabularyFile | None"), "The long parts of a file; None where they are not plain, or not right.");
    module.def("read_tekken", &read_tekken, nb::arg("data"), nb::sig("def read_tekken(data: bytes) -> tuple[list[bytes], bytes] | None"),
               "The tokens of a file by their ranks, and the file with none in their place; None where they are not plain, or not right.");
    module.def("read_tiktoken", &read_tiktoken, nb::arg("data"), nb::sig("def read_tiktoken(data: bytes) -> dict[bytes, int] | None"),
               "Token -> id; None where a line is not plain, or not right.");
    nb::class_<PieceFile>(module, "PieceFile", "The pieces of a SentencePiece model.")
        .def_prop_ro(
            "rest", [](const PieceFile& self) { return to_python({self.rest.data(), self.rest.size()}); }, nb::sig("def rest(self) -> bytes"),
            "The file without them.")
        .def("__len__", &PieceFile::size)
        .def("are_distinct", &PieceFile::are_distinct, "Whether no text occurs twice.")
        .def("pieces", &pieces, nb::sig("def pieces(self) -> list[tuple[str, float, int]]"), "Text, score and kind of each.")
        .def("unusual", &unusual_pieces, nb::sig("def unusual(self) -> list[tuple[int, str, int]]"), "Place, text and kind of those that are no normal pieces.")
        .def("select", &select_pieces, nb::arg("kinds"), nb::arg("ranked"), nb::sig("def select(self, kinds: list[int], ranked: bool) -> TokenTables | None"),
             "The pieces of some kinds, with ranks by their scores or with scores; None where there are none.");
    module.def(
        "read_sentencepiece", [](nb::bytes data) { return readable(data, files::read_sentencepiece); }, nb::arg("data"),
        nb::sig("def read_sentencepiece(data: bytes) -> PieceFile | None"), "The pieces of a model; None where they are not plain, or not right.");
    module.def("made_of_two", &made_of_two, nb::arg("tokens"), nb::sig("def made_of_two(tokens: list[str]) -> list[int] | None"),
               "The places of the tokens that two others make up; None where one has no UTF-8.");
    module.def("rank_by_pairs", &rank_by_pairs, nb::arg("tokens"), nb::arg("merges"),
               nb::sig("def rank_by_pairs(tokens: list[bytes], merges: list[tuple[int, int]]) -> tuple[list[int], int | None, list[int], list[int]]"),
               "What bpe_engine/fallback/ranking.py calls a Ranking, all in places in `tokens`.");
}

}  // namespace bpe::bindings
