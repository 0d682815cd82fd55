"""Offsets where parsing of YAML can resume: each document, and each key or item at the margin but the first, with the
comments before it.

A line at the margin ends all values, so a short member of the same kind is a sufficient preamble.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

from chunker.formats.expressions import re
from chunker.formats.nesting import strength_at
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline

_MEMBER = strength_at(0)
# The first characters decide whether the whole text is one flow collection.
_BEGINNING = re.compile(r"\ufeff?(?:\s++|#[^\r\n]*+)*+.?.?", re.DOTALL)
# The blank line makes a comment belong to the next member.
_PREAMBLES = {"key": "x: 1\n\n", "item": "- 1\n\n", "document": ""}


class YamlRestarts:
    """Restart rules for YAML that begins as `text` does, from keys and items at the margin."""

    # The contexts of items and documents contain their numbers.
    numbered: ClassVar[str | None] = "item"

    def __init__(self, outline: OutlineOf, text: str) -> None:
        self.outline = outline
        match = _BEGINNING.match(text)
        self.decided_by = len(text) if match is None else match.end()

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the starts of documents, and of members at the margin."""
        first = bisect_left(outline.offsets, start)
        rows = zip(outline.offsets[first:], outline.strengths[first:], outline.labels[first:], strict=True)
        return [
            offset
            for offset, strength, label in rows
            if (
                label == "document"
                or (strength == _MEMBER and text[offset] not in " \t" and text[offset - 1] in "\r\n")
            )
        ]

    def preamble(self, _text: str, outline: Outline, place: int, /) -> str:
        """Return a member of the same kind."""
        return _PREAMBLES[outline.labels[bisect_left(outline.offsets, place)]]

    def counted(self, _text: str, _outline: Outline, _place: int, /) -> int:
        """Return 0: numbers occur only in contexts."""
        return 0
