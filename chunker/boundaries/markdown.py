"""Markdown: sections under their headings, then blocks, items, rows and sentences.

    # Guide              section              scope "Guide"
    First. Second.       none; sentence       a heading keeps what it introduces
    It goes on           sentence
    and on.              soft line            weaker than sentences
                                              (blank lines belong to what precedes them)
    - one                block (list)
    - two                item
      - deep             block, one deeper
    ```                  block (code)         kept whole where it fits
    a = 1                none
    b = 2                line
    ```                  none
    | a | b |            block (table)        scope without a name: its header is repeated in a context
    |---|---|            none
    | 1 | 2 |            none
    | 3 | 4 |            row
    ## Install           section, weaker      scope "Install" inside "Guide"

CommonMark with tables, footnotes, blocks of math ($$) and front matter (YAML between ---, TOML between +++), which is a unit of
its own. Every boundary but those of sentences stands at a line start, before the marks of quotes and lists. Lines that
belong to no block, such as link definitions, are LINE boundaries. A long fence of code is cut as its language is.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from chunker.boundaries.base import Outline, Scope, Strength
from chunker.boundaries.columns import Columns, Heading, sections
from chunker.boundaries.embedded import Stretch
from chunker.boundaries.markdown_blocks import copy_for_parsers, read_blocks
from chunker.boundaries.sketches import Sketch
from chunker.expressions import re

_SECTION = Strength.STRUCTURE + 1_000  # minus the level of the heading
_BLOCK = Strength.STRUCTURE + 200  # minus three for each quote or list around it
_ITEM = -1  # an item, against the block that its list is
_DEEPEST = 50  # what is nested deeper is as strong as what is not quite as deep
_BEFORE_FENCE = " \t>-+*.)0123456789"  # marks of quotes and items
_KEPT = -2  # between a heading and a block that should stay whole

# YAML between lines of dashes or TOML between lines of plus signs, at the very start of the text. A key or a comment must
# follow, else the dashes are a rule.
_FRONT_MATTER = re.compile(
    r"""
    ---[ \t]*+\n (?= [ \t]*+ (?: [\w.-]++ [ \t]*+ : | \# ) ) (?P<yaml> (?: (?! (?: --- | \.\.\. ) [ \t]*+ \n ) [^\n]*+ \n )++ )
    (?: --- | \.\.\. ) [ \t]*+ (?: \n | \Z )
  | \+\+\+[ \t]*+\n (?= [ \t\n]*+ (?: [\w."'-]++ [ \t]*+ = | [\#\[] ) ) (?P<toml> (?: (?! \+\+\+ [ \t]*+ \n ) [^\n]*+ \n )++ )
    \+\+\+ [ \t]*+ (?: \n | \Z )
    """,
    re.VERBOSE,
)
_QUOTED_LINE_START = re.compile(r"\n(?:[ \t>]*+\n)*+(?=.)", re.DOTALL)
_QUOTED_BLANK = re.compile(r"(?:[ \t>]*\n)*+")
_CLOSING_FENCES = {mark: re.compile(rf"[ \t>]*+{mark}{{3,}}+[ \t]*+\n?\Z") for mark in "`~"}
_LINK = regex.compile(r"!?\[([^\[\]]*+)\](?:\([^()\s]*+(?:\s[^()]*+)?\)|\[[^\[\]]*+\])")
_MARKS_BEFORE = re.compile(r"[ \t>]*+(?:#{1,6}(?=\s|\Z))?")
_MARKS_BEHIND = re.compile(r"(?:\A|[ \t]++)#++\s*\Z|\n[ \t>]*+(?:=++|-++)\s*\Z|\s++\Z")


class MarkdownFormat:
    """CommonMark with tables, footnotes, math and front matter."""

    language: str | None = "markdown"

    def outline(self, text: str) -> Outline:
        """The sections, blocks, items, rows and sentences of `text`. The scopes are the sections, named by their headings, the
        tables, for the sake of their header rows, and what long fences of code define.

        Linear; any str is Markdown.
        """
        if not text:
            return Outline([], finest=Strength.SENTENCE)
        reading = _Collector(text)
        return reading.columns.outline(reading.scopes())

    def sketch(self, text: str, _size: int) -> Sketch:
        """The same, with all blocks closed that have no blocks inside."""
        reading = _Collector(text, closing=True)
        return reading.columns.sketch(reading.scopes)


class _Collector:
    """Collects what begins where, from the blocks of one text in their order; `columns` has the result."""

    def __init__(self, text: str, *, closing: bool = False) -> None:
        self._text = text
        self._copy = copy_for_parsers(text)
        self.columns = Columns(text, self._copy, closing=closing)
        self._headings: list[Heading] = []
        self._depth = 0
        self._glued = 0  # the level of the heading that stands directly before, 0 if none does
        self._first_item = False
        self._read()

    def scopes(self) -> Iterator[Scope]:
        """The sections."""
        return sections(self._headings, len(self._text))

    def _read(self) -> None:
        start = int(self._text.startswith("\ufeff"))
        match = _FRONT_MATTER.match(self._copy, start)
        if match is not None:
            kind = "yaml" if match["toml"] is None else "toml"
            first, end = match.span(kind)
            self.columns.code(Stretch(first, end), kind)
            start = match.end()
        read_blocks(self._copy, start, self)
        if match is not None:
            self.columns.strengthen(start, _SECTION)  # what is behind front matter is a unit of its own

    # --- blocks: what `Reader` asks for

    def heading(self, start: int, end: int, level: int) -> None:
        """A heading, with its marks."""
        above = self._glued
        if self._depth:
            self._block(start, "heading")
        else:
            if not above or above >= level:
                self.columns.put(start, _SECTION - level, "section")
            self._headings.append(Heading(start, level, _plain(self._text[start:end])))
        self._glued = level

    def paragraph(self, start: int, end: int) -> None:
        """Prose."""
        self._block(start, "paragraph")
        self._glued = 0
        self.columns.prose(start, end)

    def code(self, start: int, end: int, info: str | None) -> None:
        """A fence with its info string, or an indented block."""
        self._whole(start, "code")
        if info is None:
            self.columns.verbatim(start, end)
            return
        # The line that opens a fence stays with the first line of code, the one that closes it with the last.
        first = self._copy.find("\n", start, end) + 1 or end
        last = self._copy.rfind("\n", first, end - 1) + 1 or first
        opening = self._copy[start:first]
        fence = opening.lstrip(_BEFORE_FENCE)
        if not _CLOSING_FENCES[fence[0]].match(self._copy, last, end):
            last = end
        words = info.replace("{", " ").replace("}", " ").split()
        self.columns.code(Stretch(first, last, len(opening) - len(fence)), words[0].lstrip(".") if words else "")

    def table(self, start: int, end: int, rows: list[int]) -> None:
        """A table; `rows` are the starts of the lines below the delimiter row."""
        self._whole(start, "table")
        for row in rows[1:]:  # the first one stays with the header
            self.columns.put(row, Strength.LINE, "row")
        if len(rows) > 1:
            self.columns.scopes.append(Scope(start, end, "", self._text[start : rows[0]]))

    def leaf(self, start: int, end: int, label: str) -> None:
        """Another block without blocks inside."""
        if label == "rule":
            self._block(start, label)
            self._glued = 0
        else:
            self._whole(start, label)
            self.columns.verbatim(start, end)

    def lines(self, start: int, end: int) -> None:
        """Lines that are no block, such as link definitions; blank ones among them."""
        first = _QUOTED_BLANK.match(self._copy, start, end)
        at = start if first is None else first.end()
        if at < end and start:
            blank = at > start or self._copy.endswith("\n\n", 0, start)
            if self._glued:
                self.columns.put(at, *((Strength.PARAGRAPH, "paragraph") if blank else (Strength.LINE, "line")))
            else:
                # Stronger than all that is inside the block before: that block is a unit of its own.
                self.columns.put(at, *((self._level(), "paragraph") if blank else (Strength.STRUCTURE, "line")))
        self.columns.lines(at, end, _QUOTED_LINE_START)

    def open(self, start: int, label: str) -> None:
        """A block with blocks inside begins."""
        self._block(start, label)
        self._depth += 1
        self._first_item = True

    def item(self, start: int) -> None:
        """An item of the innermost list begins."""
        if not self._first_item:
            self._glued = 0  # a heading keeps the first item, not one after it
        if not self._glued:
            self.columns.put(start, self._level() + 3 + _ITEM, "item")
        self._first_item = False

    def close(self) -> None:
        """The innermost open block ends."""
        self._depth -= 1
        self._glued = 0

    # --- boundaries

    def _level(self) -> int:
        return _BLOCK - 3 * min(self._depth, _DEEPEST)

    def _block(self, start: int, label: str) -> None:
        if not self._glued:
            self.columns.put(start, self._level(), label)

    def _whole(self, start: int, label: str) -> None:
        """A block that should stay whole, even if that parts it from its heading."""
        self.columns.put(start, self._level() + (_KEPT if self._glued else 0), label)
        self._glued = 0


def _plain(heading: str) -> str:
    """The text of a heading on one line; of links only the text, as an address says little in a breadcrumb and costs much."""
    heading = heading.replace("\r\n", "\n").replace("\r", "\n")
    heading = _MARKS_BEHIND.sub("", _MARKS_BEFORE.sub("", heading, count=1))
    return " ".join(_LINK.sub(r"\1", heading).split())
