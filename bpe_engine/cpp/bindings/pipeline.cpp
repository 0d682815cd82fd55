// Whole tokenizers: pipelines from their parts, and their methods.
#include "pipeline.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "batches.hpp"
#include "interface.hpp"
#include "pipeline_parts.hpp"
#include "text_parts.hpp"

namespace bpe::bindings {

namespace {

std::string string_of(nb::handle text) {
    Text const given(text);
    return {reinterpret_cast<const char*>(given.bytes().data), given.bytes().size};
}

Behaviour behaviour_named(const std::string& name) {
    if (name == "isolated") return Behaviour::isolated;
    if (name == "without_match") return Behaviour::without_match;
    if (name == "without_gap") return Behaviour::without_gap;
    if (name == "contiguous") return Behaviour::contiguous;
    if (name == "with_previous") return Behaviour::with_previous;
    if (name == "with_next") return Behaviour::with_next;
    throw nb::value_error("no such behaviour");
}

// (name of a scanner | matcher, behaviour) each.
Chain chain_of(nb::handle stages) {
    std::vector<Stage> made;
    for (nb::handle stage : stages) {
        auto const [what, behaviour] = checked<std::pair<nb::object, std::string>>(stage);
        if (PyTuple_Check(what.ptr())) {
            auto const [name, matcher] = checked<std::pair<std::string, SharedMatcher>>(what);
            Scanner const* const scanner = scanner_named(name);
            if (!scanner) throw nb::value_error("no scanner has this name");
            ExpressionMatcher const* const expression = matcher.held->expression();
            if (!expression) throw nb::value_error("the pieces of a scanner are the matches of an expression");
            made.push_back({nullptr, Behaviour::isolated, scanner, expression->shared_program()});
        } else if (PyUnicode_Check(what.ptr())) {
            Scanner const* const scanner = scanner_named(checked<std::string>(what));
            if (!scanner) throw nb::value_error("no scanner has this name");
            made.push_back({nullptr, Behaviour::isolated, scanner});
        } else {
            made.push_back({checked<SharedMatcher>(what).held, behaviour_named(behaviour), nullptr});
        }
    }
    if (made.size() > Chain::most_stages) throw nb::value_error("too many pre-tokenizers in a row");
    return Chain(std::move(made));
}

std::vector<AddedToken> added_tokens_of(nb::handle tokens) {
    std::vector<AddedToken> all;
    for (nb::handle token : tokens) {
        auto const [text, id, special, lstrip, rstrip, single_word, normalized, sought] =
            checked<std::tuple<nb::object, std::uint32_t, bool, bool, bool, bool, bool, nb::object>>(token);
        all.push_back({string_of(text), id, special, lstrip, rstrip, single_word, normalized, string_of(sought)});
        if (all.back().text.empty()) throw nb::value_error("an added token has at least one character");
    }
    return all;
}

// (text, "never" | "first" | "always", space, stages) each.
PieceCoder coder_of(std::shared_ptr<const PieceModel> model, nb::handle insertions) {
    std::vector<Insertion> all;
    std::vector<Chain> chains;
    for (nb::handle insertion : insertions) {
        auto const [text, where, space, stages] = checked<std::tuple<std::string, std::string, std::string, nb::object>>(insertion);
        using Where = Insertion::Where;
        all.push_back({text, where == "never" ? Where::never : where == "first" ? Where::first : Where::always, space});
        chains.push_back(chain_of(stages));
    }
    return PieceCoder(std::move(model), std::move(all), std::move(chains));
}

// Special tokens by number; "all" of them, or None of them. `wanted` holds what is not the engine's own.
const AddedTokens::Wanted& wanted_of(const PipelineEngine& self, nb::handle numbers, AddedTokens::Wanted& wanted) {
    if (numbers.is_none()) return wanted;
    if (PyUnicode_Check(numbers.ptr())) {
        if (checked<std::string>(numbers) != "all") throw nb::value_error("special tokens are wanted by number, or all of them");
        return self.all_special();
    }
    wanted.resize(self.encoder()->added_tokens().size(), 0);
    for (nb::handle number : numbers) {
        auto const index = checked<std::size_t>(number);
        if (index >= wanted.size()) throw nb::index_error("no such added token");
        wanted[index] = 1;
    }
    return wanted;
}

std::size_t count(const PipelineEngine& self, nb::handle text) {
    Text const given(text);
    gil::Released const released(given.bytes().size);
    return self.encoder()->count(given.bytes());
}

std::vector<std::uint32_t> ids_of(const PipelineEngine& self, Bytes text, const AddedTokens::Wanted& wanted) {
    std::vector<std::uint32_t> ids;
    gil::Released const released(text.size);
    self.encoder()->encode(text, ids, wanted);
    return ids;
}

nb::object encode(const PipelineEngine& self, nb::handle text, nb::handle wanted) {
    Text const given(text);
    AddedTokens::Wanted own;
    return self.to_list(ids_of(self, given.bytes(), wanted_of(self, wanted, own)));
}

nb::object encode_to_buffer(const PipelineEngine& self, nb::handle text, nb::handle wanted) {
    Text const given(text);
    AddedTokens::Wanted own;
    return memory_view(ids_of(self, given.bytes(), wanted_of(self, wanted, own)));
}

nb::object encode_with_offsets(const PipelineEngine& self, nb::handle text, nb::handle wanted) {
    Text const given(text);
    std::vector<std::uint32_t> ids, offsets;
    AddedTokens::Wanted own;
    AddedTokens::Wanted const& tokens = wanted_of(self, wanted, own);
    {
        gil::Released const released(given.bytes().size);
        self.encoder()->encode_with_offsets(given.bytes(), ids, offsets, tokens);
    }
    return nb::make_tuple(self.to_list(ids), list_of(offsets));
}

nb::object count_up_to(const PipelineEngine& self, nb::handle text, Py_ssize_t limit) {
    Text const given(text);
    std::optional<std::size_t> found;
    if (limit >= 0) {
        gil::Released const released(given.bytes().size);
        found = self.encoder()->count_up_to(given.bytes(), static_cast<std::size_t>(limit));
    }
    return found ? nb::steal(PyLong_FromSize_t(*found)) : nb::none();
}

nb::list split(const PipelineEngine& self, nb::handle text) {
    Text const given(text);
    std::vector<std::string> pieces;
    {
        gil::Released const released(given.bytes().size);
        self.encoder()->split(given.bytes(), pieces);
    }
    nb::list made;
    for (std::string const& piece : pieces) made.append(decoded({reinterpret_cast<const Byte*>(piece.data()), piece.size()}, "surrogateescape"));
    return made;
}

// The numbers of the added tokens that are written in a text, all of them wanted.
nb::list find_added(const PipelineEngine& self, nb::handle text) {
    Text const given(text);
    std::vector<std::uint32_t> numbers;
    {
        gil::Released const released(given.bytes().size);
        self.encoder()->find_added(given.bytes(), numbers);
    }
    nb::list found;
    for (std::uint32_t const number : numbers) found.append(number);
    return found;
}

// (start, end, id) of each special token that is found, of those wanted; offsets in characters.
nb::list find_special(const PipelineEngine& self, nb::str text, nb::handle wanted) {
    Encoded const given(text);
    AddedTokens::Wanted own;
    SpansInCharacters spans(given.bytes());
    for (Pipeline::Written const& one : self.encoder()->find_special(given.bytes(), wanted_of(self, wanted, own)))
        spans.add(one.start, one.end, self.encoder()->added_tokens()[one.number].id);
    return spans.list();
}

}  // namespace

void define_pipeline(nb::module_& module) {
    define_merge_model(module);
    define_normalizers(module);
    nb::class_<PipelineEngine>(module, "Pipeline", "A whole tokenizer: added tokens, normalizer, pre-tokenizers, model.")
        .def(
            "__init__",
            [](PipelineEngine* self, nb::object added_tokens, std::optional<SharedNormalizer> normalizer, nb::object stages, nb::object insertions,
               std::shared_ptr<PieceModel> model, bool looks_inside, std::optional<SharedNormalizer> second) {
                new (self)
                    PipelineEngine(std::make_shared<const Pipeline>(added_tokens_of(added_tokens), normalizer ? normalizer->held : nullptr, chain_of(stages),
                                                                    coder_of(model, insertions), looks_inside, second ? second->held : nullptr));
            },
            nb::arg("added_tokens"), nb::arg("normalizer").none(), nb::arg("stages"), nb::arg("insertions"), nb::arg("model"), nb::arg("looks_inside") = false,
            nb::arg("second") = nb::none(),
            nb::sig(
                "def __init__(self, added_tokens: collections.abc.Sequence[tuple[str, int, bool, bool, bool, bool, bool, str]], normalizer: Normalizer | None, "
                "stages: collections.abc.Sequence[tuple[str | tuple[str, Matcher] | Matcher, str]], "
                "insertions: collections.abc.Sequence[tuple[str, str, str, collections.abc.Sequence[tuple[str | tuple[str, Matcher] | Matcher, str]]]], model: "
                "PieceModel, looks_inside: bool = False, "
                "second: Normalizer | None = None) -> None"),
            "An added token: text, id, special, lstrip, rstrip, single_word, normalized, and what is looked for where that is another text. With "
            "`looks_inside` the "
            "`normalized` ones are looked for in what the normalizer leaves, and `second` normalizes what stands between them.")
        .def("count", &count, nb::arg("text").none(), nb::sig("def count(self, text: str | bytes) -> int"), "The number of tokens.")
        .def("encode", &encode, nb::arg("text").none(), nb::arg("wanted") = nb::none(),
             nb::sig("def encode(self, text: str | bytes, wanted: collections.abc.Sequence[int] | typing.Literal['all'] | None = None) -> list[int]"),
             "The ids. `wanted`: the numbers of the special tokens that are looked for, in the order in which they were given; or all of them.")
        .def(
            "encode_to_buffer", &encode_to_buffer, nb::arg("text").none(), nb::arg("wanted") = nb::none(),
            nb::sig("def encode_to_buffer(self, text: str | bytes, wanted: collections.abc.Sequence[int] | typing.Literal['all'] | None = None) -> memoryview"))
        .def("encode_with_offsets", &encode_with_offsets, nb::arg("text").none(), nb::arg("wanted") = nb::none(),
             nb::sig("def encode_with_offsets(self, text: str | bytes, wanted: collections.abc.Sequence[int] | typing.Literal['all'] | None = None) -> "
                     "tuple[list[int], list[int]]"),
             "The ids, and for each the offset in bytes of the character that it comes from.")
        .def("interface", &interface<PipelineEngine>, nb::sig("def interface(self) -> object"),
             "For compiled callers: a capsule with the encoders, which keeps this engine.")
        .def("count_up_to", &count_up_to, nb::arg("text").none(), nb::arg("limit"),
             nb::sig("def count_up_to(self, text: str | bytes, limit: int) -> int | None"))
        .def("split", &split, nb::arg("text").none(), nb::sig("def split(self, text: str | bytes) -> list[str]"), "The pre-tokens that the model gets.")
        .def("special_spans", &find_special, nb::arg("text"), nb::arg("wanted").none(),
             nb::sig("def special_spans(self, text: str, wanted: collections.abc.Sequence[int] | typing.Literal['all']) -> list[tuple[int, int, int]]"),
             "The special tokens that are found in a text, of those that are wanted: (start, end, id) each, in characters.")
        .def("find_added", &find_added, nb::arg("text").none(), nb::sig("def find_added(self, text: str | bytes) -> list[int]"),
             "The numbers of the added tokens that are written in a text.")
        .def(
            "encode_ordinary", [](const PipelineEngine& self, nb::handle text) { return encode(self, text, nb::none()); }, nb::arg("text").none(),
            nb::sig("def encode_ordinary(self, text: str | bytes) -> list[int]"), "`encode` without special tokens.")
        .def("count_batch", &count_batch<PipelineEngine>, nb::arg("texts").none(), nb::kw_only(), nb::arg("num_threads") = 8,
             nb::sig("def count_batch(self, texts: collections.abc.Iterable[str | bytes], *, num_threads: int = 8) -> list[int]"))
        .def("encode_ordinary_batch", &encode_batch<PipelineEngine>, nb::arg("text").none(), nb::kw_only(), nb::arg("num_threads") = 8,
             nb::sig("def encode_ordinary_batch(self, text: collections.abc.Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]"));
}

}  // namespace bpe::bindings
