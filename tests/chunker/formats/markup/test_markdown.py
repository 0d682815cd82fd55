"""Markdown: examples line by line, and this repository's own pages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from textwrap import dedent

import pytest
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_fragments import BLOCKS
from markdown_it import MarkdownIt

from chunker import MarkdownChunker
from chunker.formats import Scope, Strength
from chunker.formats.code.parser_copies import copy_for_parsers
from chunker.formats.markup.markdown import MarkdownFormat
from chunker.formats.markup.markdown_blocks import read_blocks
from chunker.formats.markup.markdown_handler import BlockHandler

ROOT = Path(__file__).resolve().parents[4]
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


def breadcrumb_at(text: str, place: str) -> tuple[str, ...]:
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


def test_breadcrumbs_are_the_headings() -> None:
    assert breadcrumb_at(GUIDE, "First") == ("Guide",)
    assert breadcrumb_at(GUIDE, "Run it") == ("Guide", "Install")
    assert breadcrumb_at(GUIDE, "Do not") == ("Guide", "Install", "On `Windows` and elsewhere")
    assert breadcrumb_at(GUIDE, "Text.") == ("Setext two lines", "Next")
    assert breadcrumb_at(GUIDE, "## Install") == ("Guide",)
    assert breadcrumb_at("> # quoted\n\ntext\n\n#\n\nmore", "more") == ()


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


def test_a_list_that_is_indented_by_a_tab_begins_at_its_own_line() -> None:
    boundaries = MARKDOWN.outline("- one\ngoes on\n\t- two").boundaries
    assert [boundary.offset for boundary in boundaries] == [0, 6, 14]
    assert boundaries[-1].label in ("list", "item", "paragraph")


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
    # After a heading too, but there the cut is weaker than any other block.
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
    sections = []
    inside = set()  # the offsets of lines of code
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            fence = not fence
        if fence:
            inside.add(offset)
        level = len(line) - len(line.lstrip("#"))
        if not fence and 0 < level < 7 and line[level] == " ":
            sections.append(offset)
            assert (offset in strengths) == (heading is None or heading >= level), line
            heading = level
        elif line.strip():
            # A heading keeps what follows it, unless that should be kept whole itself.
            assert heading is None or strengths.get(offset, 0) < Strength.STRUCTURE + 200, line
            heading = None
        offset += len(line)
    assert [scope.start for scope in outline.scopes if scope.name and scope.start not in inside] == sections
    assert sections


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


TABLE = "| item | price |\n|------|------:|\n| tea  | 2 |\n| milk | 1 |\n| bread | 3 |\n"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        (f"Text.\n\n{TABLE}\nMore.\n", TABLE[: TABLE.index("| tea")]),
        (f"Text.\n\n{TABLE}# Next\n", TABLE[: TABLE.index("| tea")]),
        ("- " + TABLE.replace("\n", "\n  ") + "\n", "- | item | price |\n  |------|------:|\n"),
        ("> " + TABLE.replace("\n", "\n> ") + "\n\nx", "> | item | price |\n> |------|------:|\n"),
        (f"Text.\n\n{TABLE}\n".replace("\n", "\r\n"), TABLE[: TABLE.index("| tea")].replace("\n", "\r\n")),
        ("a | b\n- | -\n1 | 2\n3 | 4\n", "a | b\n- | -\n"),
    ],
)
def test_the_header_of_a_table_is_repeated(text: str, header: str) -> None:
    outline = MARKDOWN.outline(text)
    (table,) = [scope for scope in outline.scopes if not scope.name]
    assert table.header == header
    inside = [boundary for boundary in outline.boundaries if table.start < boundary.offset < table.end]
    assert {boundary.label for boundary in inside} == {"row"}
    # The first row stays with the header.
    assert not text[: inside[0].offset].endswith(header)
    assert text[: inside[0].offset].startswith(text[: table.start] + header)


def test_a_row_of_another_width_is_no_delimiter() -> None:
    assert not MARKDOWN.outline("| a | b |\n|---|\n| c |\n| d |\n").scopes
    assert not MARKDOWN.outline("| a |\n|---|---|\n| c |\n| d |\n").scopes
    assert MARKDOWN.outline("| a \\| b |\n|---|\n| c |\n| d |\n").scopes


def test_chunks_of_a_long_table_begin_with_its_header() -> None:
    rows = "".join(f"| name {number} | {number} |\n" for number in range(60))
    text = f"# Prices\n\n| name | number |\n|---|--:|\n{rows}\nEnd.\n"
    chunks = MarkdownChunker(100, context=True).chunk(text)
    assert len(chunks) > 4
    assert all(chunk.context == "Prices\n| name | number |\n|---|--:|\n" for chunk in chunks[1:])
    assert "".join(chunk.body for chunk in chunks) == text


def test_front_matter_in_toml() -> None:
    text = '+++\ntitle = "a"\n\n[extra]\nb = 1\n+++\nText. More.\n'
    assert cuts(text) == [
        ("document", '+++\ntitle = "a"\n\n'),
        ("paragraph", "[extra]\n"),
        ("line", "b = 1\n+++\n"),
        ("paragraph", "Text. "),
        ("sentence", "More.\n"),
    ]
    strengths = {boundary.offset: boundary.strength for boundary in MARKDOWN.outline(text + "\n# A\n").boundaries}
    # A unit of its own: nothing else is cut off as well.
    assert strengths[text.index("Text.")] == max(strength for offset, strength in strengths.items() if offset)
    assert [label for label, _ in cuts("+++\nno key\n+++\n")] == ["paragraph", "line", "line"]


def test_footnotes_and_math() -> None:
    text = "Text[^1].\n\n[^1]: Note. Long.\n    And more.\n\n$$\na + b.\nc\n$$\n\n- $$\n  x. Y\n  $$\n- z\n"
    assert cuts(text) == [
        ("paragraph", "Text[^1].\n\n"),
        ("footnote", "[^1]: Note. "),
        ("sentence", "Long.\n"),
        ("sentence", "    And more.\n\n"),
        ("math", "$$\n"),
        ("line", "a + b.\n"),
        ("line", "c\n"),
        ("line", "$$\n\n"),
        ("list", "- $$\n"),
        ("line", "  x. Y\n"),
        ("line", "  $$\n"),
        ("item", "- z\n"),
    ]


CODE = "".join(f"def function_{number}(a):\n    b = a\n\n    return b\n\n\n" for number in range(40))


@pytest.mark.parametrize("prefix", ["", "  ", "> ", "- "])
@pytest.mark.parametrize("info", ["python", "py title=x", "{.python #a}", "Python3"])
def test_long_code_is_cut_as_its_language(prefix: str, info: str) -> None:
    rest = prefix.replace("-", " ")
    fence = "".join(rest + line for line in f"```{info}\n{CODE}```\n".splitlines(keepends=True)).removeprefix(rest)
    text = f"# A\n\nText.\n\n{prefix}{fence}\nMore.\n"
    outline = MARKDOWN.outline(text)
    functions = [boundary for boundary in outline.boundaries if boundary.label == "function"]
    assert len(functions) == 39
    assert all(text.startswith(rest + "def ", boundary.offset) for boundary in functions)
    assert all(Strength.PARAGRAPH < boundary.strength < Strength.STRUCTURE for boundary in functions)
    assert outline.breadcrumb(text.index("return b")) == ("A", "def function_0")


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_make_no_difference(line_end: str) -> None:
    text = GUIDE + "\n" + TABLE + "\n- a\n\n  b\n- c\n\n```py\nx\n\ny\n```\n> q\n> r. S\n"
    changed = cuts(text.replace("\n", line_end))
    assert [(label, part.replace(line_end, "\n")) for label, part in changed] == cuts(text)


class Heard(BlockHandler):
    """What a handler is told, by lines."""

    def __init__(self, text: str) -> None:
        self._copy = copy_for_parsers(text)
        self.found: list[tuple[int, str]] = []
        read_blocks(self._copy, 0, self)

    def _hear(self, start: int, label: str) -> None:
        assert start == 0 or self._copy[start - 1] == "\n"
        self.found.append((self._copy.count("\n", 0, start), label))

    def heading(self, start: int, end: int, level: int) -> None:
        self._hear(start, f"heading {level}")

    def paragraph(self, start: int, end: int) -> None:
        self._hear(start, "paragraph")

    def code(self, start: int, end: int, info: str | None) -> None:
        self._hear(start, "code")

    def table(self, start: int, end: int, rows: list[int]) -> None:
        self._hear(start, "table")
        for row in rows:
            self._hear(row, "row")

    def leaf(self, start: int, end: int, label: str) -> None:
        self._hear(start, label)

    def lines(self, start: int, end: int) -> None:
        pass

    def open(self, start: int, label: str) -> None:
        self._hear(start, label)

    def item(self, start: int) -> None:
        self._hear(start, "item")

    def close(self) -> None:
        pass


ORACLE = MarkdownIt("commonmark").enable("table")
LABELS = {
    "blockquote_open": "quote",
    "bullet_list_open": "list",
    "code_block": "code",
    "fence": "code",
    "hr": "rule",
    "html_block": "html",
    "list_item_open": "item",
    "ordered_list_open": "list",
    "paragraph_open": "paragraph",
    "table_open": "table",
}


def blocks_by_oracle(text: str) -> list[tuple[int, str]]:
    """The same, as markdown-it-py has it."""
    tokens = ORACLE.parse(text)
    found = []
    for index, token in enumerate(tokens):
        if token.map is None:
            continue
        if token.type == "heading_open":
            found.append((token.map[0], f"heading {token.tag[1:]}"))
        elif token.type == "tr_open" and tokens[index - 1].type in ("tbody_open", "tr_close"):
            found.append((token.map[0], "row"))
        elif token.type in LABELS:
            found.append((token.map[0], LABELS[token.type]))
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(BLOCKS), max_size=9).map("".join))
def test_blocks_are_those_of_markdown_it(text: str) -> None:
    assert Heard(text).found == blocks_by_oracle(text)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_blocks_of_this_repository_are_those_of_markdown_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert Heard(text).found == blocks_by_oracle(text)
