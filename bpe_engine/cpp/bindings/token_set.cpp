#include "token_set.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "bpe/limits.hpp"
#include "bpe/merge_order.hpp"
#include "given.hpp"
#include "text.hpp"

namespace bpe::bindings {

namespace {

[[noreturn]] void raise_vocabulary_error(const VocabularyError& error, const std::vector<Bytes>& tokens, const TokenSet& set) {
    nb::object const type = nb::module_::import_("bpe_engine.errors").attr("VocabularyError");
    nb::object const half = nb::repr(to_python({reinterpret_cast<const Byte*>(error.half.data()), error.half.size()}));
    nb::object message;
    if (error.kind == VocabularyError::Kind::damaged) {
        message = tokens.empty() ? nb::object(nb::str("the packed tokens are damaged"))
                                 : nb::object(nb::str("the token {} (id {}) is empty, occurs twice, or is not made of its halves")
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
            message = nb::str("the token {} (id {}) contains the byte {}, which is not a token").attr("format")(shown, set.id(error.token), half);
        }
    }
    PyErr_SetObject(type.ptr(), message.ptr());
    throw nb::python_error();
}

TokenSet from_planes(nb::bytes planes) {
    Bytes const bytes{reinterpret_cast<const Byte*>(planes.c_str()), planes.size()};
    try {
        gil::Released const released(bytes.size);
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
    case TooIntricate::Kind::steps: message = nb::str("the tokens have no merge order: {:.80} takes more than {} steps").attr("format")(shown, deepest); break;
    case TooIntricate::Kind::depth:
        message = nb::str("the tokens have no merge order: {:.80} is merged in more than {} steps at one end").attr("format")(shown, deepest);
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
        gil::Released const released(all.size());
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

// The bytes of the token with an id; None where no token has it.
nb::object bytes_of(const TokenSet& self, nb::handle id) {
    int overflow = 0;
    long long const value = PyLong_AsLongLongAndOverflow(id.ptr(), &overflow);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    if (overflow || value < 0) return nb::none();
    Rank const rank = self.rank(static_cast<std::uint64_t>(value));
    return rank == no_rank ? nb::none() : nb::object(to_python(self.dictionary->bytes(rank)));
}

// The bytes of tokens, joined, `special` ones among them; None where no token has one of the ids, or one is no whole number.
nb::object joined(const TokenSet& self, nb::list tokens, nb::dict special) {
    std::string all;
    for (std::size_t index = 0; index < nb::len(tokens); ++index) {
        nb::object const token = tokens[index];                        // an id may change the list when it is asked for its number
        nb::object const id = nb::steal(PyNumber_Index(token.ptr()));  // numbers of numpy are taken, too
        if (!id.is_valid()) {
            PyErr_Clear();
            return nb::none();
        }
        int overflow = 0;
        long long const value = PyLong_AsLongLongAndOverflow(id.ptr(), &overflow);
        Rank const rank = value < 0 || overflow ? no_rank : self.rank(static_cast<std::uint64_t>(value));
        if (rank != no_rank) {
            Bytes const bytes = self.dictionary->bytes(rank);
            all.append(reinterpret_cast<const char*>(bytes.data), bytes.size);
            continue;
        }
        PyObject* const found = PyDict_GetItemWithError(special.ptr(), id.ptr());
        if (!found && PyErr_Occurred()) throw nb::python_error();
        if (!found) return nb::none();
        if (!PyBytes_Check(found)) given::raise_type("a special token", "bytes", found);
        auto const bytes = nb::borrow<nb::bytes>(found);
        all.append(bytes.c_str(), bytes.size());
    }
    return nb::bytes(all.data(), all.size());
}

// The offset in bytes at which each token of a text starts; the ids are those of the set.
nb::list starts(const TokenSet& self, nb::list tokens) {
    nb::list found;
    std::size_t start = 0;
    for (nb::handle const token : tokens) {
        auto const id = given::number(token, "an id", 0, std::numeric_limits<std::uint32_t>::max());
        Rank const rank = self.rank(static_cast<std::uint64_t>(id));
        if (rank == no_rank) given::raise(PyExc_ValueError, "no token has the id %u", static_cast<unsigned>(id));
        found.append(start);
        start += self.dictionary->bytes(rank).size;
    }
    return found;
}

nb::object id_of(const TokenSet& self, nb::bytes token) {
    Rank const rank = self.dictionary->find({reinterpret_cast<const Byte*>(token.c_str()), token.size()});
    return rank == no_rank ? nb::none() : nb::object(nb::int_(self.id(rank)));
}

}  // namespace

Rank TokenSet::rank(std::uint64_t id) const {
    if (ids.empty()) return id < dictionary->size() ? static_cast<Rank>(id) : no_rank;
    auto const found = std::lower_bound(by_id.begin(), by_id.end(), id, [this](Rank rank, std::uint64_t wanted) { return ids[rank] < wanted; });
    return found != by_id.end() && ids[*found] == id ? *found : no_rank;
}

void define_token_set(nb::module_& module) {
    nb::class_<TokenSet>(module, "TokenSet", "The tokens of a vocabulary. Tokenizers over the same tokens share one.")
        .def_static("from_planes", &from_planes, nb::arg("planes"), "From the packed form of an embedded vocabulary.")
        .def_static("from_tokens", &from_tokens, nb::arg("tokens"), nb::arg("ids"), nb::sig("def from_tokens(tokens: list[bytes], ids: list[int]) -> TokenSet"),
                    "From tokens in merge order. Raises VocabularyError where one comes before its halves.")
        .def_static("from_ranks", &from_ranks, nb::arg("tokens"), nb::arg("ids"), nb::arg("ranks"),
                    nb::sig("def from_ranks(tokens: list[bytes], ids: list[int], ranks: list[int]) -> TokenSet"),
                    "From tokens with their ids and merge ranks, of which the lowest merges first, the leftmost of equals.")
        .def("arrangement", &arrangement,
             nb::sig("def arrangement(self) -> tuple[list[bytes], list[int], list[tuple[int, int] | None], bool, list[tuple[int, int]]] | None"),
             "The tokens in the order of merging, their ids and halves, whether each comes after its halves, and the crossings "
             "(bpe_engine/fallback/merge_order.py); None where they were given in that order.")
        .def("__len__", [](const TokenSet& self) { return self.dictionary->size(); })
        .def("bytes_of", &bytes_of, nb::arg("token"), nb::sig("def bytes_of(self, token: int) -> bytes | None"),
             "The bytes of the token with an id; None where no token has it.")
        .def("joined", &joined, nb::arg("tokens"), nb::arg("special"),
             nb::sig("def joined(self, tokens: list[int], special: dict[int, bytes]) -> bytes | None"),
             "The bytes of tokens, joined, special ones among them; None where no token has one of the ids.")
        .def("starts", &starts, nb::arg("tokens"), nb::sig("def starts(self, tokens: list[int]) -> list[int]"),
             "The offset in bytes at which each token of a text starts.")
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
}

}  // namespace bpe::bindings
