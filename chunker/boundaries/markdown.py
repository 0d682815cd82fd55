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
    ## Install           section, weaker      scope "Install" inside "Guide"

markdown-it-py finds the blocks, by lines: CommonMark with tables; what is inside a paragraph is not parsed. Its lines
are those of `LineTable` (it knows \\n, \\r\\n and \\r, nothing else), so that a line number is all it takes to get
back to the text. Every boundary but those of sentences stands at a line start, before the marks of quotes and lists.
Lines that belong to no block, such as link definitions and what is nested more than 20 deep, are LINE boundaries.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex
from markdown_it import MarkdownIt
from markdown_it.token import Token

from chunker.boundaries.base import Boundary, Outline, Scope, Strength
from chunker.boundaries.segmentation import prose_sentence_ends

_SECTION = Strength.STRUCTURE + 1_000  # minus the level of the heading
_BLOCK = Strength.STRUCTURE + 200  # minus three for each quote or list around it
_ITEM = -1  # an item, against the block that its list is
_SOFT_LINE = (
    Strength.WORD + 5
)  # a line start inside a sentence: better than a cut between two words, no better than that
_KEPT = -2  # between a heading and a block that should stay whole

_CONTAINERS = {"blockquote_open": "quote", "bullet_list_open": "list", "ordered_list_open": "list"}
_CONTAINER_ENDS = frozenset({"blockquote_close", "bullet_list_close", "ordered_list_close"})
_LEAVES = {
    "code_block": "code",
    "fence": "code",
    "hr": "rule",
    "html_block": "html",
    "paragraph_open": "paragraph",
    "table_open": "table",
}
_VERBATIM = frozenset({"code_block", "fence", "html_block"})
_KEPT_WHOLE = _VERBATIM | {"table_open"}

_LINE_END = regex.compile(r"\r\n|\r|\n")
_SURROGATE = regex.compile(r"[\ud800-\udfff]")
# YAML between two lines of dashes, at the very start of the text. A mapping must follow, else the dashes are a rule.
_FRONT_MATTER = regex.compile(
    r"\A\ufeff?---[ \t]*+(?:\r\n|\r|\n)(?=[ \t]*+(?:[\w.-]++[ \t]*+:|\#))(?:(?!(?:---|\.\.\.)[ \t]*+[\r\n])[^\r\n]*+(?:\r\n|\r|\n))++"
    r"(?:---|\.\.\.)[ \t]*+(?:\r\n|\r|\n|\Z)"
)
_LINK = regex.compile(r"!?\[([^\[\]]*+)\](?:\([^()\s]*+(?:\s[^()]*+)?\)|\[[^\[\]]*+\])")


def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


_PARSER = _make_parser()


class MarkdownFormat:
    """CommonMark with tables and front matter."""

    language: str | None = "markdown"

    def outline(self, text: str) -> Outline:
        """The sections, blocks, items, rows and sentences of `text`. The scopes are the sections, named by their headings.

        Linear; any str is Markdown.
        """
        if not text:
            return Outline([], finest=Strength.SENTENCE)
        walk = _Walk(text)
        walk.run()
        # What is too long is cut into words: the sentences are there already, and those of code are none.
        return Outline(walk.boundaries(), walk.scopes(), finest=Strength.SENTENCE)


class _Heading(NamedTuple):
    row: int
    level: int
    name: str


class _Walk:
    """One pass over the blocks of one text; collects what begins on each line."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
        if self._starts[-1] == len(text):
            self._starts.pop()
        self._rows: dict[int, tuple[int, str]] = {}
        self._inner: list[int] = []  # offsets of the sentences that do not begin a line
        self._taken = bytearray(len(self._starts) + 1)  # lines whose boundaries, if any, are decided by their block
        self._headings: list[_Heading] = []
        self._depth = 0
        self._glued: _Heading | None = None  # the heading that stands directly before

    def run(self) -> None:
        """Collect."""
        tokens = _PARSER.parse(self._without_front_matter())
        for index, token in enumerate(tokens):
            if token.map is None:
                if token.type in _CONTAINER_ENDS:
                    self._depth -= 1
                    self._glued = None
                continue
            first, behind = token.map
            if token.type in _CONTAINERS:
                self._block(first, _CONTAINERS[token.type])
                self._depth += 1
            elif token.type == "list_item_open":
                self._item(first)
            elif token.type == "tr_open":
                if tokens[index - 1].type == "tr_close":  # neither the header nor the row below it
                    self._put(first, Strength.LINE, "row")
            elif token.type == "heading_open":
                self._heading(first, behind, int(token.tag[1:]), tokens[index + 1].content)
            elif token.type in _LEAVES:
                self._leaf(token, first, behind)

    # --- blocks

    def _level(self) -> int:
        return _BLOCK - 3 * self._depth

    def _block(self, row: int, label: str) -> None:
        if self._glued is None:
            self._put(row, self._level(), label)

    def _item(self, row: int) -> None:
        if self._glued is None:
            self._put(row, self._level() + 3 + _ITEM, "item")

    def _heading(self, first: int, behind: int, level: int, source: str) -> None:
        above = self._glued
        if self._depth:
            self._block(first, "heading")
        else:
            if above is None or above.level >= level:
                self._put(first, _SECTION - level, "section")
            self._headings.append(_Heading(first, level, _plain(source)))
        self._take(first, behind)
        self._glued = _Heading(first, level, "")

    def _leaf(self, token: Token, first: int, behind: int) -> None:
        label = _LEAVES[token.type]
        if self._glued is None:
            self._put(first, self._level(), label)
        elif token.type in _KEPT_WHOLE:
            self._put(first, self._level() + _KEPT, label)
        self._glued = None
        self._take(first, behind)
        if token.type == "paragraph_open":
            self._sentences(first, behind)
        elif token.type in _VERBATIM:
            # The line that opens a fence stays with the first line of code, the one that closes it with the last.
            fenced = token.type == "fence"
            closed = fenced and self._closes(behind - 1, token.markup)
            self._verbatim(first + 1 + fenced, behind - closed)

    def _sentences(self, first: int, behind: int) -> None:
        start = self._starts[first]
        paragraph = self._text[start : self._start(behind)].rstrip()
        row_of = {self._starts[row]: row for row in range(first + 1, behind)}
        for row in row_of.values():
            self._put(row, _SOFT_LINE, "line")
        for end in prose_sentence_ends(paragraph):
            row = row_of.get(start + end, 0)
            if row:
                self._put(row, Strength.SENTENCE, "sentence")
            elif end < len(paragraph):
                self._inner.append(start + end)

    def _verbatim(self, first: int, behind: int) -> None:
        for row in range(first, behind):
            if not self._blank(row):
                self._put(row, *self._line(row))

    def _closes(self, row: int, markup: str) -> bool:
        content = self._text[self._starts[row] : self._start(row + 1)].strip().lstrip("> \t")
        return len(content) >= len(markup) and set(content) == {markup[0]}

    def _without_front_matter(self) -> str:
        """The text for the parser, line by line the same."""
        text = _SURROGATE.sub("\ufffd", self._text)
        match = _FRONT_MATTER.match(text)
        if match is None:
            return text.removeprefix("\ufeff")
        rows = len(_LINE_END.findall(match.group()))
        self._take(0, 2)
        self._take(rows - 1, rows)
        self._verbatim(2, rows - 1)
        return "\n" * rows + text[match.end() :]

    # --- lines

    def _start(self, row: int) -> int:
        return self._starts[row] if row < len(self._starts) else len(self._text)

    def _blank(self, row: int, marks: str = "") -> bool:
        """Whether the line holds nothing but white space, or these marks of quotes."""
        return not self._text[self._starts[row] : self._start(row + 1)].strip().strip(marks + " \t")

    def _line(self, row: int) -> tuple[int, str]:
        """What a line is in which no block begins."""
        if self._blank(row - 1):
            return int(Strength.PARAGRAPH), "paragraph"
        return int(Strength.LINE), "line"

    def _put(self, row: int, strength: int, label: str) -> None:
        if self._rows.get(row, (-1, ""))[0] < strength:
            self._rows[row] = int(strength), label

    def _take(self, first: int, behind: int) -> None:
        self._taken[first:behind] = b"\1" * (behind - first)

    # --- results

    def boundaries(self) -> list[Boundary]:
        """What was found at line starts and inside paragraphs."""
        label = self._rows.get(0, (0, "document"))[1]
        found = [Boundary(0, int(Strength.DOCUMENT), label)]
        for row in range(1, len(self._starts)):
            place = self._rows.get(row)
            if place is None and not self._taken[row] and not self._blank(row, marks=">"):
                place = self._line(row)
            if place is not None:
                found.append(Boundary(self._starts[row], *place))
        sentence = int(Strength.SENTENCE)
        found += (Boundary(offset, sentence, "sentence") for offset in self._inner)
        found.sort()
        return found

    def scopes(self) -> Iterator[Scope]:
        """A section goes on to the next heading of its level or a higher one."""
        ends: list[tuple[int, int]] = []  # (level, start) of the later headings that end sections above them
        for row, level, name in reversed(self._headings):
            while ends and ends[-1][0] > level:
                ends.pop()
            start = self._starts[row]
            if name:
                yield Scope(start, ends[-1][1] if ends else len(self._text), name)
            ends.append((level, start))


def _plain(heading: str) -> str:
    """The text of a heading on one line; of links only the text, as an address says little in a breadcrumb and costs much."""
    return " ".join(_LINK.sub(r"\1", heading).split())
