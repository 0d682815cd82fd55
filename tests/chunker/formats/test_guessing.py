"""Languages that are guessed from a text alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker.formats import guessing
from chunker.formats.guessing import guess

SOURCE = "import os\n\n\ndef f(x):\n    return x\n"
GUIDE = "# Guide\n\nSome words, and a [link](https://example.com).\n\n## Install\n\n```sh\npip install it\n```\n"
# What lines may begin with or hold, and what no line needs.
PARTS = [
    *(word for language in guessing._CODE.values() for word in (*language.words, *language.marks)),
    "\n", "\n", " ", "\t", "\r", "\x0b", "\u2028", "x", "中", "\ud800", "let mut", "std:", "x" * 399, "中" * 200,
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (SOURCE, "Python"),
        (GUIDE, "Markdown"),
        (json.dumps({"a": [1, 2, {"b": None}]}, indent=2), "JSON"),
        ('{"a": 1}\n{"a": 2}\n', "JSON Lines"),
        ("#include <stdio.h>\n\nint main(void) {\n    return 0;\n}\n", "C"),
        ('package main\n\nimport "fmt"\n\nfunc main() {\n\tfmt.Println(1)\n}\n', "Go"),
        ("use std::io;\n\nfn main() {\n    let mut x = 1;\n}\n", "Rust"),
        ("import { a } from 'b';\n\nexport const c = (d) => {\n  return d;\n};\n", "JavaScript"),
        ("One paragraph.\n\nAnother one, of some words.\n", None),
        ("# a comment of a script\nset -e\ncp a b\n", None),
        ("# settings\na: 1\nb:\n  - c\n", None),
        ("# Settings\n\nname: x\n\n# Ports\n\nport: 1\n", None),
        ("# Names\nnames:\n- a\n- b\n", None),
        ("# install what it needs\napt install x\n\n# run `it`\nmake\n", None),
        ("# build\nFROM x\n\n# run\nRUN y\n", None),
        ("# This\na = 1\n\n# That\n[x]\nb = 2\n", None),
        ("# objects\n*.o\n\n# caches\n__pycache__\n", None),
        ("# Guide\nWords.\n\n## Install\nMore words.\n", "Markdown"),
        ("---\ntitle: Guide\n---\n# Guide\n\nWords.\n", "Markdown"),
        ("\n# Guide\n\nWords.\n\n## Install\nMore words.\n", "Markdown"),
        ("# A\n\nWords.\n\n# B\n\nWords.\n", "Markdown"),
        ("# A\n\nWords.\n# B\n\nWords.\n", None),
        ("\ufeff" + GUIDE, "Markdown"),
        ('\ufeff{"a": 1}', "JSON"),
        ("{not json}", None),
        ("[1] A footnote.", None),
        ("", None),
        ("   \n", None),
        ("import os from the menu, then class it.\n", None),
    ],
)  # fmt: skip
def test_guesses(text: str, language: str | None) -> None:
    assert guess(text) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("async def f(x) -> int:", "Python"),
        ("class A(B):", "Python"),
        ("from a.b import c as d", "Python"),
        ("    for a in b:  ", "Python"),
        ("\telif a:", "Python"),
        ("#include <vector>", "C++"),
        ("namespace a {", "C++"),
        ("template<class T>", "C++"),
        ("using namespace a::b;", "C++"),
        ("  return std::move(a);", "C++"),
        ('#include "a/b.h"', "C"),
        ("static const struct a *f(int b) {", "C"),
        ("package main", "Go"),
        ("func (a *B) C(d int) {", "Go"),
        ('import "a/b"', "Go"),
        ("pub(crate) fn a() {", "Rust"),
        ("use a::b::{c, d};", "Rust"),
        ("pub trait A {", "Rust"),
        ("impl<T> A for B<T> {", "Rust"),
        ("    let mut a = 1;", "Rust"),
        ("import static a.b.*;", "Java"),
        ("public final class A", "Java"),
        ("package a.b;", "Java"),
        ("export async function a(b) {", "JavaScript"),
        ("const a = f(", "JavaScript"),
        ("import a from 'b'", "JavaScript"),
        ("  a.map((b) => {", "JavaScript"),
        ("while [[ -f a ]]; do", "Shell"),
        ("esac", "Shell"),
        ("export A=${B}", "Shell"),
    ],
)
def test_three_lines_of_one_kind_tell_a_language(line: str, language: str) -> None:
    assert guess(f"a\n{line}\nb\n{line}\nc\n{line}\n") == language
    assert guess(f"a\n{line}\n") is None


def test_code_that_a_text_quotes_does_not_make_it_code() -> None:
    code = "#include <wctype.h>\nint iswctype(wint_t wc, wctype_t desc)\nint iswupper(wint_t wc)\nint iswlower(wint_t wc)\n"
    words = "If it is a wide character of this class then the function returns another number than zero.\n"
    assert guess(code) == "C"
    assert guess(code + words * 3) is None
    assert guess(code + "```\n") is None


def test_guessing_is_linear_on_what_is_no_text() -> None:
    for text in (
        "from ' " * 100_000,
        "[" * 1_000_000,
        "# \n\n" * 100_000,
        "**a " * 100_000,
        "| " * 200_000,
        "import " * 100_000,
    ):
        assert guess(text) in {None, "Markdown"}


@pytest.mark.parametrize(
    ("text", "language"), [(SOURCE, "Python"), (GUIDE, "Markdown"), ('{"a": 1}\n{"a": 2}\n', "JSON Lines")]
)
@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_of_every_kind(text: str, language: str, end: str) -> None:
    assert guess(text.replace("\n", end)) == language


@pytest.mark.skipif(guessing._finder() is None, reason="the engine runs in pure Python: there is nothing to compare")
@given(st.lists(st.sampled_from(PARTS), max_size=30).map("".join))
def test_compiled_lines(text: str) -> None:
    finder = guessing._finder()
    assert finder is not None
    assert finder.find(text, guessing._LONGEST_LINE) == guessing._lines(text)
