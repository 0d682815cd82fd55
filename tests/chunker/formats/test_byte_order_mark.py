"""A byte order mark belongs to what the text begins with: the boundaries are those of the text without it."""

from __future__ import annotations

import pytest
from format_fragments import PIECES
from hypothesis import assume, example, given
from hypothesis import strategies as st

from chunker import chunker_for
from chunker.formats.registry import format_named

MARK = "\ufeff"
MARKDOWN = [
    "# A\n", "## B\n", "Words. More.\n", "\n", "- one\n", "- two\n", "> q\n", "| a | b |\n|---|---|\n| 1 | 2 |\n",
    "```python\nx\n```\n", "[a]: b\n", "[^1]: n\n", "T\n=\n", "---\na: b\n---\n",
]  # fmt: skip
TOML = ["[a]\n", "[[b]]\n", "x = 1\n", "# c\n", "\n", "y = [\n 1]\n", "?\n"]
FRAGMENTS = {"markdown": MARKDOWN, "restructuredtext": PIECES["restructuredtext"], "toml": TOML}


@pytest.mark.parametrize("name", FRAGMENTS)
@given(data=st.data())
@example(data=None)
def test_boundaries(name: str, data: st.DataObject | None) -> None:
    pieces = FRAGMENTS[name]
    text = (
        "".join(pieces)
        if data is None
        else data.draw(st.lists(st.sampled_from(pieces), min_size=1, max_size=12).map("".join))
    )
    assume(not text[0].isspace())  # a line of a mark alone is not blank
    read = format_named(name)
    without, outline = read.outline(text), read.outline(MARK + text)
    assert outline.labels == without.labels
    assert outline.strengths == without.strengths
    assert outline.offsets == [0, *(offset + 1 for offset in without.offsets[1:])]


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.md", "# T\n\nWords.\n\n## Part\n\nMore.\n", "section"),
        ("b.md", "- one\n- two\n", "list"),
        ("a.html", "<h1>A</h1>\n<p>Words.</p>\n<h2>B</h2>\n", "section"),
        ("a.tex", "\\section{A}\nWords.\n\\section{B}\n", "section"),
        ("a.rst", "Title\n=====\n\nWords.\n", "section"),
        ("a.toml", "[a]\nb = 1\n\n[c]\nd = 2\n", "document"),
        ("a.py", "def f():\n    return 1\n", "function"),
    ],
)
def test_the_first_chunk(name: str, text: str, kind: str) -> None:
    first = chunker_for(name, 12, text=text, min_tokens=0).chunk(MARK + text)[0]
    assert first.kind == kind
    assert len(first.text) > 1
