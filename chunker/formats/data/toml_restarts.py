"""Offsets where parsing of TOML can resume: each table, with the comments above it. A table ends every value before it, even one whose brackets are not closed."""

from __future__ import annotations

from typing import ClassVar

from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Strength

# The boundary between a table and its comments, which has the same label, is weaker.
_WEAKEST = int(Strength.STRUCTURE) + 10


class TomlRestarts:
    """TOML, from each table."""

    # Elements of arrays of tables have a number in their context.
    numbered: ClassVar[str | None] = "table"
    decided_by = 0

    def __init__(self, outline: OutlineOf) -> None:
        self.outline = outline

    def places(self, _text: str, outline: Outline, start: int, /) -> list[int]:
        """The tables."""
        return [
            offset
            for offset, strength, label in zip(outline.offsets, outline.strengths, outline.labels, strict=True)
            if offset >= start and label == "table" and strength >= _WEAKEST
        ]

    def preamble(self, _text: str, _outline: Outline, _place: int, /) -> str:
        """The boundaries of a table depend on nothing before."""
        return ""

    def counted(self, _text: str, _outline: Outline, _place: int, /) -> int:
        """Numbers are in contexts alone."""
        return 0
