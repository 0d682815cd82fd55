"""Read a source text in windows that begin and end where its parser can resume.

    class A:                                       class A:           the header of the body that the window begins in
        def one(self): ...
        def two(self): ...         a window            def two(self): ...
        def thr x(self): ...       --------->          def thr x(self): ...
        def four(self): ...                            def four(self): ...

A window is parsed on its own. Except for its last parts, the result equals that in the whole text if the parser meets
no syntax errors in the window other than those that were there before the edit. So errors elsewhere cost nothing; their
offsets are kept for the notes. After an edit that causes an error the whole text is parsed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chunker.chunkers import TextChunker
from chunker.edits.blocks import BlockText
from chunker.edits.rows import Mark
from chunker.edits.windows import Read, TooNarrowError, Window, WindowReader
from chunker.formats.restarting import NotLocalError

if TYPE_CHECKING:  # the module does not exist without a compiled core
    from chunker.formats.code.compiled_walk import CompiledWalk

# Restart points at the end of a window that more text may move.
_UNSURE = 3


class SyntaxReader:
    """Reads one text of a chunker in windows.

    Args:
        chunker: Makes the chunks.
        source: The name of the text.
        walk: Parses texts of the language.
        errors: The spans of the syntax errors that the parser met, in characters.
        edit: Start and end of the last edit; no error elsewhere has changed.
    """

    decided_by = 0

    def __init__(
        self,
        chunker: TextChunker,
        source: str | None,
        walk: CompiledWalk,
        errors: Sequence[tuple[int, int]] = (),
        *,
        edit: tuple[int, int] | None = None,
    ) -> None:
        self._chunker, self._source, self._walk = chunker, source, walk
        self._errors = self._known = errors
        self._edit = edit

    @property
    def notes(self) -> dict[str, str]:
        """See `WindowReader`."""
        return {"parse": "had errors"} if self._errors else {}

    def window(self, text: BlockText, start: int, mark: Mark, end: int, closing: str, /) -> Window:
        """See `WindowReader`."""
        window = SyntaxWindow((self._chunker, self._source, self._walk), (text, start, end), mark, closing)
        if self._edit is not None:
            edit, edit_end = self._edit
            known = [error for error in self._known if start <= error[0] < window.settled]
            kept = [error for error in known if error[1] < edit or error[0] > edit_end]
            # The end of a new error may depend on the whole text, as with open quotes; and an error far before the
            # window may go on to confuse the parser, as open blocks of Python do.
            if [error for error in window.errors if error[0] < window.settled] != kept:
                raise NotLocalError
        kept = [error for error in self._errors if error[1] <= start or error[0] >= window.settled]
        self._errors = sorted(
            kept + [error for error in window.errors if start < error[1] and error[0] < window.settled]
        )
        return window

    def edited(self, text: BlockText, start: int, end: int, longer: int, /) -> WindowReader:
        """See `WindowReader`."""
        if not self._walk.reads(text):
            raise NotLocalError
        # How the parser recovers from an error depends on those before it.
        touched = any(first <= end and last >= start for first, last in self._errors)
        if touched and any(first > end for first, _ in self._errors):
            raise NotLocalError
        moved = [
            (first if first < end else first + longer, last if last <= start else last + longer)
            for first, last in self._errors
        ]
        # Errors in deleted text are dropped.
        errors = [(first, last) for first, last in moved if first < last]
        return SyntaxReader(self._chunker, self._source, self._walk, errors, edit=(start, end + longer))


class SyntaxWindow(Window):
    """The sketch of `text` from `mark`, at `start`, up to `end`; `closing` is text that closes what is open there."""

    def __init__(
        self,
        chunking: tuple[TextChunker, str | None, CompiledWalk],
        window: tuple[BlockText, int, int],
        mark: Mark,
        closing: str,
    ) -> None:
        chunker, source, walk = chunking
        text, start, end = window
        head = len(mark.preamble)
        whole = mark.preamble + text.slice(start, end) + closing if start or end < len(text) else str(text)
        # With no unit closed: parsing can resume in the middle of small ones, too.
        reading = walk.read(whole, 0)
        if reading.given_up:
            raise NotLocalError
        points, bodies, errors = reading.resumption(head)
        window_end = end - start + head  # where the text ends in the window
        points = [point for point in points if head < point[0] < window_end]
        settled = window_end
        if any(first < head or last > window_end for first, last in errors):
            raise TooNarrowError  # the text around the window has changed
        if start and any(first < (points[0][0] if points else window_end) for first, _ in errors):
            raise NotLocalError  # in the whole text the error may begin before the window
        if end < len(text):
            known = points[-_UNSURE][0] if len(points) >= _UNSURE else 0
            unsure = next((first for first, last in errors if last > known), window_end)
            points = [point for point in points if point[0] < unsure]
            if len(points) < _UNSURE:
                raise TooNarrowError
            settled = points[1 - _UNSURE][0]
            points = points[: 1 - _UNSURE]
        read = Read(walk.sketch_of(reading), head, settled, [offset for offset, _ in points])
        super().__init__(chunker, source, text, (start, mark), read)
        self.errors = [(first + self._shift, last + self._shift) for first, last in errors]
        self._bodies = [bodies[number] for _, number in points]

    @property
    def hands_on(self) -> bool:
        """See `WindowReader`: not after an error, which may confuse the parser for long."""
        return not self.errors

    def _around(self, number: int) -> tuple[str, str]:
        return self._bodies[number]

    def _closing(self, number: int) -> str:
        return self._bodies[number][1]
