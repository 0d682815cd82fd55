"""reStructuredText: an example cut by cut, titles against docutils, directives and tables."""

from __future__ import annotations

from textwrap import dedent

import pytest
from docutils import nodes
from docutils.frontend import get_default_settings
from docutils.parsers.rst import Parser
from docutils.utils import new_document
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import TextChunker
from chunker.formats import Strength
from chunker.formats.markup.restructuredtext import RestructuredTextFormat

RST = RestructuredTextFormat()
TOKENIZER = Tokenizer.load("o200k_base")

GUIDE = """\
.. _guide:

======
Guide!
======

First. Second
goes on. So::

   literal

   more

Sub
---

.. note:: X
   :class: a

   Text one. Two.

   - item
   - item2

     more of it

- one
  two

  - deep
  - deeper

- three

term
   definition
term2
   definition

.. comment
   more

Sub two
-------
1. x
2. y

.. [1] Foot note.
   More.
"""


def cuts(text: str) -> list[tuple[str, str]]:
    boundaries = RST.outline(text).boundaries
    ends = [boundary.offset for boundary in boundaries[1:]] + [len(text)]
    return [(boundary.label, text[boundary.offset : end]) for boundary, end in zip(boundaries, ends, strict=True)]


def test_a_guide_cut_by_cut() -> None:
    assert cuts(GUIDE) == [
        ("section", ".. _guide:\n\n======\nGuide!\n======\n\nFirst. "),
        ("sentence", "Second\n"),
        ("line", "goes on. "),
        ("sentence", "So::\n\n"),
        ("code", "   literal\n\n"),
        ("paragraph", "   more\n\n"),
        ("section", "Sub\n---\n\n.. note:: X\n   :class: a\n\n   Text one. "),
        ("sentence", "Two.\n\n"),
        ("list", "   - item\n"),
        ("item", "   - item2\n\n"),
        ("paragraph", "     more of it\n\n"),
        ("list", "- one\n"),
        ("line", "  two\n\n"),
        ("list", "  - deep\n"),
        ("item", "  - deeper\n\n"),
        ("item", "- three\n\n"),
        ("item", "term\n   definition\n"),
        ("item", "term2\n   definition\n\n"),
        ("comment", ".. comment\n"),
        ("line", "   more\n\n"),
        ("section", "Sub two\n-------\n1. x\n"),
        ("item", "2. y\n\n"),
        ("footnote", ".. [1] Foot note.\n   More.\n"),
    ]


def test_strengths_follow_titles_and_nesting() -> None:
    by_offset = {boundary.offset: boundary.strength for boundary in RST.outline(GUIDE).boundaries}
    starts = ["Sub\n", "- one", "- three", "  - deep\n", "  - deeper", "  two"]
    found = [by_offset[GUIDE.index(start)] for start in starts]
    assert found == sorted(found, reverse=True)
    assert len(set(found)) == len(found)
    assert by_offset[GUIDE.index("Sub two")] == found[0]
    assert RST.outline(GUIDE).breadcrumb(GUIDE.index("deeper")) == ("Guide!", "Sub")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends_make_no_difference(line_end: str) -> None:
    lines = [part.count("\n") for _, part in cuts(GUIDE)]
    changed = cuts(GUIDE.replace("\n", line_end))
    assert [(label, part.replace(line_end, "\n")) for label, part in changed] == cuts(GUIDE)
    assert [part.count(line_end) for _, part in changed] == lines


GRID = dedent("""\
    +-----+-----+
    | a   | b   |
    +=====+=====+
    | one | two |
    +-----+-----+
    | c   | d   |
    | cc  |     |
    +-----+-----+
    | e   | f   |
    +-----+-----+
    """)
SIMPLE = dedent("""\
    ===  ===
     a    b
    ===  ===
    one  two
    c    d
         dd
    e    f
    ===  ===
    """)


@pytest.mark.parametrize(
    ("table", "header", "rows"),
    [
        (GRID, GRID[: GRID.index("| one")], ["| c  ", "| e  "]),
        (SIMPLE, SIMPLE[: SIMPLE.index("one")], ["c    ", "e    "]),
    ],
)
def test_tables_repeat_their_header(table: str, header: str, rows: list[str]) -> None:
    text = f"Text.\n\n{table}\nMore.\n"
    outline = RST.outline(text)
    (scope,) = outline.scopes
    assert (text[scope.start : scope.end], scope.name, scope.header) == (table, "", header)
    assert [text[boundary.offset :][:5] for boundary in outline.boundaries if boundary.label == "row"] == rows
    assert text.index(table) in [boundary.offset for boundary in outline.boundaries if boundary.label == "table"]
    inside = [boundary for boundary in outline.boundaries if scope.start < boundary.offset < scope.end]
    assert all(boundary.strength < Strength.PARAGRAPH for boundary in inside)


def test_list_tables_and_csv_tables_repeat_their_header() -> None:
    table = ".. list-table:: T\n   :header-rows: 1\n\n   * - a\n     - b\n   * - c\n     - d\n   * - e\n     - f\n"
    (scope,) = RST.outline(f"Text.\n\n{table}\nMore.\n").scopes
    assert scope.header == table[: table.index("   * - c")]
    table = '.. csv-table:: T\n   :header: "a", "b"\n\n   "c", "d"\n   "e", "f"\n'
    (scope,) = RST.outline(f"Text.\n\n{table}\nMore.\n").scopes
    assert scope.header == table[: table.index('   "c"')]


def test_what_a_directive_describes_is_a_scope() -> None:
    text = (
        "Title\n=====\n\n.. class:: Box(size)\n\n   A box.\n\n   .. method:: open()\n\n      Opens it. Wide.\n\nText.\n"
    )
    outline = RST.outline(text)
    assert outline.breadcrumb(text.index("Wide")) == ("Title", "Box(size)", "open()")
    assert outline.breadcrumb(text.index("Text.")) == ("Title",)


def test_long_code_is_cut_as_its_language() -> None:
    code = "".join(f"   def function_{number}(a):\n       b = a\n\n       return b\n\n" for number in range(40))
    text = f"Title\n=====\n\nText::\n\n   x\n\n.. code-block:: python\n   :linenos:\n\n{code}End.\n"
    outline = RST.outline(text)
    functions = [boundary for boundary in outline.boundaries if boundary.label == "function"]
    assert len(functions) >= 39
    assert all(text.startswith("   def", boundary.offset) for boundary in functions)
    assert all(Strength.PARAGRAPH < boundary.strength < Strength.STRUCTURE for boundary in functions)
    assert outline.breadcrumb(text.index("return b")) == ("Title", "def function_0")


def test_a_directive_that_fits_is_whole() -> None:
    note = ".. note::\n\n   " + "Some words here. " * 10 + "\n\n   More of them. And more.\n\n"
    text = "Title\n=====\n\n" + ("A paragraph of words. " * 12 + "\n\n" + note) * 6
    limit = TOKENIZER.count(note) * 5 // 4 + 1
    chunks = TextChunker(limit, format="restructuredtext").chunk(text)
    assert sum(note.rstrip() in chunk.body for chunk in chunks) == 6


def titles_by_docutils(text: str) -> list[str]:
    options = get_default_settings(Parser)
    options.report_level = options.halt_level = 5
    options.warning_stream = False
    document = new_document("test", options)
    Parser().parse(text, document)
    return [" ".join(section[0].astext().split()) for section in document.findall(nodes.section)]


def titles(text: str) -> list[str]:
    return [scope.name for scope in RST.outline(text).scopes if scope.name]


WORDS = st.sampled_from(["Install", "Use it", "A b c", "Notes", "x1y2"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Documents whose sections are nested as they should be, with all kinds of bodies."""
    styles = draw(st.permutations("=-~^"))
    parts = []
    level = 0
    for _ in range(draw(st.integers(1, 8))):
        level = draw(st.integers(1, min(level + 1, 4)))
        title = draw(WORDS)
        parts.append(f"{title}\n{styles[level - 1] * (len(title) + draw(st.integers(0, 3)))}\n\n")
        parts += draw(st.lists(st.sampled_from(BODIES), max_size=3))
    return "".join(parts)


BODIES = [
    "A paragraph.\nIn two lines.\n\n",
    "- item\n- item\n\n  more\n\n",
    "1. first\n2. second\n\n",
    "A paragraph::\n\n   Literal\n   =======\n\n",
    ".. note:: N\n\n   Inside.\n\n",
    ".. comment\n   Not a title\n   -----------\n\n",
    "term\n   definition\n\n",
    "    Quoted.\n\n",
    "| line\n| block\n\n",
    ">>> 1\n1\n\n",
    ":field: value\n\n",
    GRID + "\n",
    SIMPLE + "\n",
    "----\n\nBehind a transition.\n\n",
    ".. _target:\n\n",
    ".. [1] Footnote.\n\n",
    "-x  option\n--long=y  option\n\n",
]


@settings(max_examples=50, deadline=None)
@given(text=documents())
def test_titles_are_those_of_docutils(text: str) -> None:
    assert titles(text) == titles_by_docutils(text)


def test_titles_of_the_guide() -> None:
    assert titles(GUIDE) == titles_by_docutils(GUIDE) == ["Guide!", "Sub", "Sub two"]
