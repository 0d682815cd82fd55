"""Offsets where parsing of Markdown can resume: each heading or paragraph that begins at the margin, and the paragraph
after a blank line.

Such a heading or paragraph ends every list and quote, and the format reports none inside fences and HTML. The preamble
is the headings of the open sections.
"""

from __future__ import annotations

from typing import ClassVar

from chunker.formats.expressions import re
from chunker.formats.outline import Outline, Strength
from chunker.formats.restarting import Restarts

_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n?|\n|\Z)")
_FRONT_MATTER_END = re.compile(r"(?:\A|[\r\n])(?:---|\.\.\.|\+\+\+)[ \t]*[\r\n]")
_BLANK_LINE_BEFORE = re.compile(r"(?:\n|\r)[ \t]*(?:\r\n|\n|\r)\Z")
_HEADING_LINE = re.compile(r" {0,3}#{1,6}(?=[ \t\r\n]|\Z)[^\r\n]*")
_UNDERLINED = re.compile(r"(?:[^\r\n]*(?:\r\n|\n|\r))+? {0,3}(?:=+|-+)[ \t]*(?=[\r\n]|\Z)")
# Ends the heading of the last section, so that the rest does not directly follow a heading.
_PARAGRAPH = "x\n\n"


class MarkdownRestarts(Restarts):
    """Restart rules for Markdown, from a heading or a paragraph at the margin."""

    holds_for_growing: ClassVar[bool] = True

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the headings, and the paragraphs that begin with a letter."""
        front = _FRONT_MATTER.match(text)
        if front is not None and _FRONT_MATTER_END.search(text, front.end() - 1) is None:
            return []  # the front matter may still be closed, or turn out to be a rule
        return [
            offset
            for offset, strength, label in zip(outline.offsets, outline.strengths, outline.labels, strict=True)
            if offset >= start and strength >= Strength.STRUCTURE and _is_at_margin(text, offset, label)
        ]

    def preamble(self, text: str, outline: Outline, place: int, /) -> str:
        """Return the headings of the sections around `place`, as written."""
        headings = [_heading_at(text, scope.start) for scope in outline.scopes_around(place) if scope.name]
        return "".join(f"{heading}\n\n" for heading in headings) + _PARAGRAPH


def _is_at_margin(text: str, offset: int, label: str) -> bool:
    if text[offset - 1] not in "\r\n":
        return False
    if label == "section":
        return text[offset] == "#"
    if label != "paragraph" or not (text[offset].isascii() and text[offset].isalpha()):
        return False
    return (
        text[offset - 2 : offset] == "\n\n" or _BLANK_LINE_BEFORE.search(text, max(offset - 200, 0), offset) is not None
    )


def _heading_at(text: str, start: int) -> str:
    match = _HEADING_LINE.match(text, start) or _UNDERLINED.match(text, start)
    return "" if match is None else match.group()
