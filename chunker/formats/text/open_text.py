"""Plain text that is still growing: a line is final once it has a visible character. No text is read twice."""

from __future__ import annotations

from bisect import bisect_left

from chunker.formats.open_outline import BoundaryColumns, OutlineOf, View
from chunker.formats.outline import Outline
from chunker.formats.restarting import Restarts

# The white space of plain text.
_BLANKS = "".join(mark for mark in map(chr, range(0x3001)) if mark.isspace() and mark not in "\x1c\x1d\x1e\x1f")


class TextRestarts(Restarts):
    """Restart rules for plain text, from any boundary: see `chunker.formats.restarting.Restarts`."""

    def places(self, _text: str, outline: Outline, start: int, /) -> list[int]:
        """Return all boundaries."""
        return outline.offsets[bisect_left(outline.offsets, start) :]


class OpenText:
    """The outline of a growing plain text. It keeps the last visible character and the white space after it."""

    def __init__(self, outline: OutlineOf) -> None:
        self._outline = outline
        self._tail = ""
        self._start = 0  # the start of the tail
        self._began = False
        self._view = View(outline(""), 0)
        self.settled = 0

    def feed(self, text: str, /) -> BoundaryColumns:
        """Add `text`. Returns the boundaries up to the last visible character."""
        self._tail += text
        end = len(self._tail.rstrip(_BLANKS))
        if not end:
            return BoundaryColumns([], [], [])
        found = self._boundaries(end)
        self.settled = self._start + end
        # From a visible character on, lines are found as from the start of the text.
        self._tail = self._tail[end - 1 :]
        self._start += end - 1
        return found

    def finish(self) -> BoundaryColumns:
        """Return a boundary only if nothing was visible at all: trailing white space belongs to the last line."""
        found = BoundaryColumns([], [], []) if self._began else self._boundaries(len(self._tail))
        self.settled = self._start + len(self._tail)
        return found

    def view(self) -> View:
        """Return an empty outline, for any span: plain text has no scopes."""
        return self._view

    def _boundaries(self, end: int) -> BoundaryColumns:
        # The start of the tail is not a boundary, unless it is the start of the text.
        found = BoundaryColumns.of(self._outline(self._tail[:end]), int(self._began), end, self._start)
        self._began = True
        return found
