"""Handler protocol for the blocks of a Markdown text.

    # Guide            heading
    > - one            open quote, open list, item, paragraph, close, close
    [a]: b             lines

Whoever reads a text tells of its blocks in their order; what becomes of them is the reader's.
"""

from __future__ import annotations

from typing import Protocol


class Reader(Protocol):
    """Handler protocol for blocks, in the order of the text. Offsets are in characters; a block's start is that of its
    line.
    """

    def heading(self, start: int, end: int, level: int) -> None:
        """A heading, with its marks."""

    def paragraph(self, start: int, end: int) -> None:
        """Prose."""

    def code(self, start: int, end: int, info: str | None) -> None:
        """A fence with its info string, which may be empty, or an indented block."""

    def table(self, start: int, end: int, rows: list[int]) -> None:
        """A table; `rows` are the starts of the lines below the delimiter row."""

    def leaf(self, start: int, end: int, label: str) -> None:
        """Another block without blocks inside: "html", "math", "rule"."""

    def lines(self, start: int, end: int) -> None:
        """Lines that are no block, such as link definitions; blank ones among them."""

    def open(self, start: int, label: str) -> None:
        """A block with blocks inside begins: "quote", "list", "footnote"."""

    def item(self, start: int) -> None:
        """An item of the innermost list begins."""

    def close(self) -> None:
        """The innermost open block ends."""
