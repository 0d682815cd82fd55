"""Offsets where parsing of YAML can resume: each document, and each key or item at the margin but the first, with the comments above it.

Lines at the margin end all values; a member like those before, in short, is all that has to stand in front of them.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

from chunker.formats.expressions import re
from chunker.formats.nesting import strength_at
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline

_MEMBER = strength_at(0)
# What begins a text decides whether it is one flow collection.
_BEGINNING = re.compile(r"\ufeff?(?:\s++|#[^\r\n]*+)*+.?.?", re.DOTALL)
# The blank line lets a comment belong to what follows it.
_PREAMBLES = {"key": "x: 1\n\n", "item": "- 1\n\n", "document": ""}


class YamlRestarts:
    """YAML that begins as `text` does, from keys and items at the margin."""

    # Items and documents have a number in their context.
    numbered: ClassVar[str | None] = "item"

    def __init__(self, outline: OutlineOf, text: str) -> None:
        self.outline = outline
        match = _BEGINNING.match(text)
        self.decided_by = len(text) if match is None else match.end()

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """The members at the margin, and documents."""
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
        """A member of the same kind."""
        return _PREAMBLES[outline.labels[bisect_left(outline.offsets, place)]]

    def counted(self, _text: str, _outline: Outline, _place: int, /) -> int:
        """Numbers are in contexts alone."""
        return 0
