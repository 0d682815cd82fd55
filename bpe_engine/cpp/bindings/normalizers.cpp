// Normalizers, from steps or from the rules of SentencePiece.
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "bpe/pipeline/sentence_piece_text.hpp"
#include "bpe/pipeline/steps.hpp"
#include "pipeline_parts.hpp"

namespace bpe::bindings {

namespace {

std::u32string characters_of(nb::handle text) {
    if (!PyUnicode_Check(text.ptr())) throw nb::type_error("a text is a str");
    std::u32string made;
    for (Py_ssize_t place = 0; place < PyUnicode_GetLength(text.ptr()); ++place) made.push_back(PyUnicode_ReadChar(text.ptr(), place));
    return made;
}

// Expressions such as " {2,}" and "\\s+": a space, or white space, and how often it has to be there at least.
void note_run(NormalizationStep& step, std::string_view expression) {
    if (constexpr std::string_view version = "(?V1)"; expression.starts_with(version)) expression.remove_prefix(version.size());
    bool const is_class = expression.starts_with("\\s");
    if (expression.starts_with('\\')) expression.remove_prefix(1);
    else if (expression.starts_with('s')) return;
    if (!expression.starts_with(' ') && !expression.starts_with('s')) return;
    expression.remove_prefix(1);
    bool const has_number = expression.size() == 4 && expression.starts_with('{') && expression.ends_with(",}") && expression[1] > '0' && expression[1] <= '9';
    if (!has_number && expression != "+") return;
    step.run_of = ' ';
    step.of_white_space = is_class;
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

SharedNormalizer sentence_piece_normalizer(nb::bytes charsmap, nb::handle user_defined, bool add_dummy_prefix, bool remove_extra_whitespaces,
                                           bool escape_whitespaces) {
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

}  // namespace

void define_normalizers(nb::module_& module) {
    nb::class_<SharedNormalizer>(module, "Normalizer", "Text -> normalized text.")
        .def_static(
            "of_steps", &normalizer_of, nb::arg("steps"), nb::sig("def of_steps(steps: collections.abc.Sequence[tuple[str, object, object]]) -> Normalizer"),
            "From steps with two arguments each: NFC, NFD, NFKC, NFKD, lower, strip_accents, strip (left, right), prepend (text), prepend_unless (text, "
            "whether only where the text begins), replace (pattern, content), replace_members (the first and the last of each run of characters, content), "
            "surround (the same), strip_members (the same runs, \"left\" or \"right\"), replace_matches (expression, content), charsmap (a compiled table).")
        .def_static("of_sentence_piece", &sentence_piece_normalizer, nb::arg("charsmap"), nb::arg("user_defined"), nb::kw_only(), nb::arg("add_dummy_prefix"),
                    nb::arg("remove_extra_whitespaces"), nb::arg("escape_whitespaces"),
                    nb::sig("def of_sentence_piece(charsmap: bytes, user_defined: collections.abc.Sequence[bytes], *, add_dummy_prefix: bool, "
                            "remove_extra_whitespaces: bool, "
                            "escape_whitespaces: bool) -> Normalizer"),
                    "What the package `sentencepiece` does to a text: a compiled table or none, texts that it leaves as they are, and what becomes of spaces.")
        .def(
            "normalize",
            [](const SharedNormalizer& self, nb::handle text) {
                Text const given(text);
                Normalized made;
                self.held->run(given.bytes().data, 0, given.bytes().size, true, true, true, 0, made);
                return decoded({made.text.data(), made.text.size()}, "surrogateescape");
            },
            nb::arg("text").none(), nb::sig("def normalize(self, text: str | bytes) -> str"), "The normalized text.");
}

}  // namespace bpe::bindings
