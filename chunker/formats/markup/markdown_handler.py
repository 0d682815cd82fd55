"""Handler protocol for the blocks of a Markdown text.

    # Guide            heading
    > - one            open quote, open list, item, paragraph, close, close
    [a]: b             lines

A parser reports the blocks of a text in order; the handler decides what to do with them.
"""

from __future__ import annotations

from typing import Protocol


class BlockHandler(Protocol):
    """Handler protocol for blocks, in the order of the text. Offsets are in characters; a block starts at the start of
    its line.
    """

    def heading(self, start: int, end: int, level: int) -> None:
        """Handle a heading, with its marks."""

    def paragraph(self, start: int, end: int) -> None:
        """Handle a paragraph of prose."""

    def code(self, start: int, end: int, info: str | None) -> None:
        """Handle a fence with its info string, which may be empty, or an indented block (`info` is None)."""

    def table(self, start: int, end: int, rows: list[int]) -> None:
        """Handle a table; `rows` are the starts of the lines after the delimiter row."""

    def leaf(self, start: int, end: int, label: str) -> None:
        """Handle another block without blocks inside: "html", "math", "rule"."""

    def lines(self, start: int, end: int) -> None:
        """Handle lines that are not a block, such as link definitions, including blank lines among them."""

    def open(self, start: int, label: str) -> None:
        """Handle the start of a block with blocks inside: "quote", "list", "footnote"."""

    def item(self, start: int) -> None:
        """Handle the start of an item of the innermost list."""

    def close(self) -> None:
        """Handle the end of the innermost open block."""
