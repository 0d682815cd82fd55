"""A window of a text, parsed and chunked as if the whole text were there.

    ....|~~~~~~~~|=================|-----------|--------|....
        mark     start                         settled  end
                 chunks from here              boundaries up to here are those of the whole text

A chunk is certain if the grower did not look past `settled` to make it. `settled` is a boundary, so the grower never
sees a part of a unit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from chunker.chunkers import TextChunker
from chunker.edits.blocks import BlockText
from chunker.edits.rows import EditedRow, Mark, Stand
from chunker.formats import Outline
from chunker.formats.restarting import NotLocalError
from chunker.formats.sketches import Inside, Sketch
from chunker.growing.compiled import AnyGrower, CompiledGrower, grower_of
from chunker.growing.pieces import ContextAt, context_from, no_context
from chunker.growing.units import Ahead, Place

# Larger than any offset: the end of a unit that continues past its window.
FAR = 1 << 60
# The Python grower does not report how far it looked. It fills a chunk until the budget is exceeded, and may check
# whether a unit in it would fit into a chunk of its own: two budgets at most.
_BUDGETS = 2
_SPARE_TOKENS = 128
_CHARACTERS_A_TOKEN = 4
# The state of a grower is kept where at most so many units ahead differ from those of the outline. In a long paragraph
# that is cut into sentences, all that are left would be kept with each chunk.
_MOST_AHEAD = 64


class TooNarrowError(NotLocalError):
    """No chunk of a window is certain: a larger window is needed."""


class StartsTooLateError(NotLocalError):
    """An edit may have an effect on text before it that a window was to leave out: the window has to begin earlier."""


class Made(NamedTuple):
    """A row, the distance from its start to the start of the next row, and the state of the grower there if it is
    small.
    """

    row: EditedRow
    step: int
    stand: Stand | None


class WindowReader(Protocol):
    """Protocol for reading one text in windows."""

    @property
    def notes(self) -> dict[str, str]:
        """The notes of the outline."""
        ...

    @property
    def decided_by(self) -> int:
        """Offset before which an edit may change how the whole text is read."""
        ...

    def window(self, text: BlockText, start: int, mark: Mark, end: tuple[int, str], kept: int, /) -> Window:
        """Parse `text` from `mark`, which is at `start`, up to `end`: an offset where parsing can resume, or the end of
        the text, and text that closes what is open there. Chunks that depend on no text after `kept` are kept.

        Raises `TooNarrowError` if no chunk of the window is certain, and `StartsTooLateError` if text before `start`, or
        before `kept`, may be read in another way than before the edit.
        """
        ...

    def edited(self, text: BlockText, start: int, end: int, longer: int, /) -> WindowReader:
        """Return a reader of `text`, the text after an edit that replaced `start` to `end` and made it `longer` characters longer."""
        ...


class Read(NamedTuple):
    """The outline of a window, parsed after a preamble that replaces the text before it.

    Args:
        outline: The boundaries of the preamble and of the window.
        head: The size of the preamble, in characters.
        settled: The offset in the outline up to which it is certain: a boundary, or its end.
        places: The offsets in the outline, ascending, where parsing can resume.
    """

    outline: Outline
    head: int
    settled: int
    places: list[int]


class Window(ABC):
    """The boundaries of `text` up to `settled`, and the chunks that can be grown from them.

    Args:
        chunker: Makes the chunks.
        source: The name of the text.
        text: The whole text.
        mark: The start of the window in the text, and the state to resume parsing from.
        read: The parsed outline.
    """

    def __init__(
        self, chunker: TextChunker, source: str | None, text: BlockText, mark: tuple[int, Mark], read: Read
    ) -> None:
        outline = read.outline
        self._chunker, self._source = chunker, source
        self._text = text
        self._start, self._first_mark = mark
        self.outline = outline
        self._shift = self._start - read.head  # from offsets of the outline to those of the text
        self.settled = read.settled + self._shift
        self.is_last = self.settled == len(text)
        self._places = read.places
        self._rows = range(bisect_left(outline.offsets, read.head), bisect_left(outline.offsets, read.settled))
        if not self._rows or outline.offsets[self._rows[0]] != read.head:
            raise NotLocalError
        if self._start:
            row, first = self._rows[0], self._first_mark
            outline.strengths[row], outline.labels[row] = first.strength, first.label

    @abstractmethod
    def _preamble(self, number: int) -> str:
        """Return the preamble that replaces the text before `places[number]`."""

    def _closing(self, _number: int) -> str:
        """Return the text that closes what is open at `places[number]`; by default, nothing is."""
        return ""

    def mark(self, start: int) -> Mark:
        """Return the last offset up to `start` where parsing can resume, counted from `start`, with the state to resume
        from.
        """
        number = bisect_right(self._places, start - self._shift) - 1
        if number < 0:
            return self._first_mark._replace(offset=self._start - start)
        place = self._places[number]
        row = bisect_left(self.outline.offsets, place)
        strength, label = self.outline.strengths[row], self.outline.labels[row]
        return Mark(place + self._shift - start, self._preamble(number), strength, label, self._closing(number))

    def places(self, start: int, end: int) -> tuple[tuple[int, str], ...]:
        """Return the offsets from `start` up to `end` where parsing can resume, counted from `start`, each with the
        text that closes what is open there.
        """
        first, last = (bisect_left(self._places, offset - self._shift) for offset in (start, end))
        shift = self._shift - start
        found = [(self._places[number] + shift, self._closing(number)) for number in range(first, last)]
        if self._start == start < end:
            found.insert(0, (0, self._first_mark.closing))
        return tuple(found)

    def grow(self, start: int, stand: Stand) -> Iterator[Made]:
        """Grow the certain chunks from `start` on, with a grower in the state `stand`."""
        text = self._text.slice(start, self.settled)
        chunker = self._chunker
        outline = self._part(start, start + stand.following, stand)
        context_at = self._context_of(start) if chunker.context else no_context
        grower = grower_of(text, outline, chunker.tokenizer, chunker.budget, context_at)
        front = [place._replace(enclosing_end=min(place.enclosing_end, len(text))) for place in stand.front]
        if isinstance(grower, CompiledGrower):
            grower.follow()
            grower.resume(front, stand.overlapping, stand.closed)
        elif stand.closed or stand.heads:
            raise NotLocalError
        else:
            grower.resume(front, stand.overlapping)
        rows, at = outline.offsets, 0
        known: Stand | None = stand
        while (piece := grower.one()) is not None:
            reach = self._reach(grower, text, at)
            if reach >= len(text) and not self.is_last:
                return
            ahead = grower.ahead(_MOST_AHEAD)
            if not self.is_last and self._may_end_soon(ahead, text):
                return
            after = ahead.start
            row = EditedRow(
                piece.start - at,
                piece.end - at,
                piece.context,
                piece.tokens,
                piece.label,
                known,
                self.mark(start + at),
                reach - at,
                self.places(start + at, start + after),
            )
            row_ahead = rows[ahead.row] if ahead.row < len(rows) else len(text)
            known = self._stand(grower, ahead, row_ahead, len(text))
            yield Made(row, after - at, known)
            at = after

    def _stand(self, grower: AnyGrower, ahead: Ahead, row_ahead: int, size: int) -> Stand | None:
        """Return the state of a grower of `size` characters that has this ahead, and the next row there; None if it is
        too large to be kept.
        """
        if ahead.places is None:
            return None
        start = ahead.start
        closed, heads = grower.details() if isinstance(grower, CompiledGrower) else ([], [])
        return Stand(
            tuple(self._outside(place, start, size) for place in ahead.places),
            row_ahead - start,
            ahead.overlapping,
            tuple((offset - start, said - start) for offset, said in closed),
            tuple((offset - start, end - start) for offset, end in heads),
        )

    def _may_end_soon(self, ahead: Ahead, text: str) -> bool:
        """Whether a unit around one of those ahead continues past the window and might still be small enough for a chunk."""
        limit = self._chunker.budget.max_tokens + _SPARE_TOKENS
        return ahead.unsettled >= 0 and self._chunker.tokenizer.count_up_to(text[ahead.unsettled :], limit) is not None

    def _reach(self, grower: AnyGrower, text: str, start: int) -> int:
        """Return the offset up to which a grower of `text` looked to make its last chunk, which begins at `start`."""
        if isinstance(grower, CompiledGrower):
            return grower.reach()
        limit = _BUDGETS * self._chunker.budget.max_tokens + _SPARE_TOKENS
        size = limit * _CHARACTERS_A_TOKEN
        while start + size < len(text):
            if self._chunker.tokenizer.count_up_to(text[start : start + size], limit) is None:
                return start + size
            size += size // 2
        return len(text)

    def _part(self, start: int, following: int, stand: Stand) -> Outline:
        """Return the boundaries in text[following:settled], counted from `start`, for a grower in the state `stand`."""
        outline, shift, settled = self.outline, self._shift - start, self.settled - start
        last = self._rows.stop
        rows = slice(bisect_left(outline.offsets, following - self._shift, self._rows.start, last), last)
        offsets = [offset + shift for offset in outline.offsets[rows]]
        heads = {
            offset + shift: end + shift
            for offset, end in outline.heads.items()
            if following <= offset + self._shift and end + self._shift <= self.settled
        }
        heads.update((offset, end) for offset, end in stand.heads if end <= settled)
        columns = (offsets, outline.strengths[rows], outline.labels[rows])
        if not isinstance(outline, Sketch):
            return Outline.of_columns(*columns, finest=outline.finest, heads=heads)
        sketch = outline
        closed = [offset for offset in offsets if offset - shift in sketch.closed]

        def look(offset: int) -> Inside:
            inside = sketch.inside(offset - shift)
            moved = {offset + shift: end + shift for offset, end in inside.heads.items()}
            return inside._replace(offsets=[offset + shift for offset in inside.offsets], heads=moved)

        return Sketch.of(columns, closed, look, lambda _: (), finest=sketch.finest, heads=heads)

    def _context_of(self, start: int) -> ContextAt:
        """Return the contexts of chunks, by offsets from `start`."""
        return context_from(start - self._shift, self._chunker.context_of("", self.outline, self._source))

    def _outside(self, place: Place, start: int, size: int) -> Place:
        end = FAR if place.enclosing_end == size and not self.is_last else place.enclosing_end - start
        return place._replace(offset=place.offset - start, enclosing_end=end)


def same_stand(one: Stand | None, other: Stand | None, size: int) -> bool:
    """Whether two growers are in the same known state, if offsets of `size` characters or more after them count as
    equal.
    """
    if one is None or other is None or one[1:] != other[1:] or len(one.front) != len(other.front):
        return False
    return all(
        mine[:3] == theirs[:3] and min(mine.enclosing_end, size) == min(theirs.enclosing_end, size)
        for mine, theirs in zip(one.front, other.front, strict=True)
    )
