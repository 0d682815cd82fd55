"""Read a source text in windows that begin and end where its parser can resume.

    class A:                                       class A:           the header of the body that the window begins in
        def one(self): ...
        def two(self): ...         a window            def two(self): ...
        def thr x(self): ...       --------->          def thr x(self): ...
        def four(self): ...                            def four(self): ...

A window is parsed on its own. Except for its last parts, the result equals that in the whole text, because a window
begins and ends where the parser is certain, and does not begin anew where it goes farther back to recover from a syntax
error. So errors elsewhere cost nothing; their spans are kept, for the notes and because nothing inside of one is certain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chunker.chunkers import TextChunker
from chunker.edits.blocks import BlockText
from chunker.edits.rows import Mark
from chunker.edits.windows import Read, StartsTooLateError, TooNarrowError, Window, WindowReader
from chunker.formats.code.read_sketch import ReadSketch
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
        errors: The spans of the syntax errors before the last edit, in characters: each from as far back as the parser may
            go to recover from it up to where it is certain again.
    """

    decided_by = 0

    def __init__(
        self,
        chunker: TextChunker,
        source: str | None,
        walk: CompiledWalk,
        errors: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._chunker, self._source, self._walk = chunker, source, walk
        self._errors = self._known = errors
        self._read = 0  # characters, since the last edit

    @property
    def notes(self) -> dict[str, str]:
        """See `WindowReader`."""
        return {"parse": "had errors"} if self._errors else {}

    def window(self, text: BlockText, start: int, mark: Mark, end: tuple[int, str], kept: int, /) -> Window:
        """See `WindowReader`."""
        if _is_inside(kept, self._known):
            raise StartsTooLateError
        self._read += end[0] - start
        if self._read > len(text):
            raise NotLocalError  # so that an edit costs no more than reading all of the text twice
        window = SyntaxWindow((self._chunker, self._source, self._walk), (text, start, end[0]), mark, end[1])
        if _is_inside(kept, window.errors):
            raise StartsTooLateError
        settled = window.settled
        if not window.is_last and (_is_inside(settled, self._known) or _is_inside(settled, window.errors)):
            raise TooNarrowError
        others = [error for error in self._errors if error[1] <= start or error[0] >= settled]
        self._errors = sorted(others + [error for error in window.errors if error[0] < settled])
        return window

    def edited(self, text: BlockText, start: int, end: int, longer: int, /) -> WindowReader:
        """See `WindowReader`."""
        if not self._walk.reads(text):
            raise NotLocalError
        moved = [
            (first if first < end else first + longer, last if last <= start else last + longer)
            for first, last in self._errors
        ]
        # Errors in deleted text are dropped.
        errors = [(first, last) for first, last in moved if first < last]
        return SyntaxReader(self._chunker, self._source, self._walk, errors)


def _is_inside(offset: int, errors: Sequence[tuple[int, int]]) -> bool:
    return any(first < offset < last for first, last in errors)


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
        if start and any(first < (points[0][0] if points else window_end) for first, _ in errors):
            raise StartsTooLateError  # in the whole text the parser may go back to before the window
        if end < len(text):
            settled = points[1 - _UNSURE][0] if len(points) >= _UNSURE else head
            if any(last > settled for _, last in errors) or settled == head:
                raise TooNarrowError  # text after the window may change it
            points = points[: 1 - _UNSURE]
        read = Read(ReadSketch(reading), head, settled, [offset for offset, _ in points])
        super().__init__(chunker, source, text, (start, mark), read)
        self.errors = [(first + self._shift, last + self._shift) for first, last in errors]
        self._bodies = [bodies[number] for _, number in points]

    def _preamble(self, number: int) -> str:
        return self._bodies[number][0]

    def _closing(self, number: int) -> str:
        return self._bodies[number][1]
