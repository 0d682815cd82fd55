"""Offsets where parsing of TOML can resume: each table, with the comments before it. A table ends every earlier value,
even one with unclosed brackets.
"""

from __future__ import annotations

from typing import ClassVar

from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Strength

# The boundary between a table and its comments, which has the same label, is weaker.
_WEAKEST = int(Strength.STRUCTURE) + 10


class TomlRestarts:
    """Restart rules for TOML, from each table."""

    # The contexts of elements of arrays of tables contain their numbers.
    numbered: ClassVar[str | None] = "table"
    decided_by = 0

    def __init__(self, outline: OutlineOf) -> None:
        self.outline = outline

    def places(self, _text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the starts of the tables."""
        return [
            offset
            for offset, strength, label in zip(outline.offsets, outline.strengths, outline.labels, strict=True)
            if offset >= start and label == "table" and strength >= _WEAKEST
        ]

    def preamble(self, _text: str, _outline: Outline, _place: int, /) -> str:
        """Return "": the boundaries of a table do not depend on earlier text."""
        return ""

    def counted(self, _text: str, _outline: Outline, _place: int, /) -> int:
        """Return 0: numbers occur only in contexts."""
        return 0
