"""Read a source text in windows that begin and end where its parser can resume.

    class A:                                       class A:           the header of the body that the window begins in
        def one(self): ...
        def two(self): ...         a window            def two(self): ...
        def thr x(self): ...       --------->          def thr x(self): ...
        def four(self): ...                            def four(self): ...

A window is parsed by itself. It is read as in the whole text, but for its last parts, if what the parser does not understand ends before these. So
errors elsewhere cost nothing; they are kept by their places, for the notes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from chunker.chunkers import TextChunker
from chunker.edits.rows import Mark, Stand
from chunker.edits.windows import NotLocalError, TooNarrowError, Window, WindowReader
from chunker.formats import Outline
from chunker.formats.sketches import Inside, Sketch
from chunker.growing.pieces import ContextAt, context_behind

if TYPE_CHECKING:  # it is not there where nothing is compiled
    from chunker.formats.code.compiled_walk import CompiledWalk

_CHARACTERS_A_TOKEN = 4
# Points at the end of a window that more text may move.
_UNSURE = 3


class SyntaxReader:
    """Reads one text of a chunker; `errors`: from where to where its parser met what it does not understand."""

    ends_at_marks = True
    decided_by = 0

    def __init__(
        self, chunker: TextChunker, source: str | None, walk: CompiledWalk, errors: list[tuple[int, int]] | None = None
    ) -> None:
        self._chunker, self._source, self._walk = chunker, source, walk
        self._errors = errors or []

    @property
    def notes(self) -> dict[str, str]:
        """See `WindowReader`."""
        return {"parse": "had errors"} if self._errors else {}

    def window(self, text: str, start: int, mark: Mark, end: int, closing: str, /) -> Window:
        """See `WindowReader`."""
        window = SyntaxWindow((self._chunker, self._source, self._walk), (text, start, end), mark, closing)
        kept = [error for error in self._errors if error[1] <= start or error[0] >= window.settled]
        self._errors = sorted(
            kept + [error for error in window.errors if start < error[1] and error[0] < window.settled]
        )
        return window

    def edited(self, text: str, start: int, end: int, longer: int, /) -> WindowReader:
        """See `WindowReader`."""
        if not self._walk.reads(text):
            raise NotLocalError
        moved = [
            (first if first < end else first + longer, last if last <= start else last + longer)
            for first, last in self._errors
        ]
        return SyntaxReader(self._chunker, self._source, self._walk, moved)


class SyntaxWindow(Window):
    """The sketch of `text` from a mark, at `start`, up to `end`, where `closing` ends what is open there."""

    def __init__(
        self,
        chunking: tuple[TextChunker, str | None, CompiledWalk],
        stretch: tuple[str, int, int],
        mark: Mark,
        closing: str,
    ) -> None:
        chunker, source, walk = chunking
        text, start, end = stretch
        head = len(mark.preamble)
        whole = mark.preamble + text[start:end] + closing if start or end < len(text) else text
        reading = walk.read(whole, chunker.budget.max_tokens * _CHARACTERS_A_TOKEN)
        if reading.given_up:
            raise NotLocalError
        points, bodies, errors = reading.resumption(head)
        behind = end - start + head  # where the text ends, in the window
        points = [point for point in points if head < point[0] < behind]
        settled = behind
        if any(first < head or last > behind for first, last in errors):
            raise TooNarrowError  # what is around the window is not as it was
        if end < len(text):
            known = points[-_UNSURE][0] if len(points) >= _UNSURE else 0
            unsure = next((first for first, last in errors if last > known), behind)
            points = [point for point in points if point[0] < unsure]
            if len(points) < _UNSURE:
                raise TooNarrowError
            settled = points[1 - _UNSURE][0]
            points = points[: 1 - _UNSURE]
        self._sketch = sketch = walk.sketch_of(reading)
        self._shift = shift = start - head  # from offsets of the sketch to those of the text
        self._source = source
        self._rows = range(bisect_left(sketch.offsets, head), bisect_left(sketch.offsets, settled))
        if not self._rows or sketch.offsets[self._rows[0]] != head:
            raise NotLocalError
        if start:
            sketch.strengths[self._rows[0]], sketch.labels[self._rows[0]] = mark.strength, mark.label
        super().__init__(chunker, text, settled + shift)
        self.errors = [(first + shift, last + shift) for first, last in errors]
        self._start, self._first_mark = start, mark
        self._places = [offset + shift for offset, _ in points]
        self._bodies = [bodies[number] for _, number in points]

    def mark(self, start: int) -> Mark:
        """See `Window`."""
        index = bisect_right(self._places, start) - 1
        if index < 0:
            return self._first_mark._replace(offset=self._start - start)
        place = self._places[index]
        row = bisect_left(self._sketch.offsets, place - self._shift)
        header, closing = self._bodies[index]
        return Mark(place - start, header, self._sketch.strengths[row], self._sketch.labels[row], closing)

    def _part(self, start: int, behind: int, stand: Stand) -> Outline:
        sketch, shift, settled = self._sketch, self._shift - start, self.settled - start
        last = self._rows.stop
        rows = slice(bisect_left(sketch.offsets, behind - self._shift, self._rows.start, last), last)
        heads = {
            offset + shift: end + shift
            for offset, end in sketch.heads.items()
            if behind <= offset + self._shift and end + self._shift <= self.settled
        }
        heads.update((offset, end) for offset, end in stand.heads if end <= settled)
        offsets = sketch.offsets[rows]
        closed = [offset + shift for offset in offsets if offset in sketch.closed]

        def look(offset: int) -> Inside:
            inside = sketch.inside(offset - shift)
            moved = {offset + shift: end + shift for offset, end in inside.heads.items()}
            return inside._replace(offsets=[offset + shift for offset in inside.offsets], heads=moved)

        columns = ([offset + shift for offset in offsets], sketch.strengths[rows], sketch.labels[rows])
        return Sketch.of(columns, closed, look, lambda _: (), finest=sketch.finest, heads=heads)

    def _context_of(self, start: int) -> ContextAt:
        return context_behind(start - self._shift, self._chunker.context_of("", self._sketch, self._source))
