// The encodings of one piece of bytes by each algorithm, for tests and for who wants an encoding that is not byte-pair encoding.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>

#include "bpe/merging.hpp"
#include "bpe/other_encodings.hpp"
#include "bpe/token_table.hpp"
#include "engine.hpp"

namespace bpe::bindings {

namespace {

Bytes view(const nb::bytes& data) { return {reinterpret_cast<const Byte*>(data.c_str()), data.size()}; }

nb::list ids(const TokenSet& tokens, const std::vector<Rank>& ranks) {
    nb::list result;
    for (Rank const rank : ranks) result.append(tokens.id(rank));
    return result;
}

nb::list by_backtracking(const TokenSet& tokens, nb::bytes data) {
    Merging merging;
    return ids(tokens, merging.backtrack(*tokens.dictionary, view(data)));
}

nb::list by_heap(const TokenSet& tokens, nb::bytes data) { return ids(tokens, encode_by_heap(*tokens.dictionary, view(data))); }

nb::list by_table(const TokenSet& tokens, nb::bytes data) {
    TokenTable table(*tokens.dictionary, TokenTable::Side::right);
    table.extend(view(data));
    std::vector<Rank> ranks;
    for (std::size_t end = data.size(); end > 0; end -= tokens.dictionary->length(ranks.back())) ranks.push_back(table.last(end));
    std::reverse(ranks.begin(), ranks.end());
    return ids(tokens, ranks);
}

nb::list greedy(const TokenSet& tokens, nb::bytes data) { return ids(tokens, encode_greedy(*tokens.dictionary, view(data))); }

nb::list minimal(const TokenSet& tokens, nb::bytes data) { return ids(tokens, encode_minimal(*tokens.dictionary, view(data))); }

nb::list dropped(const TokenSet& tokens, nb::bytes data, double dropout, std::uint64_t seed) {
    if (!(dropout >= 0 && dropout <= 1)) {
        nb::object const shown = nb::str("dropout must be between 0 and 1, not {}").attr("format")(dropout);
        PyErr_SetObject(PyExc_ValueError, shown.ptr());
        throw nb::python_error();
    }
    return ids(tokens, encode_dropout(*tokens.dictionary, view(data), dropout, seed));
}

}  // namespace

void define_algorithms(nb::module_& module) {
    auto const define = [&](const char* name, nb::list (*function)(const TokenSet&, nb::bytes), const char* doc) {
        std::string const signature = std::string("def ") + name + "(tokens: TokenSet, data: bytes) -> list[int]";
        module.def(name, function, nb::arg("tokens"), nb::arg("data"), nb::sig(signature.c_str()), doc);
    };
    define("encode_by_backtracking", by_backtracking, "The byte-pair encoding of `data` as one pre-token, by backtracking.");
    define("encode_by_heap", by_heap, "The byte-pair encoding of `data` as one pre-token, by its definition.");
    define("encode_by_table", by_table, "The byte-pair encoding of `data` as one pre-token, by the table of last tokens.");
    define("encode_greedy", greedy, "The longest token first, at each place. NOT byte-pair encoding.");
    define("encode_minimal", minimal, "As few tokens as possible. NOT byte-pair encoding.");
    module.def("encode_dropout", dropped, nb::arg("tokens"), nb::arg("data"), nb::arg("dropout"), nb::arg("seed"),
               nb::sig("def encode_dropout(tokens: TokenSet, data: bytes, dropout: float, seed: int) -> list[int]"),
               "Each possible merge is skipped with the probability `dropout`. NOT byte-pair encoding. The same seed gives the same tokens.");
}

}  // namespace bpe::bindings
