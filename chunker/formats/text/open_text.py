"""Plain text that is still growing: a line is final once it has a visible character. No text is read twice."""

from __future__ import annotations

from bisect import bisect_left
from typing import ClassVar

from chunker.formats.open_outline import Found, OutlineOf, View
from chunker.formats.outline import Outline

# The white space of plain text.
_BLANKS = "".join(mark for mark in map(chr, range(0x3001)) if mark.isspace() and mark not in "\x1c\x1d\x1e\x1f")


class TextRestarts:
    """Plain text can be read anew from any of its boundaries: see `chunker.formats.restarting.Restarts`."""

    numbered: ClassVar[str | None] = None
    decided_by = 0

    def __init__(self, outline: OutlineOf) -> None:
        self.outline = outline

    def places(self, _text: str, outline: Outline, start: int, /) -> list[int]:
        """All boundaries."""
        return outline.offsets[bisect_left(outline.offsets, start) :]

    def preamble(self, _text: str, _outline: Outline, _place: int, /) -> str:
        """A line depends on nothing."""
        return ""

    def counted(self, _text: str, _outline: Outline, _place: int, /) -> int:
        """Nothing is numbered."""
        return 0


class OpenText:
    """Plain text. What is kept is the visible end of the last line, and the white space after it."""

    def __init__(self, outline: OutlineOf) -> None:
        self._outline = outline
        self._tail = ""
        self._start = 0  # the start of the tail
        self._began = False
        self._view = View(outline(""), 0, 0)
        self.settled = 0

    def feed(self, text: str, /) -> Found:
        """The boundaries up to the last visible character."""
        self._tail += text
        end = len(self._tail.rstrip(_BLANKS))
        if not end:
            return Found([], [], [])
        found = self._boundaries(end)
        self.settled = self._start + end
        # From a visible character on, lines are found as they would be from the start of the text.
        self._tail = self._tail[end - 1 :]
        self._start += end - 1
        return found

    def finish(self) -> Found:
        """A boundary only if there was nothing visible at all: white space at the end belongs to what is before it."""
        found = Found([], [], []) if self._began else self._boundaries(len(self._tail))
        self.settled = self._start + len(self._tail)
        return found

    def view(self) -> View:
        """An empty outline, for any stretch: plain text has no scopes."""
        return self._view

    def _boundaries(self, end: int) -> Found:
        # The start of the tail is no boundary, but for that of the text.
        found = Found.of(self._outline(self._tail[:end]), int(self._began), end, self._start)
        self._began = True
        return found
