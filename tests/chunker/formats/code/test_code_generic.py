"""Grammars of one's own: with a table, and without."""

from __future__ import annotations

from pathlib import Path

import pytest
import tree_sitter_c
import tree_sitter_go
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
from tree_sitter import Language

from chunker import CodeChunker
from chunker.formats.code.code_format import CodeFormat
from chunker.formats.code.grammar import DefinitionRule, Grammar
from chunker.formats.code.naming import NameTemplate

SAMPLES = Path(__file__).parent / "samples"


@pytest.mark.parametrize(
    ("language", "file", "names"),
    [
        (tree_sitter_rust.language(), "sample.rs", {"Stack", "push", "fmt", "Shape", "describe", "tests", "pushes"}),
        (tree_sitter_c.language(), "sample.c", {"find", "choose", "print_all", "main", "point", "color"}),
        (tree_sitter_go.language(), "sample.go", {"Push", "main"}),
        (tree_sitter_javascript.language(), "sample.js", {"add", "Queue", "constructor", "push", "View", "first"}),
    ],
)
def test_definitions_are_what_has_a_name_and_a_body(language: object, file: str, names: set[str]) -> None:
    chunker = CodeChunker(Language(language), 120)
    text = (SAMPLES / file).read_text("utf-8")
    outline = chunker.outline(text)
    assert names <= {scope.name for scope in outline.scopes}
    strengths = dict(zip(outline.offsets, outline.strengths, strict=True))
    for scope in outline.scopes:
        inside = [strengths[offset] for offset in outline.offsets if scope.start < offset < scope.end]
        assert strengths[scope.start] > max(inside, default=-1)
    assert "".join(chunk.body for chunk in chunker.chunk(text)) == text


def test_a_generic_table_finds_the_functions_that_the_table_of_python_finds() -> None:
    source = Path(__file__).read_text("utf-8")
    generic = CodeFormat(Language(tree_sitter_python.language())).outline(source)
    assert {scope.name for scope in generic.scopes} == {
        scope.name.split()[1] for scope in CodeFormat("python").outline(source).scopes
    }


def test_a_table_of_ones_own() -> None:
    grammar = Grammar(
        language="tiny",
        load=tree_sitter_go.language,
        bodies=frozenset({"source_file"}),
        definitions={"function_declaration": DefinitionRule("procedure", NameTemplate("proc {name}[ -> {result}]"))},
        comments=frozenset({"comment"}),
    )
    source = "package a\n\n// c\nfunc f() int {\n\treturn 1\n}\n\nfunc g() {\n}\n"
    chunker = CodeChunker(grammar, 40, context=True)
    assert chunker.language == "tiny"
    assert [scope.name for scope in chunker.outline(source).scopes] == ["proc f -> int", "proc g"]
    assert {chunk.language for chunk in chunker.chunk(source)} == {"tiny"}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("int *(*table(void))(int)\n{\n}\n", "table"),
        ("int\nf(a, b)\nint a;\n{\n}\n", "f"),
        ("static inline struct a *b(void) {\n}\n", "b"),
        ("typedef union {\n  int a;\n} b;\n", "typedef b"),
        ("struct {\n  int a;\n} b;\n", None),
    ],
)
def test_the_declarators_of_c(source: str, name: str | None) -> None:
    assert [scope.name for scope in CodeFormat("c").outline(source).scopes] == ([] if name is None else [name])


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("std::vector<int>& A::b(int c) const {\n}\n", "A::b"),
        ("template <class T>\nA<T>::operator bool() {\n}\n", "A<T>::operator bool()"),
        ("A::~A() {\n}\n", "A::~A"),
        ("auto f() -> int {\n}\n", "f"),
    ],
)
def test_the_declarators_of_cpp(source: str, name: str) -> None:
    assert [scope.name for scope in CodeFormat("cpp").outline(source).scopes] == [name]


def test_a_name_is_one_line_and_not_endless() -> None:
    source = ".a,\n" * 200 + ".b {\n}\n"
    (scope,) = CodeFormat("css").outline(source).scopes
    assert len(scope.name) == 100
    assert scope.name.startswith(".a, .a, .a")
    assert scope.name.endswith("…")
    with pytest.raises(ValueError, match="placeholder"):
        NameTemplate("function")
