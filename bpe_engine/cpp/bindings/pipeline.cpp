// Pipelines, and what they are made of.
#include "pipeline.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "batches.hpp"
#include "bpe/files/tokenizer_files.hpp"
#include "bpe/models/merges.hpp"
#include "bpe/pipeline/byte_matcher.hpp"
#include "bpe/pipeline/script_runs.hpp"
#include "bpe/pipeline/sentence_piece_text.hpp"
#include "bpe/pipeline/steps.hpp"
#include "bpe/pipeline/touching.hpp"

namespace bpe::bindings {

namespace {

// As nb::cast, whose std::bad_cast would reach Python without a word.
template <class Wanted>
Wanted checked(nb::handle value) {
    Wanted found;
    if (!nb::try_cast(value, found)) given::raise_type("an argument", "of another type or out of range", value);
    return found;
}

// Objects of the core that Python only hands on.
template <class Held>
struct Shared {
    std::shared_ptr<const Held> held;
};

using SharedMatcher = Shared<Matcher>;
using SharedNormalizer = Shared<Normalizer>;

Bytes bytes_of(nb::handle token) {
    if (!PyBytes_Check(token.ptr())) throw nb::type_error("a token is bytes");
    return {reinterpret_cast<const Byte*>(PyBytes_AS_STRING(token.ptr())), static_cast<std::size_t>(PyBytes_GET_SIZE(token.ptr()))};
}

std::string string_of(nb::handle text) {
    Text const given(text);
    return {reinterpret_cast<const char*>(given.bytes().data), given.bytes().size};
}

MergeModel::Options merge_options(bool by_characters, bool ignore_merges, nb::handle unknown, bool fuse_unknown, const std::string& continuing_prefix,
                                  const std::string& end_suffix, nb::dict byte_fallback) {
    MergeModel::Options options;
    options.by_characters = by_characters;
    options.ignore_merges = ignore_merges;
    options.fuse_unknown = fuse_unknown;
    options.continuing_prefix = continuing_prefix;
    options.end_suffix = end_suffix;
    options.byte_fallback.fill(-1);
    if (PyUnicode_Check(unknown.ptr())) {
        auto const name = checked<std::string>(unknown);
        if (name != "error" && name != "drop") throw nb::value_error("unknown is an id, \"error\" or \"drop\"");
        options.unknown = name == "drop" ? MergeModel::Unknown::drop : MergeModel::Unknown::error;
    } else {
        options.unknown = MergeModel::Unknown::token;
        options.unknown_id = checked<std::uint32_t>(unknown);
    }
    for (auto const& [byte, id] : byte_fallback) {
        auto const value = checked<std::uint32_t>(byte);
        if (value > 255) throw nb::value_error("byte fallback is from bytes");
        options.byte_fallback[value] = checked<std::uint32_t>(id);
    }
    return options;
}

std::shared_ptr<MergeModel> merge_model(nb::list tokens, nb::sequence ids, nb::object merges, nb::object ranks, bool by_characters, bool ignore_merges, nb::object unknown,
                         bool fuse_unknown, const std::string& continuing_prefix, const std::string& end_suffix, nb::dict byte_fallback) {
    auto const numbers = checked<std::vector<std::uint32_t>>(ids);
    if (numbers.size() != nb::len(tokens)) throw nb::value_error("as many ids as tokens");
    std::vector<MergeModel::Token> all;
    all.reserve(numbers.size());
    for (nb::handle token : tokens) all.push_back({bytes_of(token), numbers[all.size()]});
    MergeModel::Options const options = merge_options(by_characters, ignore_merges, unknown, fuse_unknown, continuing_prefix, end_suffix, byte_fallback);
    std::shared_ptr<MergeModel> made;
    if (!merges.is_none()) {
        std::vector<MergeModel::Merge> list;
        list.reserve(nb::len(merges));
        for (nb::handle merge : merges) {
            auto const [left, right] = checked<std::pair<std::uint32_t, std::uint32_t>>(merge);
            list.push_back({left, right});
        }
        try {
            made = std::make_shared<MergeModel>(all, list, options);
        } catch (const MergeModel::NoToken& error) {
            std::string const message = "merge " + std::to_string(error.place);
            nb::object const text = by_characters ? decoded({reinterpret_cast<const Byte*>(error.text.data()), error.text.size()}, "surrogatepass")
                                                  : nb::object(nb::bytes(error.text.data(), error.text.size()));
            nb::object const type = nb::module_::import_("bpe_engine.errors").attr("VocabularyError");
            PyErr_Format(type.ptr(), "%s makes %.80R, which is no token", message.c_str(), text.ptr());
            throw nb::python_error();
        }
    } else {
        auto const given = checked<std::vector<std::uint32_t>>(ranks);
        if (given.size() != all.size()) throw nb::value_error("as many ranks as tokens");
        made = MergeModel::by_ranks(all, given, options);
    }
    return made;
}

// The merges of tables make tokens of theirs: whoever read them looked.
std::shared_ptr<MergeModel> merge_model_of_tables(const files::TokenTables& tables, bool by_characters, bool ignore_merges, nb::object unknown, bool fuse_unknown,
                                                  const std::string& continuing_prefix, const std::string& end_suffix, nb::dict byte_fallback) {
    MergeModel::Options const options = merge_options(by_characters, ignore_merges, unknown, fuse_unknown, continuing_prefix, end_suffix, byte_fallback);
    std::vector<MergeModel::Token> tokens;
    tokens.reserve(tables.size());
    for (std::size_t number = 0; number < tables.size(); ++number) tokens.push_back({tables.text(number), tables.id(number)});
    if (!tables.ranks().empty()) return MergeModel::by_ranks(tokens, tables.ranks(), options);
    std::vector<MergeModel::Merge> merges;
    merges.reserve(tables.merges().size());
    for (auto const& [left, right] : tables.merges()) merges.push_back({left, right});
    try {
        return std::make_shared<MergeModel>(tokens, merges, options);
    } catch (const MergeModel::NoToken& error) {
        throw nb::value_error(("merge " + std::to_string(error.place) + " makes no token").c_str());
    }
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

std::u32string characters_of(nb::handle text) {
    if (!PyUnicode_Check(text.ptr())) throw nb::type_error("a text is a str");
    std::u32string made;
    for (Py_ssize_t place = 0; place < PyUnicode_GetLength(text.ptr()); ++place) made.push_back(PyUnicode_ReadChar(text.ptr(), place));
    return made;
}

// Expressions such as " {2,}": a character, and how often it has to be there at least.
void note_run(NormalizationStep& step, std::string_view expression) {
    if (expression.starts_with('\\')) expression.remove_prefix(1);
    if (!expression.starts_with(' ')) return;
    expression.remove_prefix(1);
    bool const has_number = expression.size() == 4 && expression.starts_with('{') && expression.ends_with(",}") && expression[1] > '0' && expression[1] <= '9';
    if (!has_number && expression != "+") return;
    step.run_of = ' ';
    step.least_run = has_number ? static_cast<std::size_t>(expression[1] - '0') : 1;
}

// Tuples of a name and what it takes.
SharedNormalizer normalizer_of(nb::handle steps) {
    using Kind = NormalizationStep::Kind;
    std::vector<NormalizationStep> made;
    for (nb::handle given : steps) {
        auto const [name, first, second] = checked<std::tuple<std::string, nb::object, nb::object>>(given);
        NormalizationStep step{};
        if (name == "NFC" || name == "NFKC" || name == "NFD" || name == "NFKD") {
            step.kind = name.back() == 'C' ? Kind::compose : Kind::decompose;
            step.compatible = name.size() == 4;
        } else if (name == "lower") {
            step.kind = Kind::lower;
        } else if (name == "strip_accents") {
            step.kind = Kind::strip_accents;
        } else if (name == "strip") {
            step.kind = Kind::strip;
            step.left = checked<bool>(first);
            step.right = checked<bool>(second);
        } else if (name == "prepend") {
            step.kind = Kind::prepend;
            step.content = characters_of(first);
        } else if (name == "prepend_unless") {
            step.kind = Kind::prepend_unless;
            step.content = characters_of(first);
            step.first_only = checked<bool>(second);
        } else if (name == "replace") {
            step.kind = Kind::replace;
            step.pattern = characters_of(first);
            step.content = characters_of(second);
            if (step.pattern.empty()) throw nb::value_error("nothing to replace");
        } else if (name == "strip_members") {
            step.kind = Kind::strip;
            step.members = characters_of(first);
            auto const side = checked<std::string>(second);
            step.left = side == "left";
            step.right = side == "right";
            if (step.members.empty() || step.left == step.right) throw nb::value_error("strip what, on which side?");
        } else if (name == "replace_members" || name == "surround") {
            step.kind = name == "surround" ? Kind::surround : Kind::replace_members;
            step.members = characters_of(first);
            step.content = characters_of(second);
        } else if (name == "replace_matches") {
            step.kind = Kind::replace_matches;
            step.program = regex::Program::compile(checked<std::string>(first));
            step.content = characters_of(second);
            note_run(step, checked<std::string>(first));
            if (step.program->looks_behind() || step.program->matches_empty()) throw nb::value_error("an expression that looks behind or matches nothing");
        } else if (name == "charsmap") {
            step.kind = Kind::charsmap;
            step.charsmap = std::make_shared<const Charsmap>(bytes_of(first));
        } else {
            throw nb::value_error("no such step");
        }
        if (step.members.size() % 2 != 0 || !std::is_sorted(step.members.begin(), step.members.end())) throw nb::value_error("no runs of characters");
        made.push_back(std::move(step));
    }
    return {std::make_shared<const StepNormalizer>(std::move(made))};
}

SharedNormalizer sentence_piece_normalizer(nb::bytes charsmap, nb::handle user_defined, bool add_dummy_prefix, bool remove_extra_whitespaces, bool escape_whitespaces) {
    SentencePieceRules rules;
    if (charsmap.size() > 0) rules.charsmap = Charsmap(bytes_of(charsmap));
    for (nb::handle symbol : user_defined) {
        Bytes const text = bytes_of(symbol);
        rules.user_defined.emplace_back(reinterpret_cast<const char*>(text.data), text.size);
    }
    std::sort(rules.user_defined.begin(), rules.user_defined.end());
    rules.add_dummy_prefix = add_dummy_prefix;
    rules.remove_extra_whitespaces = remove_extra_whitespaces;
    rules.escape_whitespaces = escape_whitespaces;
    return {std::make_shared<const SentencePieceNormalizer>(std::move(rules))};
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

AddedTokens::Wanted wanted_of(const PipelineEngine& self, nb::handle numbers) {
    AddedTokens::Wanted wanted;
    if (numbers.is_none()) return wanted;
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
    WithoutGil const released(given.bytes().size);
    return self.encoder()->count(given.bytes());
}

std::vector<std::uint32_t> ids_of(const PipelineEngine& self, Bytes text, const AddedTokens::Wanted& wanted) {
    std::vector<std::uint32_t> ids;
    WithoutGil const released(text.size);
    self.encoder()->encode(text, ids, wanted);
    return ids;
}

nb::object encode(const PipelineEngine& self, nb::handle text, nb::handle wanted) {
    Text const given(text);
    return self.to_list(ids_of(self, given.bytes(), wanted_of(self, wanted)));
}

nb::object encode_to_buffer(const PipelineEngine& self, nb::handle text, nb::handle wanted) {
    Text const given(text);
    return memory_view(ids_of(self, given.bytes(), wanted_of(self, wanted)));
}

nb::object encode_with_offsets(const PipelineEngine& self, nb::handle text, nb::handle wanted) {
    Text const given(text);
    std::vector<std::uint32_t> ids, offsets;
    AddedTokens::Wanted const tokens = wanted_of(self, wanted);
    {
        WithoutGil const released(given.bytes().size);
        self.encoder()->encode_with_offsets(given.bytes(), ids, offsets, tokens);
    }
    return nb::make_tuple(self.to_list(ids), self.to_list(offsets));
}

nb::object count_up_to(const PipelineEngine& self, nb::handle text, Py_ssize_t limit) {
    Text const given(text);
    std::optional<std::size_t> found;
    if (limit >= 0) {
        WithoutGil const released(given.bytes().size);
        found = self.encoder()->count_up_to(given.bytes(), static_cast<std::size_t>(limit));
    }
    return found ? nb::steal(PyLong_FromSize_t(*found)) : nb::none();
}

nb::list split(const PipelineEngine& self, nb::handle text) {
    Text const given(text);
    std::vector<std::string> pieces;
    {
        WithoutGil const released(given.bytes().size);
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
        WithoutGil const released(given.bytes().size);
        self.encoder()->find_added(given.bytes(), numbers);
    }
    nb::list found;
    for (std::uint32_t const number : numbers) found.append(number);
    return found;
}

// (number of the added token, start, end) of each special token that is found, of those wanted; offsets in bytes.
nb::list find_special(const PipelineEngine& self, nb::handle text, nb::handle wanted) {
    Text const given(text);
    nb::list found;
    for (Pipeline::Written const& one : self.encoder()->find_special(given.bytes(), wanted_of(self, wanted)))
        found.append(nb::make_tuple(one.number, one.start, one.end));
    return found;
}

nb::list count_batch(const PipelineEngine& self, nb::handle texts, Py_ssize_t num_threads) {
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

nb::list encode_batch(const PipelineEngine& self, nb::handle texts, Py_ssize_t num_threads) {
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

}  // namespace

nb::object PipelineEngine::to_list(const std::vector<std::uint32_t>& ids) const {
    nb::object list = nb::steal(PyList_New(static_cast<Py_ssize_t>(ids.size())));
    if (!list.is_valid()) throw nb::python_error();
    Py_ssize_t place = 0;
    for (std::uint32_t const id : ids) {
        PyObject* const number = PyLong_FromUnsignedLong(id);
        if (!number) throw nb::python_error();
        PyList_SetItem(list.ptr(), place++, number);
    }
    return list;
}

void define_pipeline(nb::module_& module) {
    nb::class_<MergeModel, PieceModel>(module, "MergeModel", "Byte-pair encoding of any kind.")
        .def_static("create", &merge_model, nb::arg("tokens"), nb::arg("ids"), nb::arg("merges").none(), nb::arg("ranks").none(), nb::kw_only(),
                    nb::arg("by_characters"), nb::arg("ignore_merges"), nb::arg("unknown"), nb::arg("fuse_unknown"), nb::arg("continuing_prefix"),
                    nb::arg("end_suffix"), nb::arg("byte_fallback"),
                    nb::sig("def create(tokens: list[bytes], ids: collections.abc.Sequence[int], merges: collections.abc.Sequence[tuple[int, int]] | None, "
                            "ranks: collections.abc.Sequence[int] | None, *, by_characters: bool, ignore_merges: bool, unknown: int | str, fuse_unknown: bool, "
                            "continuing_prefix: str, end_suffix: str, byte_fallback: dict[int, int]) -> MergeModel"),
                    "From tokens and their ids; and from pairs of ids that merge, the best first, or from the ranks of the tokens (4294967295: none).")
        .def_static("of_tables", &merge_model_of_tables, nb::arg("tables"), nb::kw_only(), nb::arg("by_characters"), nb::arg("ignore_merges"), nb::arg("unknown"),
                    nb::arg("fuse_unknown"), nb::arg("continuing_prefix"), nb::arg("end_suffix"), nb::arg("byte_fallback"),
                    nb::sig("def of_tables(tables: TokenTables, *, by_characters: bool, ignore_merges: bool, unknown: int | str, fuse_unknown: bool, "
                            "continuing_prefix: str, end_suffix: str, byte_fallback: dict[int, int]) -> MergeModel"),
                    "From the tokens and the merges or ranks of a file.")
        .def("never_made", [](const MergeModel& self) {
            nb::list ids;
            for (std::uint32_t const id : self.never_made()) ids.append(id);
            return ids;
        }, nb::sig("def never_made(self) -> list[int]"), "The ids of the tokens that merging does not make of their own bytes or characters.")
        .def("touching", [](std::shared_ptr<MergeModel> self) -> std::optional<SharedMatcher> {
            if (!self->tells_joins()) return std::nullopt;
            return SharedMatcher{std::make_shared<const TouchMatcher>(std::move(self))};
        }, "Finds where no token reaches over; None where that cannot be known.");
    nb::class_<SharedMatcher>(module, "Matcher", "Finds where a pre-tokenizer cuts.")
        .def_static("of_expression", [](const std::string& source) -> std::optional<SharedMatcher> {
            auto program = regex::Program::compile(source);
            if (program->looks_behind() || program->matches_empty()) return std::nullopt;
            return SharedMatcher{std::make_shared<const ExpressionMatcher>(std::move(program))};
        }, nb::arg("source"),
                    "From a regular expression as the `regex` package has it; None where it looks behind or matches nothing, which a chain that begins anew at cuts cannot do.")
        .def_static("of_bytes", [](nb::bytes members) {
            return SharedMatcher{std::make_shared<const ByteMatcher>(Bytes{reinterpret_cast<const Byte*>(members.c_str()), members.size()})};
        }, nb::arg("members"), "Finds single bytes, also inside of characters.")
        .def_static("of_scripts", [](const std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint8_t>>& runs) {
            std::vector<ScriptMatcher::Run> made;
            for (auto const& [first, last, script] : runs) made.push_back({static_cast<char32_t>(first), static_cast<char32_t>(last), script});
            return SharedMatcher{std::make_shared<const ScriptMatcher>(made)};
        }, nb::arg("runs"), nb::sig("def of_scripts(runs: collections.abc.Sequence[tuple[int, int, int]]) -> Matcher"),
                    "Finds runs of one script, from the first and the last character and the number, from 1 to 255, of the script of each run of characters.");
    nb::class_<SharedNormalizer>(module, "Normalizer", "Text -> normalized text.")
        .def_static("of_steps", &normalizer_of, nb::arg("steps"),
                    nb::sig("def of_steps(steps: collections.abc.Sequence[tuple[str, object, object]]) -> Normalizer"),
                    "From steps with two arguments each: NFC, NFD, NFKC, NFKD, lower, strip_accents, strip (left, right), prepend (text), prepend_unless (text, "
                    "whether only where the text begins), replace (pattern, content), replace_members (the first and the last of each run of characters, content), "
                    "surround (the same), strip_members (the same runs, \"left\" or \"right\"), replace_matches (expression, content), charsmap (a compiled table).")
        .def_static("of_sentence_piece", &sentence_piece_normalizer, nb::arg("charsmap"), nb::arg("user_defined"), nb::kw_only(), nb::arg("add_dummy_prefix"),
                    nb::arg("remove_extra_whitespaces"), nb::arg("escape_whitespaces"),
                    nb::sig("def of_sentence_piece(charsmap: bytes, user_defined: collections.abc.Sequence[bytes], *, add_dummy_prefix: bool, remove_extra_whitespaces: bool, "
                            "escape_whitespaces: bool) -> Normalizer"),
                    "What the package `sentencepiece` does to a text: a compiled table or none, texts that it leaves as they are, and what becomes of spaces.")
        .def("normalize", [](const SharedNormalizer& self, nb::handle text) {
            Text const given(text);
            Normalized made;
            self.held->run(given.bytes().data, 0, given.bytes().size, true, true, true, 0, made);
            return decoded({made.text.data(), made.text.size()}, "surrogateescape");
        }, nb::arg("text").none(), nb::sig("def normalize(self, text: str | bytes) -> str"), "The normalized text.");

    nb::class_<PipelineEngine>(module, "Pipeline", "A whole tokenizer: added tokens, normalizer, pre-tokenizers, model.")
        .def("__init__", [](PipelineEngine* self, nb::object added_tokens, std::optional<SharedNormalizer> normalizer, nb::object stages, nb::object insertions,
                            std::shared_ptr<PieceModel> model, bool looks_inside, std::optional<SharedNormalizer> second) {
            new (self) PipelineEngine(std::make_shared<const Pipeline>(added_tokens_of(added_tokens), normalizer ? normalizer->held : nullptr,
                                                                       chain_of(stages), coder_of(model, insertions), looks_inside, second ? second->held : nullptr));
        }, nb::arg("added_tokens"), nb::arg("normalizer").none(), nb::arg("stages"), nb::arg("insertions"), nb::arg("model"),
             nb::arg("looks_inside") = false, nb::arg("second") = nb::none(),
             nb::sig("def __init__(self, added_tokens: collections.abc.Sequence[tuple[str, int, bool, bool, bool, bool, bool, str]], normalizer: Normalizer | None, "
                     "stages: collections.abc.Sequence[tuple[str | tuple[str, Matcher] | Matcher, str]], "
                     "insertions: collections.abc.Sequence[tuple[str, str, str, collections.abc.Sequence[tuple[str | tuple[str, Matcher] | Matcher, str]]]], model: PieceModel, looks_inside: bool = False, "
                     "second: Normalizer | None = None) -> None"),
             "An added token: text, id, special, lstrip, rstrip, single_word, normalized, and what is looked for where that is another text. With `looks_inside` the "
             "`normalized` ones are looked for in what the normalizer leaves, and `second` normalizes what stands between them.")
        .def("count", &count, nb::arg("text").none(), nb::sig("def count(self, text: str | bytes) -> int"), "The number of tokens.")
        .def("encode", &encode, nb::arg("text").none(), nb::arg("wanted") = nb::none(),
             nb::sig("def encode(self, text: str | bytes, wanted: collections.abc.Sequence[int] | None = None) -> list[int]"),
             "The ids. `wanted`: the numbers of the special tokens that are looked for, in the order in which they were given.")
        .def("encode_to_buffer", &encode_to_buffer, nb::arg("text").none(), nb::arg("wanted") = nb::none(),
             nb::sig("def encode_to_buffer(self, text: str | bytes, wanted: collections.abc.Sequence[int] | None = None) -> memoryview"))
        .def("encode_with_offsets", &encode_with_offsets, nb::arg("text").none(), nb::arg("wanted") = nb::none(),
             nb::sig("def encode_with_offsets(self, text: str | bytes, wanted: collections.abc.Sequence[int] | None = None) -> tuple[list[int], list[int]]"),
             "The ids, and for each the offset in bytes of the character that it comes from.")
        .def("count_up_to", &count_up_to, nb::arg("text").none(), nb::arg("limit"), nb::sig("def count_up_to(self, text: str | bytes, limit: int) -> int | None"))
        .def("split", &split, nb::arg("text").none(), nb::sig("def split(self, text: str | bytes) -> list[str]"), "The pre-tokens that the model gets.")
        .def("special_spans", &find_special, nb::arg("text").none(), nb::arg("wanted").none(),
             nb::sig("def special_spans(self, text: str | bytes, wanted: collections.abc.Sequence[int]) -> list[tuple[int, int, int]]"),
             "The special tokens that are found in a text, of those that are wanted by number: (number, start, end) each, in bytes.")
        .def("find_added", &find_added, nb::arg("text").none(), nb::sig("def find_added(self, text: str | bytes) -> list[int]"),
             "The numbers of the added tokens that are written in a text.")
        .def("encode_ordinary", [](const PipelineEngine& self, nb::handle text) { return encode(self, text, nb::none()); }, nb::arg("text").none(),
             nb::sig("def encode_ordinary(self, text: str | bytes) -> list[int]"), "`encode` without special tokens.")
        .def("count_batch", &count_batch, nb::arg("texts").none(), nb::kw_only(), nb::arg("num_threads") = 8,
             nb::sig("def count_batch(self, texts: collections.abc.Iterable[str | bytes], *, num_threads: int = 8) -> list[int]"))
        .def("encode_ordinary_batch", &encode_batch, nb::arg("text").none(), nb::kw_only(), nb::arg("num_threads") = 8,
             nb::sig("def encode_ordinary_batch(self, text: collections.abc.Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]"));
}

}  // namespace bpe::bindings
