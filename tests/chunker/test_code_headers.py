"""Code headers: the imports that a chunk uses, the names it defines, and the signatures beside it, inside the budget."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import CodeChunker, CodeHeaders, MarkdownChunker, OptionError, WrongTypeError, chunker_for
from chunker.context.imports import import_statements, names_of, used_part
from chunker.formats.registry import format_named

TOKENIZER = Tokenizer.load("o200k_base")
SHAPES = '''"""Shapes."""
import os.path
from math import (
    pi,
    sin,
)
from typing import Any, Self
from wild import *


class Circle:
    """A circle by its radius."""

    def __init__(self, radius: float) -> None:
        self.radius = radius

    @property
    def area(self) -> float:
        # Any comment, and a "sin" in a string.
        return pi * self.radius ** 2

    def grow(self, by: float) -> Self:
        self.radius += by
        return self


def load(path: str) -> Circle:
    return Circle(float(open(path).read()))


class Square:
    def area(self) -> float:
        return 4.0
'''


def header_of(part: str, headers: CodeHeaders, source: str = SHAPES, **options: Any) -> list[str]:
    chunker = CodeChunker("python", options.pop("max_tokens", 180), min_tokens=0, **options)
    for chunk in headers.chunk(chunker, source, source="shapes.py"):
        assert chunk.token_count == TOKENIZER.count(chunk.text) <= chunker.max_tokens
        if chunk.body.lstrip().startswith(part):
            return chunk.context.splitlines()
    raise AssertionError(part)


def test_a_method_alone() -> None:
    assert header_of("@property", CodeHeaders(), max_tokens=170, context=True) == [
        "shapes.py > class Circle",
        "from math import pi",
        "from typing import Self",
        "defines Circle.area, Circle.grow",
        "def __init__(self, radius: float) -> None: ...",
    ]


def test_a_function_beside_classes() -> None:
    assert header_of("def load", CodeHeaders(), max_tokens=118) == [
        "defines load",
        "class Circle: ...",
        "class Square: ...",
    ]
    assert header_of("def load", CodeHeaders(parts=["defines"]), max_tokens=118) == ["defines load"]
    assert header_of("def load", CodeHeaders(parts=[]), max_tokens=118) == []


def test_the_middle_of_a_function() -> None:
    source = "import re\n\n\ndef other():\n    pass\n\n\ndef long(a: int,\n         b: str) -> None:\n"
    source += "".join(f"    step_{number} = re.compile(str(a + {number}))\n" for number in range(40))
    found = header_of("step_2", CodeHeaders(60), source + "\n\ndef last():\n    pass\n", max_tokens=120)
    assert found == ["def long(a: int, b: str) -> None:", "import re", "def other(): ...", "def last(): ..."]


def test_what_is_too_much_goes_from_the_end_line_by_line() -> None:
    whole = "\n".join(header_of("@property", CodeHeaders(), max_tokens=170))
    kept = {
        room: "\n".join(header_of("@property", CodeHeaders(room), max_tokens=74 + room)) for room in (2, 4, 9, 16, 96)
    }
    assert whole.startswith("class Circle:\nfrom math import pi\nfrom typing import Self\n")
    for room, lines in kept.items():
        assert TOKENIZER.count(lines + "\n" if lines else "") <= room
        assert lines in {"", whole} or whole.startswith(lines + "\n")
    assert [lines.count("\n") + 1 if lines else 0 for lines in kept.values()] == [0, 1, 2, 3, 5]


def test_a_change_elsewhere_in_the_file_is_seen() -> None:
    headers = CodeHeaders()
    first = header_of("def load", headers, max_tokens=118)
    assert header_of("def load", headers, SHAPES.replace("class Square", "class Cube"), max_tokens=118) != first


def test_prose_has_no_header_and_other_languages_have() -> None:
    text = "# Import\n\nWords, and import of them.\n"
    assert CodeHeaders().chunk(MarkdownChunker(200), text)[0].text == text
    source = 'import { a, b as c } from "./m";\n\nexport function f(x: number) {\n  return x;\n}\n\nexport function g() {\n  return c(1);\n}\n'
    made = CodeHeaders().chunk(chunker_for("a.ts", 116, min_tokens=0), source)
    assert [chunk.context for chunk in made][
        -1
    ] == 'import { b as c } from "./m";\ndefines g\nexport function f(x: number) ...\n'


@settings(max_examples=25, deadline=None)
@given(
    room=st.integers(1, 60),
    limit=st.integers(20, 200),
    overlap=st.sampled_from([0, 10]),
    context=st.booleans(),
)
def test_the_laws(room: int, limit: int, overlap: int, *, context: bool) -> None:
    chunker = CodeChunker("python", limit + room, overlap=overlap, context=context)
    made = CodeHeaders(room).chunk(chunker, SHAPES, source="shapes.py")
    for chunk in made:
        assert chunk.token_count == TOKENIZER.count(chunk.text) <= limit + room
        assert SHAPES[chunk.span.start : chunk.span.end] == chunk.body
    if not overlap:
        assert "".join(chunk.body for chunk in made) == SHAPES


@pytest.mark.parametrize(
    ("language", "line", "names"),
    [
        ("python", "import os.path, sys as system", ["os", "system"]),
        ("python", "from x import *", []),
        ("javascript", 'import React, { useState } from "react"', ["React", "useState"]),
        ("javascript", 'import * as ns from "y";', ["ns"]),
        ("javascript", 'import "side-effects";', []),
        ("typescript", 'import type { T } from "./t";', ["T"]),
        ("go", 'import ( "fmt" m "net/http" "x/y/v2" )', ["fmt", "m", "y"]),
        ("rust", "use std::collections::{HashMap, hash_map::{self, Entry}};", ["HashMap", "hash_map", "Entry"]),
        ("rust", "pub use std::io as sio;", ["sio"]),
        ("java", "import static x.Y.z;", ["z"]),
        ("java", "import q.*;", []),
        ("kotlin", "import a.b.D as E", ["E"]),
        ("scala", "import a.b.{C, D => E}", ["C", "E"]),
        ("php", "use D\\{E, F as G};", ["E", "G"]),
        ("csharp", "using X = A.B;", ["X"]),
        ("csharp", "using System.Text;", []),
        ("swift", "import Foundation", []),
        ("c", "#include <stdio.h>", []),
        ("haskell", "import qualified Data.Map as M", ["M"]),
    ],
)
def test_the_names_that_an_import_brings(language: str, line: str, names: list[str]) -> None:
    assert names_of(line, language) == names
    assert all(used_part(line, language, {name}) for name in names)
    assert used_part(line, language, {"nothing", "of", "these"}) == ""


def test_lists_are_shortened() -> None:
    assert used_part("from math import ( pi, sin, )", "python", {"sin"}) == "from math import sin"
    assert used_part('const {d, e: f} = require("w");', "javascript", {"f"}) == 'const { e: f } = require("w");'


def test_statements_of_several_lines_and_not_those_of_functions() -> None:
    text = "from math import (\n    pi,\n)\n\ndef f():\n    import re\n"
    found = list(import_statements(text, format_named("python").outline(text)))
    assert [one.line for one in found] == ["from math import ( pi, )"]


def test_what_is_refused() -> None:
    with pytest.raises(OptionError, match="parts must be some of imports, defines, siblings; got 'callers'"):
        CodeHeaders(parts=["callers"])  # type: ignore[list-item]  # what is tested
    with pytest.raises(WrongTypeError, match="parts must be a collection"):
        CodeHeaders(parts="imports")  # type: ignore[arg-type]  # what is tested


def test_the_repr_has_the_limit_and_the_parts() -> None:
    assert repr(CodeHeaders()) == "CodeHeaders(96)"
    assert repr(CodeHeaders(40, parts={"siblings", "imports"})) == "CodeHeaders(40, parts=['imports', 'siblings'])"
