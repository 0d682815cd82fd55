"""Markdown: examples line by line, and this repository's own pages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

from chunker.boundaries import Scope, Strength
from chunker.boundaries.markdown import MarkdownFormat

ROOT = Path(__file__).resolve().parents[3]
MARKDOWN = MarkdownFormat()


def cuts(source: str) -> list[tuple[str, str]]:
    """The label of each unit and its text, of a dedented example."""
    text = dedent(source)
    boundaries = MARKDOWN.outline(text).boundaries
    ends = [boundary.offset for boundary in boundaries[1:]] + [len(text)]
    return [(boundary.label, text[boundary.offset : end]) for boundary, end in zip(boundaries, ends, strict=True)]


def order(source: str, *starts: str) -> list[int]:
    """The strengths of the boundaries at these places, which must all be there."""
    text = dedent(source)
    strengths = {boundary.offset: boundary.strength for boundary in MARKDOWN.outline(text).boundaries}
    return [strengths[text.index(start)] for start in starts]


def trail(text: str, place: str) -> tuple[str, ...]:
    return MARKDOWN.outline(text).breadcrumb(text.index(place))


GUIDE = """\
# Guide

First. Second.
It goes on
and on.

## Install

Run it.

### On `Windows` and [elsewhere](https://example.com)

Do not.

Setext
two lines
===

## Empty
## Next
Text.
"""


def test_sections_are_ordered_by_level_and_keep_their_first_block() -> None:
    guide, install, windows, setext = order(GUIDE, "# Guide", "## Install", "### On", "Setext")
    assert guide == Strength.DOCUMENT > setext > install > windows > Strength.STRUCTURE
    assert cuts(GUIDE) == [
        ("section", "# Guide\n\nFirst. "),
        ("sentence", "Second.\n"),
        ("sentence", "It goes on\n"),
        ("line", "and on.\n\n"),
        ("section", "## Install\n\nRun it.\n\n"),
        ("section", "### On `Windows` and [elsewhere](https://example.com)\n\nDo not.\n\n"),
        ("section", "Setext\ntwo lines\n===\n\n## Empty\n"),
        ("section", "## Next\nText.\n"),
    ]


def test_the_example_of_the_documentation() -> None:
    outline = MARKDOWN.outline("# Guide\n\nFirst. Second.\n\n## Install\n\nRun it.\n")
    assert [(boundary.offset, boundary.label) for boundary in outline.boundaries] == [
        (0, "section"),
        (16, "sentence"),
        (25, "section"),
    ]
    assert outline.scopes == [Scope(0, 45, "Guide"), Scope(25, 45, "Install")]


def test_breadcrumbs_are_heading_trails() -> None:
    assert trail(GUIDE, "First") == ("Guide",)
    assert trail(GUIDE, "Run it") == ("Guide", "Install")
    assert trail(GUIDE, "Do not") == ("Guide", "Install", "On `Windows` and elsewhere")
    assert trail(GUIDE, "Text.") == ("Setext two lines", "Next")
    assert trail(GUIDE, "## Install") == ("Guide",)
    assert trail("> # quoted\n\ntext\n\n#\n\nmore", "more") == ()


def test_lists_are_cut_by_items_and_nested_ones_are_weaker() -> None:
    source = """\
        Before.

        - one
          goes on

          and on
        - two
          - deep
          - deeper

            1. deepest
            2. last
        - three
        After it, lazily.

        After.
        """
    before, after = order(source, "- one", "After.\n")
    two, three = order(source, "- two", "- three")
    deep, deeper, and_on, last = order(source, "  - deep\n", "  - deeper", "  and on", "    2. last")
    assert before == after > two == three > deep == and_on > deeper > last > Strength.STRUCTURE
    assert order(source, "  goes on") < [Strength.SENTENCE]
    assert ("list", "- one\n") in cuts(source)


def test_a_heading_keeps_the_first_item_of_a_list_and_of_a_quote() -> None:
    assert cuts("# A\n\n- one\n- two\n") == [("section", "# A\n\n- one\n"), ("item", "- two\n")]
    assert cuts("# A\n> - one\n>\n> two\n") == [("section", "# A\n> - one\n>\n"), ("paragraph", "> two\n")]
    assert cuts("# A\n\n## B\n\nText.") == [("section", "# A\n\n## B\n\nText.")]
    assert [label for label, _ in cuts("## A\n\n# B\n\n# C\n")] == ["section"] * 3


@pytest.mark.parametrize(
    ("block", "parts"),
    [
        ("```py\na\n\nb\nc\n```\n", ["```py\na\n\n", "b\n", "c\n```\n"]),
        ("~~~~\na\n~~~\nb\n~~~~\n", ["~~~~\na\n", "~~~\n", "b\n~~~~\n"]),
        ("    a\n    b\n", ["    a\n", "    b\n"]),
        ("<div>\na\n</div>\n", ["<div>\n", "a\n", "</div>\n"]),
        ("|a|b|\n|-|-|\n|1|2|\n|3|4|\n|5|6|\n", ["|a|b|\n|-|-|\n|1|2|\n", "|3|4|\n", "|5|6|\n"]),
        ("- ```\n  a\n  b\n  ```\n", ["- ```\n  a\n", "  b\n  ```\n"]),
        ("> ```\n> a\n> b\n> ```\n", ["> ```\n> a\n", "> b\n> ```\n"]),
    ],
)
def test_what_should_stay_whole_is_weak_inside(block: str, parts: list[str]) -> None:
    text = f"Before.\n\n{block}\n\n# Heading\n\n{block}\n\n"
    outline = MARKDOWN.outline(text)
    offsets = [boundary.offset for boundary in outline.boundaries]
    for start in (text.index(block), text.rindex(block)):
        ends = {start + sum(map(len, parts[:count])) for count in range(1, len(parts))}
        inside = {boundary for boundary in outline.boundaries if start < boundary.offset < start + len(block)}
        assert {boundary.offset for boundary in inside} == ends
        assert all(boundary.strength <= Strength.PARAGRAPH for boundary in inside)
    # Behind a heading too, but there the cut is weaker than any other block.
    assert text.index(block) in offsets
    strengths = {boundary.offset: boundary.strength for boundary in outline.boundaries}
    if block[0] not in "->":
        assert Strength.PARAGRAPH < strengths[text.rindex(block)] < strengths[text.index(block)]


def test_front_matter_is_one_block() -> None:
    text = "---\ntitle: a\ntags:\n  - b\n\n# no heading\n---\n# Guide\n\ntext\n"
    assert cuts(text) == [
        ("document", "---\ntitle: a\n"),
        ("line", "tags:\n"),
        ("line", "  - b\n\n"),
        ("paragraph", "# no heading\n---\n"),
        ("section", "# Guide\n\ntext\n"),
    ]
    assert [scope.name for scope in MARKDOWN.outline(text).scopes] == ["Guide"]
    assert [scope.name for scope in MARKDOWN.outline(text.replace("\n", "\r\n")).scopes] == ["Guide"]
    # Rules and headings, not front matter: no mapping follows, or the end is missing.
    assert [scope.name for scope in MARKDOWN.outline("---\n\n# A\n\n---\n").scopes] == ["A"]
    assert [scope.name for scope in MARKDOWN.outline("---\na: b\n# A\n").scopes] == ["A"]


def test_lines_that_belong_to_no_block() -> None:
    assert cuts("Text.\n\n[a]: http://b\n[c]: http://d\n\nMore.") == [
        ("paragraph", "Text.\n\n"),
        ("paragraph", "[a]: http://b\n"),
        ("line", "[c]: http://d\n\n"),
        ("paragraph", "More."),
    ]
    deep = "".join("  " * depth + "- a\n" for depth in range(60))
    assert len(cuts(deep)) == 60


@pytest.mark.parametrize("odd", ["\0", "\f", "\v", "\u2028", "\u2029", "\x85", "\ud800", "\t", "é", "😀"])
def test_odd_characters_do_not_move_offsets(odd: str) -> None:
    text = f"{odd}\n\n# A{odd}b\r\n\r\ntext{odd}\rtext\n\n```\n{odd}\nx\n```\n\n- {odd}\n- y\n## B\n"
    outline = MARKDOWN.outline(text)
    offsets = {boundary.offset: boundary.label for boundary in outline.boundaries}
    assert offsets[text.index("# A")] == offsets[text.index("## B")] == "section"
    assert offsets[text.index("```")] == "code"
    assert offsets[text.index("x\n```")] in ("line", "paragraph")
    assert offsets[text.index("- y")] == "item"
    assert outline.breadcrumb(text.index("## B") + 1)[-1] == "B"


def test_a_byte_order_mark_hides_no_heading() -> None:
    assert [scope.name for scope in MARKDOWN.outline("\ufeff# A\n\ntext").scopes] == ["A"]
    assert [scope.name for scope in MARKDOWN.outline("\ufeff---\na: b\n---\n# A\n\ntext").scopes] == ["A"]


PAGES = [path for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]) if path.stat().st_size > 500]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_pages_of_this_repository(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    outline = MARKDOWN.outline(text)
    strengths = {boundary.offset: boundary.strength for boundary in outline.boundaries}
    fence = False
    heading = None  # the level of the heading that stands directly above
    offset = 0
    count = 0
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            fence = not fence
        level = len(line) - len(line.lstrip("#"))
        if not fence and 0 < level < 7 and line[level] == " ":
            count += 1
            assert (offset in strengths) == (heading is None or heading >= level), line
            heading = level
        elif line.strip():
            # A heading keeps what follows it, unless that should be kept whole itself.
            assert heading is None or strengths.get(offset, 0) < Strength.STRUCTURE + 200, line
            heading = None
        offset += len(line)
    assert len([scope for scope in outline.scopes if scope.name]) == count > 0


def test_there_are_pages_to_judge() -> None:
    assert PAGES


@given(
    text=strategies.texts(), other=st.sampled_from(["# A\n\n", "- a\n", "> b\n\n", "```\n\n```\n\n", "|a|\n|-|\n\n"])
)
def test_units_are_ordered_by_strength(text: str, other: str) -> None:
    outline = MARKDOWN.outline(other + text)
    for before, after in pairwise(outline.boundaries):
        assert before.offset < after.offset
    for scope in outline.scopes:
        inside = [boundary for boundary in outline.boundaries if scope.start < boundary.offset < scope.end]
        own = next((boundary for boundary in outline.boundaries if boundary.offset == scope.start), None)
        # A section is stronger than all it holds, except where the heading above it keeps it.
        assert own is None or all(boundary.strength < own.strength for boundary in inside)
