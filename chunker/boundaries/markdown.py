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

import re
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import NamedTuple

import regex

from chunker.boundaries.base import Boundary, Outline, Scope, Strength
from chunker.boundaries.embedded import Stretch, code_inside
from chunker.boundaries.markdown_blocks import copy_for_parsers, read_blocks
from chunker.boundaries.prose import prose_ends

_SECTION = Strength.STRUCTURE + 1_000  # minus the level of the heading
_BLOCK = Strength.STRUCTURE + 200  # minus three for each quote or list around it
_ITEM = -1  # an item, against the block that its list is
_DEEPEST = 50  # what is nested deeper is as strong as what is not quite as deep
_SOFT_LINE = (
    Strength.WORD + 5
)  # a line start inside a sentence: better than a cut between two words, no better than that
_BEFORE_FENCE = " \t>-+*.)0123456789"  # marks of quotes and items
_KEPT = -2  # between a heading and a block that should stay whole

_LINE, _PARAGRAPH, _SENTENCE = int(Strength.LINE), int(Strength.PARAGRAPH), int(Strength.SENTENCE)

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
_LINE_START = re.compile(r"\n((?:[ \t]*\n)*+)(?=.)", re.DOTALL)
_QUOTED_LINE_START = re.compile(r"\n((?:[ \t>]*\n)*+)(?=.)", re.DOTALL)
_QUOTED_BLANK = re.compile(r"(?:[ \t>]*\n)*+")
_CLOSING_FENCES = {mark: re.compile(rf"[ \t>]*+{mark}{{3,}}+[ \t]*+\n?\Z") for mark in "`~"}
_BLANK_LINE = re.compile(r"[ \t]*+\n")
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
        reader = _Collector(text)
        reader.run()
        # What is too long is cut into words: the sentences are there already, and those of code are none.
        return Outline(reader.boundaries(), reader.scopes(), finest=Strength.SENTENCE)


class _Heading(NamedTuple):
    start: int
    level: int
    name: str


class _Collector:
    """Collects what begins where, from the blocks of one text in their order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._copy = copy_for_parsers(text)
        # The boundaries, by columns; offsets ascend.
        self._offsets = [0]
        self._strengths = [int(Strength.DOCUMENT)]
        self._labels = ["document"]
        self._headings: list[_Heading] = []
        self._scopes: list[Scope] = []
        self._depth = 0
        self._glued = 0  # the level of the heading that stands directly before, 0 if none does
        self._first_item = False

    def run(self) -> None:
        """Collect."""
        start = int(self._text.startswith("\ufeff"))
        match = _FRONT_MATTER.match(self._copy, start)
        if match is not None:
            kind = "yaml" if match["toml"] is None else "toml"
            first, end = match.span(kind)
            self._inside(Stretch(first, end), kind)
            start = match.end()
        read_blocks(self._copy, start, self)
        if match is not None:
            self._set_off(start)

    def _set_off(self, start: int) -> None:
        """Make what is behind the front matter a unit of its own."""
        index = next((index for index, offset in enumerate(self._offsets) if offset >= start), None)
        if index is not None:
            self._strengths[index] = int(_SECTION)

    # --- blocks: what `Reader` asks for

    def heading(self, start: int, end: int, level: int) -> None:
        """A heading, with its marks."""
        above = self._glued
        if self._depth:
            self._block(start, "heading")
        else:
            if not above or above >= level:
                self._put(start, _SECTION - level, "section")
            self._headings.append(_Heading(start, level, _plain(self._text[start:end])))
        self._glued = level

    def paragraph(self, start: int, end: int) -> None:
        """Prose."""
        self._block(start, "paragraph")
        self._glued = 0
        ends = prose_ends(self._text, start, end)
        if self._copy.find("\n", start, end - 1) < 0:
            for offset in ends:
                if offset < end:
                    self._put(offset, _SENTENCE, "sentence")
            return
        places = {match.end(): (int(_SOFT_LINE), "line") for match in _LINE_START.finditer(self._copy, start, end)}
        places.update((offset, (_SENTENCE, "sentence")) for offset in ends)
        for offset in sorted(places):
            if offset < end:
                self._put(offset, *places[offset])

    def code(self, start: int, end: int, info: str | None) -> None:
        """A fence with its info string, or an indented block."""
        self._whole(start, "code")
        if info is None:
            self._verbatim(start, end)
            return
        # The line that opens a fence stays with the first line of code, the one that closes it with the last.
        first = self._copy.find("\n", start, end) + 1 or end
        last = self._copy.rfind("\n", first, end - 1) + 1 or first
        opening = self._copy[start:first]
        fence = opening.lstrip(_BEFORE_FENCE)
        if not _CLOSING_FENCES[fence[0]].match(self._copy, last, end):
            last = end
        words = info.replace("{", " ").replace("}", " ").split()
        self._inside(Stretch(first, last, len(opening) - len(fence)), words[0].lstrip(".") if words else "")

    def table(self, start: int, end: int, rows: list[int]) -> None:
        """A table; `rows` are the starts of the lines below the delimiter row."""
        self._whole(start, "table")
        for row in rows[1:]:  # the first one stays with the header
            self._put(row, _LINE, "row")
        if len(rows) > 1:
            self._scopes.append(Scope(start, end, "", self._text[start : rows[0]]))

    def leaf(self, start: int, end: int, label: str) -> None:
        """Another block without blocks inside."""
        if label == "rule":
            self._block(start, label)
            self._glued = 0
        else:
            self._whole(start, label)
            self._verbatim(start, end)

    def lines(self, start: int, end: int) -> None:
        """Lines that are no block, such as link definitions; blank ones among them."""
        first = _QUOTED_BLANK.match(self._copy, start, end)
        at = start if first is None else first.end()
        if at < end and start:
            blank = at > start or self._copy.endswith("\n\n", 0, start)
            self._put(at, *((_PARAGRAPH, "paragraph") if blank else (_LINE, "line")))
        self._verbatim(at, end, _QUOTED_LINE_START)

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
            self._put(start, self._level() + 3 + _ITEM, "item")
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
            self._put(start, self._level(), label)

    def _whole(self, start: int, label: str) -> None:
        """A block that should stay whole, even if that parts it from its heading."""
        self._put(start, self._level() + (_KEPT if self._glued else 0), label)
        self._glued = 0

    def _inside(self, stretch: Stretch, language: str) -> None:
        """The lines of code, or what its own format makes of them."""
        outline = code_inside(self._text, stretch, language)
        if outline is None:
            self._verbatim(stretch.start, stretch.end)
            return
        for boundary in outline.boundaries:
            self._put(*boundary)
        self._scopes += outline.scopes

    def _verbatim(self, start: int, end: int, line_start: re.Pattern[str] = _LINE_START) -> None:
        """All lines but the first that are not blank."""
        if _BLANK_LINE.match(self._copy, start, end):
            start -= 1
        for match in line_start.finditer(self._copy, start, end):
            self._offsets.append(match.end())
            if match[1]:
                self._strengths.append(_PARAGRAPH)
                self._labels.append("paragraph")
            else:
                self._strengths.append(_LINE)
                self._labels.append("line")

    def _put(self, offset: int, strength: int, label: str) -> None:
        last = self._offsets[-1]
        if offset > last:
            self._offsets.append(offset)
            self._strengths.append(int(strength))
            self._labels.append(label)
        elif offset == last and (self._strengths[-1] < strength or self._labels[-1] == "document"):
            self._strengths[-1] = max(self._strengths[-1], int(strength))
            self._labels[-1] = label

    # --- results

    def boundaries(self) -> list[Boundary]:
        """What was found."""
        return as_boundaries(self._offsets, self._strengths, self._labels)

    def scopes(self) -> Iterator[Scope]:
        """A section goes on to the next heading of its level or a higher one."""
        yield from self._scopes
        ends: list[tuple[int, int]] = []  # (level, start) of the later headings that end sections above them
        for start, level, name in reversed(self._headings):
            while ends and ends[-1][0] > level:
                ends.pop()
            if name:
                yield Scope(start, ends[-1][1] if ends else len(self._text), name)
            ends.append((level, start))


def as_boundaries(offsets: Iterable[int], strengths: Iterable[int], labels: Iterable[str]) -> list[Boundary]:
    """Boundaries from their columns, three times as fast as one call for each."""
    return list(map(tuple.__new__, repeat(Boundary), zip(offsets, strengths, labels, strict=True)))


def _plain(heading: str) -> str:
    """The text of a heading on one line; of links only the text, as an address says little in a breadcrumb and costs much."""
    heading = heading.replace("\r\n", "\n").replace("\r", "\n")
    heading = _MARKS_BEHIND.sub("", _MARKS_BEFORE.sub("", heading, count=1))
    return " ".join(_LINK.sub(r"\1", heading).split())
