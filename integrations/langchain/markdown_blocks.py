"""The headings and blocks of a Markdown text, without front matter."""

from __future__ import annotations

from typing import NamedTuple

from chunker.formats.code.parser_copies import copy_for_parsers
from chunker.formats.expressions import re
from chunker.formats.markup.markdown_blocks import read_blocks

# YAML front matter: a line of dashes, a key, any lines, and a line of dashes.
_FRONT_MATTER = re.compile(r"?---[ \t]*\n(?=[ \t]*[\w.-]+[ \t]*:)(?:(?!---[ \t]*\n)[^\n]*\n)*+---[ \t]*(?:\n|\Z)")


class Heading(NamedTuple):
    """A heading, `text[start:end]`, of a level from 1."""

    start: int
    end: int
    level: int


class MarkdownBlocks:
    """The top-level blocks of one text. Linear.

    `headings`: in order. `blocks`: the start of each block. `prose`: start and end of each paragraph.

    >>> found = MarkdownBlocks("# A\\n\\nb\\n")
    >>> found.headings, found.blocks, found.prose
    ([Heading(start=0, end=4, level=1)], [0, 5], [(5, 7)])
    """

    def __init__(self, text: str) -> None:
        self.headings: list[Heading] = []
        self.blocks: list[int] = []
        self.prose: list[tuple[int, int]] = []
        self._depth = 0
        copy = copy_for_parsers(text)
        front = _FRONT_MATTER.match(copy)
        # A byte order mark is another character in the copy, and not part of the first block.
        self.start = int(text.startswith("\ufeff")) if front is None else front.end()
        read_blocks(copy, self.start, self)

    def heading(self, start: int, end: int, level: int) -> None:
        """See `BlockHandler`."""
        if not self._depth:
            self.headings.append(Heading(start, end, level))
        self._begin(start)

    def paragraph(self, start: int, end: int) -> None:
        """See `BlockHandler`."""
        if not self._depth:
            self.prose.append((start, end))
        self._begin(start)

    def code(self, start: int, end: int, info: str | None) -> None:  # noqa: ARG002  # as the interface
        """See `BlockHandler`."""
        self._begin(start)

    def table(self, start: int, end: int, rows: list[int]) -> None:  # noqa: ARG002  # as the interface
        """See `BlockHandler`."""
        self._begin(start)

    def leaf(self, start: int, end: int, label: str) -> None:  # noqa: ARG002  # as the interface
        """See `BlockHandler`."""
        self._begin(start)

    def lines(self, start: int, end: int) -> None:
        """See `BlockHandler`. Such lines, for example link definitions, are added to the block before them."""

    def open(self, start: int, label: str) -> None:  # noqa: ARG002  # as the interface
        """See `BlockHandler`."""
        self._begin(start)
        self._depth += 1

    def item(self, start: int) -> None:
        """See `BlockHandler`."""

    def close(self) -> None:
        """See `BlockHandler`."""
        self._depth -= 1

    def _begin(self, start: int) -> None:
        if not self._depth:
            self.blocks.append(start)
