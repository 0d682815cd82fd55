"""The languages of code: samples definition by definition, the tables against their grammars, the laws on mangled sources."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mangled_sources import mangled

from chunker import CodeChunker, MissingGrammarError
from chunker.formats import Format, Outline, Strength
from chunker.formats.code.code_format import CodeFormat
from chunker.formats.code.grammar import compiled
from chunker.formats.code.tables import _FOLDER, _SETS, grammar_named, table_names
from chunker.formats.detect import detect
from chunker.formats.registry import format_named

SAMPLES = Path(__file__).parent / "samples"
DEFINITIONS = tomllib.loads((SAMPLES / "definitions.toml").read_text("utf-8"))
PATHS = {
    detect(path.name, path.read_text("utf-8")).format or "": path
    for path in SAMPLES.iterdir()
    if path.suffix != ".toml"
}
# Python has tests of its own, with Python's parser as the oracle.
LANGUAGES = sorted(set(table_names()) - {"python"})

each_language = pytest.mark.parametrize("language", LANGUAGES)


def sample(language: str) -> str:
    return PATHS[language].read_text("utf-8")


def check_scopes(text: str, outline: Outline) -> None:
    """Every definition begins and ends at boundaries that are stronger than all inside it."""
    strengths = dict(zip(outline.offsets, outline.strengths, strict=True))
    for scope in outline.scopes:
        inside = max((strengths[offset] for offset in outline.offsets if scope.start < offset < scope.end), default=-1)
        after = next((offset for offset in outline.offsets if offset >= scope.end), None)
        assert strengths[scope.start] > inside, scope
        # A line that closes what is around it may follow more weakly.
        closing = after is not None and text[after:].lstrip().startswith(("}", ")", "end", "#endif"))
        assert after is None or strengths[after] > inside or closing, scope


def test_every_language_has_a_sample() -> None:
    assert sorted(PATHS) == LANGUAGES == sorted(DEFINITIONS)


@each_language
def test_the_definitions_of_a_sample(language: str) -> None:
    text = sample(language)
    outline = format_named(language).outline(text)
    found = []
    for scope in outline.scopes:
        lines = text[scope.start : scope.end].rstrip().splitlines()
        found.append([scope.name, lines[0].strip(), lines[-1].strip(), len(lines)])
    assert found == DEFINITIONS[language]["definitions"]
    assert outline.notes == {}
    check_scopes(text, outline)


@each_language
def test_the_definitions_of_a_sample_stay_whole_whatever_the_line_ends(language: str) -> None:
    text = sample(language)
    expected = [one[0] for one in DEFINITIONS[language]["definitions"]]
    for variant in (text.replace("\n", "\r\n"), "\ufeff" + text):
        outline = format_named(language).outline(variant)
        assert [scope.name for scope in outline.scopes] == expected
        check_scopes(variant, outline)


@each_language
def test_the_definitions_of_a_sample_fit_into_one_chunk_each(language: str) -> None:
    text = sample(language)
    chunker = CodeChunker(language, max_tokens=len(text) // 12)
    chunks = chunker.chunk(text)
    assert len(chunks) > 2
    whole = 0
    for scope in chunker.outline(text).scopes:
        if chunker.tokenizer.count(text[scope.start : scope.end]) <= 0.8 * chunker.max_tokens:
            assert any(c.span.start <= scope.start and scope.end <= c.span.end for c in chunks), scope
            whole += 1
    assert whole >= 1


def own_types(name: str) -> frozenset[str]:
    """The node types that a table itself names, without those of its base."""
    entries = tomllib.loads(_FOLDER.joinpath(f"{name}.toml").read_text("utf-8"))
    lists = [entry for key, entry in entries.items() if key in _SETS]
    return frozenset().union(*lists, entries.get("definitions", {}), entries.get("labels", {}))


@each_language
def test_a_table_names_only_what_its_grammar_has(language: str) -> None:
    grammar = grammar_named(language)
    parser = compiled(grammar).language
    kinds = {parser.node_kind_for_id(kind) for kind in range(parser.node_kind_count)}
    assert own_types(language) <= kinds
    for kind, definition in grammar.definitions.items():
        assert definition.label, kind


@each_language
@settings(max_examples=8)
@given(data=st.data())
def test_mangled_sources_keep_the_laws(language: str, data: st.DataObject, check: object, count_o200k: object) -> None:
    text = data.draw(mangled(sample(language)))
    chunker = CodeChunker(language, 40, overlap=data.draw(st.sampled_from([0, 7])), context=True)
    outline = chunker.outline(text)
    starts = {0}
    for line in text.replace("\r\n", "\n\n").replace("\r", "\n").split("\n"):
        starts.add(max(starts) + len(line) + 1)
    assert set(outline.offsets) <= starts
    assert outline.offsets == sorted(set(outline.offsets))
    assert all(strength >= Strength.LINE for strength in outline.strengths)
    check(text, chunker.chunk(text, source="a"), 40, count_o200k, overlap=chunker.overlap)  # type: ignore[operator]


@each_language
def test_deep_nesting_costs_no_more_than_its_length(language: str) -> None:
    text = "x ({[\n" * 1_000
    outline = format_named(language).outline(text)
    assert len(outline.offsets) == 1_000
    assert min(outline.strengths) >= Strength.LINE


@pytest.mark.parametrize("language", ["c", "go", "rust", "typescript"])
@pytest.mark.parametrize("bracket", ["f(", "{", "a["])
def test_ten_thousand_brackets(language: str, bracket: str) -> None:
    closing = {"(": ")", "{": "}", "[": "]"}[bracket[-1]]
    text = f"{bracket}\n" * 10_000 + f"{closing}\n" * 10_000
    outline = format_named(language).outline(text)
    assert len(outline.offsets) == 20_000
    assert min(outline.strengths) >= Strength.LINE


@each_language
def test_formats_pickle(language: str) -> None:
    kind: Format = pickle.loads(pickle.dumps(format_named(language)))
    text = sample(language)
    assert kind.outline(text).offsets == format_named(language).outline(text).offsets
    assert kind.language == language


def test_a_missing_grammar_says_what_to_install() -> None:
    program = """
import sys
sys.modules["tree_sitter_rust"] = None
from chunker import CodeChunker, MissingGrammarError, chunker_for
try:
    CodeChunker("rust")
except MissingGrammarError as error:
    print(error)
chunker = chunker_for("a.rs")
print(chunker.language, chunker.chunk("fn f() {}")[0].metadata["language"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    first, second = done.stdout.splitlines()
    assert 'pip install "bpe-chunker[code]"' in first
    assert "tree-sitter-rust" in first
    assert second.startswith("rust ")
    assert second.endswith("; cut by lines")
    assert issubclass(MissingGrammarError, ValueError)


def test_comments_in_turns_of_two_indentations_cost_no_more_than_their_number() -> None:
    text = "int a;\n" + "  // c\n// c\n" * 20_000 + "int b;\n"
    outline = CodeFormat("c").outline(text)
    assert len(outline.offsets) == 40_002


@pytest.mark.parametrize(
    ("language", "source", "name", "first"),
    [
        # An attribute belongs to what follows, whatever stands between; comments above it go with both.
        ("rust", "fn a() {\n    1\n}\n// c\n#[test]\n\n// d\n#[x]\nfn b() {\n    2\n}\n", "fn b", "// c"),
        # A comment of several lines is indented as its first one is.
        ("java", "class A {\n    /**\n     * B.\n     */\n    void b() {\n        c();\n    }\n}\n", "b()", "/**"),
        # A comment that code follows on its line is none of these.
        ("c", "int a;\n/* b */ int b;\nint c(void)\n{\n}\n", "c", "int c(void)"),
        ("cpp", "class A {\n    int a;\npublic:\n    void b() {\n    }\n};\n", "b", "public:"),
        ("typescript", "class A {\n  a = 1;\n  @x()\n  // c\n  @y\n  b() {\n  }\n}\n", "b()", "@x()"),
        ("haskell", "a = 1\n-- c\nb :: Int\n{-# INLINE b #-}\nb = 2\n", "b", "-- c"),
        ("go", "package a\n// c\ntype (\n\t// d\n\tB struct {\n\t\tc int\n\t}\n)\n", "type B", "// d"),
    ],
)
def test_what_stands_above_a_definition_belongs_to_it(language: str, source: str, name: str, first: str) -> None:
    (scope,) = [scope for scope in format_named(language).outline(source).scopes if scope.name == name]
    assert source[scope.start :].lstrip().startswith(first)
