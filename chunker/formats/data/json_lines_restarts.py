"""Offsets where parsing of JSON Lines can resume: each record. The state to resume from is the number of the record."""

from __future__ import annotations

from typing import ClassVar

from chunker.formats.expressions import re
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline


class JsonLinesRestarts:
    """Restart rules for JSON Lines, from any record."""

    numbered: ClassVar[str | None] = "record"
    decided_by = 0

    def __init__(self, outline: OutlineOf) -> None:
        self.outline = outline

    def places(self, _text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the starts of the records."""
        return [
            offset
            for offset, label in zip(outline.offsets, outline.labels, strict=True)
            if offset >= start and label == "record"
        ]

    def preamble(self, _text: str, _outline: Outline, _place: int, /) -> str:
        """Return "": a record does not depend on earlier text."""
        return ""

    def counted(self, text: str, _outline: Outline, place: int, /) -> int:
        """Return the number of lines before `place` that have a record."""
        return sum(1 for line in re.split(r"[\r\n]", text[:place]) if line and not line.isspace())
