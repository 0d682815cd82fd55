#include "engine.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <numeric>
#include <string>
#include <system_error>
#include <thread>

#include "batches.hpp"
#include "bpe/limits.hpp"
#include "bpe/merge_order.hpp"
#include "references.hpp"

namespace bpe::bindings {

namespace {

// Owns ids and shows them by the buffer protocol, as unsigned 32-bit integers.
struct TokenBuffer {
    std::vector<std::uint32_t> ids;
};

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
    if (flags & PyBUF_WRITABLE) {
        PyErr_SetString(PyExc_BufferError, "token ids are read-only");
        return -1;
    }
    if (!nb::inst_ready(self)) {
        PyErr_SetString(PyExc_BufferError, "there are no token ids: only encode_to_buffer makes a TokenBuffer");
        return -1;
    }
    auto& ids = nb::inst_ptr<TokenBuffer>(self)->ids;
    static std::uint32_t nothing = 0;
    static Py_ssize_t stride = 4;
    auto* const shape = new Py_ssize_t(static_cast<Py_ssize_t>(ids.size()));
    view->buf = ids.empty() ? &nothing : ids.data();
    view->obj = self;
    Py_INCREF(self);
    view->len = *shape * 4;
    view->itemsize = 4;
    view->readonly = 1;
    view->ndim = 1;
    view->format = const_cast<char*>("I");
    view->shape = shape;
    view->strides = &stride;
    view->suboffsets = nullptr;
    view->internal = shape;
    return 0;
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Py_ssize_t*>(view->internal); }

PyType_Slot buffer_slots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)},
    {Py_bf_releasebuffer, reinterpret_cast<void*>(release_buffer)},
    {0, nullptr},
};

[[noreturn]] void raise_vocabulary_error(const VocabularyError& error, const std::vector<Bytes>& tokens, const TokenSet& set) {
    nb::object const type = nb::module_::import_("bpe_engine.errors").attr("VocabularyError");
    nb::object const half = nb::repr(to_python({reinterpret_cast<const Byte*>(error.half.data()), error.half.size()}));
    nb::object message;
    if (error.kind == VocabularyError::Kind::damaged) {
        message = tokens.empty() ? nb::object(nb::str("the packed tokens are damaged"))
                                 : nb::object(nb::str("the token {} (id {}) is empty, stands twice, or is not made of its halves")
                                                  .attr("format")(nb::repr(to_python(tokens[error.token])), set.id(error.token)));
    } else {
        Bytes const token = tokens[error.token];
        nb::object const shown = nb::repr(to_python(token));
        if (error.kind == VocabularyError::Kind::later_half) {
            Bytes const bytes{reinterpret_cast<const Byte*>(error.half.data()), error.half.size()};
            auto const later = static_cast<Rank>(std::find(tokens.begin(), tokens.end(), bytes) - tokens.begin());
            message =
                nb::str("ids are not in merge order: {} (id {}) is merged from {} (id {})").attr("format")(shown, set.id(error.token), half, set.id(later));
        } else {
            message = nb::str("the token {} (id {}) holds the byte {}, which is no token").attr("format")(shown, set.id(error.token), half);
        }
    }
    PyErr_SetObject(type.ptr(), message.ptr());
    throw nb::python_error();
}

TokenSet from_planes(nb::bytes planes) {
    Bytes const bytes{reinterpret_cast<const Byte*>(planes.c_str()), planes.size()};
    try {
        WithoutGil const released(bytes.size);
        return {Dictionary::from_planes(bytes), {}};
    } catch (const VocabularyError& error) {
        raise_vocabulary_error(error, {}, {});
    }
}

// Bytes that stay those of the list.
std::vector<Bytes> views_of(const nb::list& tokens) {
    std::vector<Bytes> all;
    all.reserve(nb::len(tokens));
    std::size_t total = 0;
    for (nb::handle token : tokens) {
        if (!PyBytes_Check(token.ptr())) given::raise_type("a token", "bytes", token);
        auto const bytes = nb::borrow<nb::bytes>(token);
        all.push_back({reinterpret_cast<const Byte*>(bytes.c_str()), bytes.size()});
        total += bytes.size();
    }
    if (total > std::numeric_limits<std::uint32_t>::max()) throw nb::value_error("the tokens have 4 GB or more");
    return all;
}

std::vector<Rank> numbers_of(const nb::list& numbers, const char* what) {
    std::vector<Rank> all;
    all.reserve(nb::len(numbers));
    for (nb::handle number : numbers) all.push_back(static_cast<Rank>(given::number(number, what, 0, std::numeric_limits<std::uint32_t>::max() - 1)));
    return all;
}

// A set without tokens as yet, whose ids are in any order.
TokenSet with_ids(const nb::list& tokens, const nb::list& ids) {
    given::same_length(tokens, "tokens", ids, "ids");
    TokenSet set;
    set.ids = numbers_of(ids, "an id");
    set.by_id.resize(set.ids.size());
    std::iota(set.by_id.begin(), set.by_id.end(), Rank{0});
    std::sort(set.by_id.begin(), set.by_id.end(), [&](Rank one, Rank other) { return set.ids[one] < set.ids[other]; });
    auto const same = std::adjacent_find(set.by_id.begin(), set.by_id.end(), [&](Rank one, Rank other) { return set.ids[one] == set.ids[other]; });
    if (same != set.by_id.end()) given::raise(PyExc_ValueError, "two tokens have the id %u", static_cast<unsigned>(set.ids[*same]));
    return set;
}

// Calls `make` for the dictionary, and says what was wrong in terms of ids.
template <class Make>
TokenSet made(TokenSet set, const std::vector<Bytes>& tokens, Make&& make) {
    try {
        set.dictionary = make();
    } catch (const VocabularyError& error) {
        raise_vocabulary_error(error, tokens, set);
    }
    bool identity = true;
    for (std::size_t rank = 0; rank < set.ids.size(); ++rank) identity &= set.ids[rank] == rank;
    if (identity) set.ids.clear();
    return set;
}

// `tokens` in merge order.
TokenSet from_tokens(nb::list tokens, nb::list ids) {
    std::vector<Bytes> const all = views_of(tokens);
    return made(with_ids(tokens, ids), all, [&] { return Dictionary::from_tokens(all); });
}

[[noreturn]] void raise_too_intricate(const TooIntricate& error, Bytes token) {
    nb::object const shown = nb::repr(to_python(token));
    nb::object message;
    switch (error.kind) {
    case TooIntricate::Kind::equal_ranks:
        message = nb::str("too many merges of equal rank, {:.80} among them: more than {} pairs").attr("format")(shown, most_neighbours);
        break;
    case TooIntricate::Kind::steps: message = nb::str("tokens merge in no order, and {:.80} takes more than {} steps").attr("format")(shown, deepest); break;
    case TooIntricate::Kind::depth:
        message = nb::str("tokens merge in no order, and {:.80} is merged in more than {} steps at one end").attr("format")(shown, deepest);
    }
    PyErr_SetObject(nb::module_::import_("bpe_engine.errors").attr("VocabularyError").ptr(), message.ptr());
    throw nb::python_error();
}

TokenSet from_ranks(nb::list tokens, nb::list ids, nb::list ranks) {
    std::vector<Bytes> const all = views_of(tokens);
    given::same_length(tokens, "tokens", ranks, "ranks");
    std::vector<Rank> const numbers = numbers_of(ranks, "a rank");
    TokenSet set = with_ids(tokens, ids);
    Dictionary::Ranked found;
    try {
        WithoutGil const released(all.size());
        found = Dictionary::from_ranks(all, numbers);
    } catch (const VocabularyError& error) {
        raise_vocabulary_error(error, all, set);
    } catch (const TooIntricate& error) {
        raise_too_intricate(error, all[error.token]);
    }
    bool identity = true;
    std::vector<std::uint32_t> arranged;
    arranged.reserve(all.size());
    for (Rank const token : found.order) {
        identity &= set.ids[token] == arranged.size();
        arranged.push_back(set.ids[token]);
    }
    for (Rank rank = 0; rank < found.order.size(); ++rank) set.is_rearranged |= found.order[rank] != rank;
    std::vector<Rank> rank_of(all.size());
    for (Rank rank = 0; rank < found.order.size(); ++rank) rank_of[found.order[rank]] = rank;
    for (Rank& token : set.by_id) token = rank_of[token];
    set.ids = identity ? std::vector<std::uint32_t>{} : std::move(arranged);
    set.dictionary = std::move(found.dictionary);
    set.in_order = found.disorder.in_order;
    set.crossings = std::move(found.disorder.crossings);
    set.is_rearranged |= !set.in_order || !set.crossings.empty();
    return set;
}

nb::object pair_or_none(Halves pair) {
    if (pair.left == no_rank) return nb::none();
    return nb::make_tuple(pair.left, pair.right);
}

// The fields of Reordered in bpe_engine/fallback/merge_order.py, without the ranks.
nb::object arrangement(const TokenSet& self) {
    if (!self.is_rearranged) return nb::none();
    nb::list tokens, ids, halves, crossings;
    for (Rank rank = 0; rank < self.dictionary->size(); ++rank) {
        tokens.append(to_python(self.dictionary->bytes(rank)));
        ids.append(self.id(rank));
        halves.append(pair_or_none(self.dictionary->halves(rank)));
    }
    for (Halves const pair : self.crossings) crossings.append(pair_or_none(pair));
    return nb::make_tuple(tokens, ids, halves, self.in_order, crossings);
}

nb::list halves_of(nb::list tokens, nb::list priorities) {
    std::vector<Bytes> const all = views_of(tokens);
    given::same_length(tokens, "tokens", priorities, "priorities");
    std::vector<Halves> found;
    try {
        found = Dictionary::halves_of(all, numbers_of(priorities, "a priority"));
    } catch (const VocabularyError& error) {
        raise_vocabulary_error(error, all, TokenSet{});
    }
    nb::list result;
    for (Halves const pair : found) result.append(pair_or_none(pair));
    return result;
}

nb::object count(const Engine& self, nb::handle text) {
    Text const given(text);
    std::size_t found;
    {
        WithoutGil const released(given.bytes().size);
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
        WithoutGil const released(given.bytes().size);
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
        WithoutGil const released(bytes.size);
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

nb::object split(const Engine& self, nb::handle text) {
    Text const given(text);
    Bytes const bytes = given.bytes();
    nb::list pieces;
    auto const add = [&](std::size_t start, std::size_t end) { pieces.append(decoded(bytes.part(start, end), "surrogateescape")); };
    if (self.encoder()->scanner()) for_each_pretoken(*self.encoder()->scanner(), bytes.data, 0, bytes.size, add);
    else if (bytes.size > 0) add(0, bytes.size);
    return pieces;
}

nb::object count_batch(const Engine& self, nb::handle texts, Py_ssize_t num_threads) {
    std::size_t const threads = threads_of(num_threads);
    std::vector<Text> const all = all_texts(texts);
    std::vector<std::size_t> counts(all.size());
    {
        WithoutGil const released(WithoutGil::worth_it);
        in_threads(all.size(), threads, [&](std::size_t index) { counts[index] = self.encoder()->count(all[index].bytes()); });
    }
    nb::list result;
    for (std::size_t const found : counts) result.append(found);
    return result;
}

nb::object encode_ordinary_batch(const Engine& self, nb::handle texts, Py_ssize_t num_threads) {
    std::size_t const threads = threads_of(num_threads);
    std::vector<Text> const all = all_texts(texts);
    std::vector<std::vector<std::uint32_t>> ids(all.size());
    {
        WithoutGil const released(WithoutGil::worth_it);
        in_threads(all.size(), threads, [&](std::size_t index) { self.encoder()->encode(all[index].bytes(), ids[index]); });
    }
    nb::list result;
    for (auto const& found : ids) result.append(self.to_list(found));
    return result;
}

// The bytes of the token with an id; None where no token has it.
nb::object bytes_of(const TokenSet& self, nb::handle id) {
    int overflow = 0;
    long long const value = PyLong_AsLongLongAndOverflow(id.ptr(), &overflow);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    if (overflow || value < 0) return nb::none();
    Rank const rank = self.rank(static_cast<std::uint64_t>(value));
    return rank == no_rank ? nb::none() : nb::object(to_python(self.dictionary->bytes(rank)));
}

nb::object id_of(const TokenSet& self, nb::bytes token) {
    Rank const rank = self.dictionary->find({reinterpret_cast<const Byte*>(token.c_str()), token.size()});
    return rank == no_rank ? nb::none() : nb::object(nb::int_(self.id(rank)));
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

nb::object memory_view(std::vector<std::uint32_t> ids) {
    nb::object const buffer = nb::cast(TokenBuffer{std::move(ids)});
    PyObject* const view = PyMemoryView_FromObject(buffer.ptr());
    if (!view) throw nb::python_error();
    return nb::steal(view);
}

Rank TokenSet::rank(std::uint64_t id) const {
    if (ids.empty()) return id < dictionary->size() ? static_cast<Rank>(id) : no_rank;
    auto const found = std::lower_bound(by_id.begin(), by_id.end(), id, [this](Rank rank, std::uint64_t wanted) { return ids[rank] < wanted; });
    return found != by_id.end() && ids[*found] == id ? *found : no_rank;
}

Engine::Engine(TokenSet tokens, const Scanner* scanner)
    : tokens_(std::move(tokens)), encoder_(std::make_shared<const Encoder>(tokens_.dictionary, scanner, tokens_.ids)) {}

Engine::~Engine() {
    for (PyObject* const known : ints_) Py_XDECREF(known);
}

std::vector<std::uint32_t> Engine::encode(Bytes text) const {
    std::vector<std::uint32_t> ids;
    WithoutGil const released(text.size);
    encoder_->encode(text, ids);
    return ids;
}

nb::object Engine::to_list(const std::vector<std::uint32_t>& ids) const {
    PyObject* const list = PyList_New(static_cast<Py_ssize_t>(ids.size()));
    if (!list) throw nb::python_error();
    nb::object result = nb::steal(list);
    if (ints_.empty()) ints_.resize(tokens_.dictionary->size(), nullptr);
    Py_ssize_t place = 0;
    for (std::uint32_t const id : ids) {
        PyObject* number;
        if (id < ints_.size()) {
            PyObject*& known = ints_[id];
            if (!known) known = PyLong_FromUnsignedLong(id);
            number = known;
            Py_XINCREF(number);
        } else {
            number = PyLong_FromUnsignedLong(id);
        }
        if (!number) throw nb::python_error();
        PyList_SetItem(list, place++, number);
    }
    return result;
}

void define_engine(nb::module_& module) {
    nb::class_<TokenBuffer>(module, "TokenBuffer", nb::type_slots(buffer_slots), "Token ids, by the buffer protocol.");

    nb::class_<TokenSet>(module, "TokenSet", "The tokens of a vocabulary. Tokenizers over the same tokens share one.")
        .def_static("from_planes", &from_planes, nb::arg("planes"), "From the packed form of an embedded vocabulary.")
        .def_static("from_tokens", &from_tokens, nb::arg("tokens"), nb::arg("ids"), nb::sig("def from_tokens(tokens: list[bytes], ids: list[int]) -> TokenSet"),
                    "From tokens in merge order. Raises VocabularyError where one comes before its halves.")
        .def_static("from_ranks", &from_ranks, nb::arg("tokens"), nb::arg("ids"), nb::arg("ranks"),
                    nb::sig("def from_ranks(tokens: list[bytes], ids: list[int], ranks: list[int]) -> TokenSet"),
                    "From tokens with their ids and merge ranks, of which the lowest merges first, the leftmost of equals.")
        .def("arrangement", &arrangement,
             nb::sig("def arrangement(self) -> tuple[list[bytes], list[int], list[tuple[int, int] | None], bool, list[tuple[int, int]]] | None"),
             "The tokens in the order of merging, their ids and halves, whether each comes behind its halves, and the crossings "
             "(bpe_engine/fallback/merge_order.py); None where they were given in that order.")
        .def("__len__", [](const TokenSet& self) { return self.dictionary->size(); })
        .def("bytes_of", &bytes_of, nb::arg("token"), nb::sig("def bytes_of(self, token: int) -> bytes | None"),
             "The bytes of the token with an id; None where no token has it.")
        .def("id_of", &id_of, nb::arg("token"), nb::sig("def id_of(self, token: bytes) -> int | None"),
             "The id of the token that is exactly these bytes; None where there is none.")
        .def("largest_id",
             [](const TokenSet& self) -> std::int64_t {
                 std::size_t const size = self.dictionary->size();
                 if (size == 0) return -1;
                 return self.ids.empty() ? static_cast<std::int64_t>(size) - 1 : std::int64_t{self.ids[self.by_id.back()]};
             })
        .def(
            "sorted_tokens",
            [](const TokenSet& self) {
                std::vector<Bytes> all;
                for (Rank rank = 0; rank < self.dictionary->size(); ++rank) all.push_back(self.dictionary->bytes(rank));
                std::sort(all.begin(), all.end(), [](Bytes one, Bytes other) {
                    int const order = std::memcmp(one.data, other.data, std::min(one.size, other.size));
                    return order != 0 ? order < 0 : one.size < other.size;
                });
                nb::list result;
                for (Bytes const token : all) result.append(to_python(token));
                return result;
            },
            nb::sig("def sorted_tokens(self) -> list[bytes]"), "The bytes of all tokens, in ascending order.")
        .def(
            "halves",
            [](const TokenSet& self) {
                nb::list result;
                for (Rank place = 0; place < self.dictionary->size(); ++place) {
                    Rank const rank = self.ids.empty() ? place : self.by_id[place];
                    Halves const halves = self.dictionary->halves(rank);
                    if (self.dictionary->reachable(rank)) result.append(nb::make_tuple(self.id(halves.left), self.id(halves.right)));
                    else result.append(nb::none());
                }
                return result;
            },
            nb::sig("def halves(self) -> list[tuple[int, int] | None]"),
            "For each token, in the order of ids, the ids of the two that it is merged from: its own, where it is one byte; None where no merge makes it.");

    module.def("halves_of", &halves_of, nb::arg("tokens"), nb::arg("priorities"),
               nb::sig("def halves_of(tokens: list[bytes], priorities: list[int]) -> list[tuple[int, int] | None]"),
               "For each token the places of the two that it is merged from, of two merges the one of the lower priority first, the leftmost of equals: its "
               "own twice, where it is one byte; None where no merge makes it.");

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
        .def("count_up_to", &count_up_to, nb::arg("text").none(), nb::arg("limit"),
             nb::sig("def count_up_to(self, text: str | bytes, limit: int) -> int | None"),
             "The number of tokens of `text`, None if it is above `limit`. Stops reading soon after the limit.")
        .def("split", &split, nb::arg("text").none(), nb::sig("def split(self, text: str | bytes) -> list[str]"),
             "The pre-tokens of `text`: no token crosses from one to the next. Bytes that are not UTF-8 show as U+DC80..U+DCFF.")
        .def("count_batch", &count_batch, nb::arg("texts").none(), nb::kw_only(), nb::arg("num_threads") = 8,
             nb::sig("def count_batch(self, texts: collections.abc.Iterable[str | bytes], *, num_threads: int = 8) -> list[int]"),
             "`count` of each text, in order.")
        .def("encode_ordinary_batch", &encode_ordinary_batch, nb::arg("text").none(), nb::kw_only(), nb::arg("num_threads") = 8,
             nb::sig("def encode_ordinary_batch(self, text: collections.abc.Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]"),
             "`encode_ordinary` of each text, in order.")
        .def("_fitting", &truncate_fast, nb::arg("text").none(), nb::arg("most"), nb::arg("head"),
             nb::sig("def _fitting(self, text: str | bytes, most: int, head: bool) -> str | bytes"))
        .def("encode_piece", &encode_piece, nb::arg("piece"), nb::sig("def encode_piece(self, piece: bytes) -> list[int]"),
             "The ids of one pre-token, whatever the scanner would make of it.");

    module.def("has_lone_surrogates", &has_lone_surrogates, nb::arg("text").none(), nb::sig("def has_lone_surrogates(text: str | bytes) -> bool"),
               "Whether `text` is a str that no UTF-8 stands for.");
    module.def(
        "has_scanner", [](const std::string& name) { return scanner_named(name) != nullptr; }, nb::arg("name"),
        "Whether the core knows the grammar of this name.");
}

}  // namespace bpe::bindings
