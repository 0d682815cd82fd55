"""Python: examples line by line, and real sources judged by Python's own parser."""

from __future__ import annotations

import ast
import os
import tokenize
from collections.abc import Iterator
from io import StringIO
from itertools import accumulate
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker.formats import Outline, Strength
from chunker.formats.code.code_format import CodeFormat

ROOT = Path(__file__).resolve().parents[4]
STANDARD_LIBRARY = Path(os.__file__).resolve().parent
SOURCES = [
    *(
        STANDARD_LIBRARY / name
        for name in ("json/decoder.py", "dataclasses.py", "typing.py", "enum.py", "functools.py", "ast.py")
    ),
    *(
        STANDARD_LIBRARY / name
        for name in (
            "argparse.py",
            "contextlib.py",
            "inspect.py",
            "unittest/mock.py",
            "statistics.py",
            "html/entities.py",
        )
    ),
    *sorted((ROOT / "chunker").rglob("*.py")),
    *sorted((ROOT / "bpe_engine").rglob("*.py")),
]
PYTHON = CodeFormat("python")


def read(path: Path) -> str:
    with tokenize.open(path) as file:
        return file.read()


def ranks(source: str) -> dict[str, int]:
    """The strengths at the lines of a dedented example, by the line's text; the same small number for the same strength."""
    text = dedent(source).lstrip("\n")
    boundaries = PYTHON.outline(text).boundaries
    order = sorted({boundary.strength for boundary in boundaries})
    return {text[boundary.offset :].splitlines()[0].strip(): order.index(boundary.strength) for boundary in boundaries}


EXAMPLE = '''
    """A module."""
    import os
    import sys

    # A constant.
    LIMIT = 3


    # Holds things.
    # And more.
    @final
    @sealed(
        1,
    )
    class Stack(Base):
        """A stack."""

        size = 0
        # Put on top.
        def push(self, item):
            """Push."""
            if item:
                self.put(item)
                return 1
            else:
                pass
            x = [
                "first",
                "second",
            ]
            # the end

        def pop(self): return 1
    stack = Stack()
    other = Stack()
'''


def test_the_strengths_of_an_example() -> None:
    found = ranks(EXAMPLE)
    # one depth: definitions and what follows them, then what a blank line precedes, then other parts
    assert found["# Holds things."] == found["stack = Stack()"]
    assert found["stack = Stack()"] > found["# A constant."] > found["other = Stack()"] == found["import os"]
    assert found["# Put on top."] == found["def pop(self): return 1"] > found["size = 0"]
    # a definition against its comments, its decorators and what is in it
    assert found["# Holds things."] > found["@final"] > found["class Stack(Base):"] > found["# Put on top."]
    assert found["# Put on top."] > found["def push(self, item):"] > found["x = ["] > found['"second",']
    assert found["else:"] > found["return 1"]
    # what introduces something is not cut from it
    lines = ['"""A stack."""', '"""Push."""', "self.put(item)", '"first",', "pass", "LIMIT = 3", "@sealed("]
    assert {found[line] for line in lines} == {found["]"]} == {0}


def test_the_labels_and_scopes_of_an_example() -> None:
    text = dedent(EXAMPLE).lstrip("\n")
    outline = PYTHON.outline(text)
    labels = {text[boundary.offset :].splitlines()[0].strip(): boundary.label for boundary in outline.boundaries}
    assert labels['"""A module."""'] == "module"
    assert labels["import sys"] == "import"
    assert labels["# Holds things."] == labels["@final"] == labels["class Stack(Base):"] == "class"
    assert labels["# Put on top."] == labels["def pop(self): return 1"] == "function"
    assert labels["else:"] == "clause"
    assert labels["# the end"] == "comment"
    assert outline.notes == {}
    assert outline.breadcrumb(text.index("first")) == ("class Stack", "def push")
    assert outline.breadcrumb(text.index("    # Put")) == ("class Stack",)
    assert outline.breadcrumb(text.index("# Holds")) == outline.breadcrumb(text.index("stack =")) == ()


@pytest.mark.parametrize(
    ("source", "strong"),
    [
        ("def f():\n    x\n    # inside f\n# before g\ndef g(): pass\n", "# before g"),
        ("def f():\n    x\n# before g\n\n# and more\ndef g(): pass\n", "# and more"),
        ("class A:\n    x = 1  # not above\n    def f(self): pass\n", "def f"),
        ("class A:\n    # only comment\n    def f(self): pass\n", "# only comment"),
        ("def f(): pass\r\n# c\r\n@d\r\n# e\r\nasync def g(): pass\r\n", "# c"),
        ("x = '''\n# in a string'''\ndef f(): pass\n", "def f"),
        ("\fdef f(): pass\n\f\n\f# c\n\fdef g(): pass\n", "\f# c"),
        ("\ufeff# c\ndef f(): pass\n", "\ufeff# c"),
    ],
)
def test_comments_belong_to_the_definition_below(source: str, strong: str) -> None:
    outline = PYTHON.outline(source)
    definitions = [
        boundary for boundary in outline.boundaries if source[boundary.offset :].lstrip(" ").startswith(strong)
    ]
    assert definitions, outline.boundaries
    inside = [boundary.strength for boundary in outline.boundaries if boundary.offset > definitions[0].offset]
    before = [boundary.strength for boundary in outline.boundaries if 0 < boundary.offset < definitions[0].offset]
    assert all(strength <= definitions[0].strength for strength in before)
    assert all(strength < definitions[0].strength for strength in inside)


class Definitions(ast.NodeVisitor):
    """Where the definitions of a source begin, with decorators and leading comments, and end: lines from 0, the end excluded."""

    def __init__(self, source: str) -> None:
        self.spans: list[tuple[int, int, int, str]] = []
        # Lines as Python counts them: not those of str.splitlines.
        self.lines = StringIO(source).readlines()
        self.comments = {
            token.start[0] - 1
            for token in tokenize.generate_tokens(StringIO(source).readline)
            if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#")
        }
        self.visit(ast.parse(source))

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            start = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]) - 1
            top = start
            while top - 1 in self.comments and self.indent(top - 1) <= self.indent(start):
                top -= 1
            assert node.end_lineno is not None
            keyword = "class" if isinstance(node, ast.ClassDef) else "def"
            self.spans.append((top, start, node.end_lineno, f"{keyword} {node.name}"))
        self.generic_visit(node)

    def indent(self, row: int) -> int:
        return len(self.lines[row]) - len(self.lines[row].lstrip())


def definitions(source: str) -> Iterator[tuple[int, int, int, str]]:
    """As `Definitions.spans`, in characters."""
    found = Definitions(source)
    starts = [0, *accumulate(map(len, found.lines))]
    for top, start, end, name in found.spans:
        yield starts[top], starts[start], starts[end], name


def check_definitions(source: str, outline: Outline) -> int:
    """Every definition begins and ends at boundaries that are stronger than all inside it; the number of definitions."""
    strengths = {boundary.offset: boundary.strength for boundary in outline.boundaries}
    offsets = sorted(strengths)
    scopes = {(scope.start, scope.name) for scope in outline.scopes}
    count = 0
    for top, start, end, name in definitions(source):
        inside = [strengths[offset] for offset in offsets if top < offset < end]
        after = next((offset for offset in offsets if offset >= end), None)
        assert strengths[top] > max(inside, default=-1), name
        # What is between the end and the next boundary is blank.
        assert source[end:after].strip() == "", name
        assert after is None or strengths[after] > max(inside, default=-1), name
        if start > top:
            # If the comments have to go, the rest can stay whole.
            assert strengths[start] > max(
                [strengths[offset] for offset in offsets if start < offset < end], default=-1
            ), name
        assert (top, name) in scopes
        count += 1
    assert len(scopes) == count
    return count


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_definitions_of_real_sources(path: Path) -> None:
    source = read(path)
    outline = PYTHON.outline(source)
    check_definitions(source, outline)
    assert outline.notes == {}


def test_there_are_many_definitions_to_judge() -> None:
    assert sum(len(list(definitions(read(path)))) for path in SOURCES) > 1_500


@st.composite
def programs(draw: st.DrawFn, depth: int = 0) -> str:
    """Python with definitions at all depths, comments and decorators of all kinds above them."""
    indent = "    " * depth
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(st.lists(st.sampled_from(["", "# c", "", "# d é", "    # deep", "# it's"]), max_size=3))
        kind = draw(
            st.sampled_from(
                [
                    "x = 1",
                    "def one(): pass",
                    "x = [\n1,\n2]",
                    "s = '''\n# no\n'''",
                    "if x:",
                    "class A:",
                    "def f(a):",
                    "for x in y:",
                ]
            )
        )
        if kind[-1] == ":" and draw(st.booleans()) and kind.startswith(("class", "def")):
            lines += draw(st.lists(st.sampled_from(["@d", "@d(1)", "# between"]), min_size=1, max_size=3))
            lines.append("@last")
        lines.append(kind)
        if kind[-1] == ":":
            body = draw(programs(depth + 1)) if depth < 3 else "    " * (depth + 1) + "pass\n"
            lines[-1] += "\n" + body.rstrip("\n")
    text = ""
    for line in lines:
        first, *rest = line.split("\n")
        text += (indent + first if first.strip() else first) + "\n" + "".join(part + "\n" for part in rest)
    return text


@given(source=programs())
def test_definitions_of_random_programs(source: str) -> None:
    outline = PYTHON.outline(source)
    check_definitions(source, outline)
    assert outline.notes == {}
    # The same in other line ends.
    check_definitions(source, PYTHON.outline(source))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("class A:\n  def f(self):\n    return (\n\n  def g(self):\n    pass\n", {"class A", "def f", "def g"}),
        ("def f(:\n  pass\ndef g():\n  pass\n", {"def f", "def g"}),
        ("<<<<<<< HEAD\ndef f(): pass\n=======\n>>>>>>> x\ndef g(): pass\n", {"def g"}),
    ],
)
def test_what_a_broken_source_still_holds(source: str, names: set[str]) -> None:
    outline = PYTHON.outline(source)
    assert outline.notes == {"parse": "had errors"}
    assert names <= {scope.name for scope in outline.scopes}


def test_a_parse_without_end_is_given_up() -> None:
    # The parser alone needs minutes for this.
    source = "def f():\n    pass\n" + "<!--\n" * 12_000
    outline = PYTHON.outline(source)
    assert outline.notes == {"parse": "given up"}
    assert {boundary.strength for boundary in outline.boundaries[1:]} == {Strength.LINE}
    assert len(outline.boundaries) == 12_002


@pytest.mark.parametrize("comment", ["# c", "    # c", "# it's", "#\\", "\\"])
def test_a_long_run_of_comments_costs_no_more_than_its_length(comment: str) -> None:
    # The parser alone needs a minute for 12,000 lines of this.
    source = "def f():\n    pass\n" + f"{comment}\n" * 12_000 + "\n# lead\ndef g():\n    pass\n"
    outline = PYTHON.outline(source)
    assert [scope.name for scope in outline.scopes] == ["def f", "def g"]
    assert outline.scopes[1].start == source.index("# lead")


def test_the_scale_does_not_end_before_the_nesting() -> None:
    source = "".join(" " * depth + "class A:\n" for depth in range(90)) + " " * 90 + "pass\n"
    assert check_definitions(source, PYTHON.outline(source)) == 90
    brackets = "x = " + "[\n1,\n" * 5_000 + "]" * 5_000 + "\n"
    assert all(boundary.strength >= Strength.LINE for boundary in PYTHON.outline(brackets).boundaries)
