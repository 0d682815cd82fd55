"""A window of a text, read and chunked as if the whole text were there.

    ....|~~~~~~~~|=================|-----------|--------|....
        mark     start             edge        settled  end
                 chunks from here              boundaries up to here are those of the whole text
                                   chunks that begin up to here are those of the whole text

How far does a chunk look? It is filled until it is over the budget, and a unit in it may be asked whether it would fit into a chunk of its own. So
a chunk that has two budgets of settled text before it comes out as it would. `settled` is a boundary: no unit is seen in part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from chunker.chunkers import TextChunker
from chunker.edits.rows import EditedRow, Mark, Stand
from chunker.formats import Outline
from chunker.growing.compiled import CompiledGrower, grower_of
from chunker.growing.pieces import ContextAt, no_context
from chunker.growing.units import Place

# No place of a text: the end of a unit that reaches out of a window.
FAR = 1 << 60
_BUDGETS = 2
_SPARE_TOKENS = 128
_CHARACTERS_A_TOKEN = 4


class NotLocalError(Exception):
    """The text has to be read as a whole."""


class TooNarrowError(NotLocalError):
    """Nothing of a window is certain: a larger one is needed."""


def looked_at(chunker: TextChunker) -> int:
    """Tokens behind its start that say how a chunk comes out."""
    return _BUDGETS * chunker.budget.max_tokens + _SPARE_TOKENS


def edge_before(chunker: TextChunker, text: str, end: int, start: int) -> int:
    """The last offset from which a chunk depends on nothing behind text[:end]; `start`, from which the text is known, if there is none."""
    limit = looked_at(chunker)
    size = limit * _CHARACTERS_A_TOKEN
    while True:
        at = max(end - size, start)
        if chunker.tokenizer.count_up_to(text[at:end], limit) is None:
            return at
        if at == start:
            return start - 1
        size += size // 2


class Made(NamedTuple):
    """A row, how far it is from its start to that of the next, and how the grower stands there."""

    row: EditedRow
    step: int
    stand: Stand


class WindowReader(Protocol):
    """Reads one text in windows."""

    @property
    def notes(self) -> dict[str, str]:
        """The notes of the outline."""
        ...

    @property
    def decided_by(self) -> int:
        """An edit before this offset may change how all of the text is read."""
        ...

    @property
    def ends_at_marks(self) -> bool:
        """Whether windows have to end where chunks have a mark, or with the text."""
        ...

    def window(self, text: str, start: int, mark: Mark, end: int, closing: str, /) -> Window:
        """The window of `text` from a mark, at `start`, up to `end`, where `closing` ends what is open. Raises `TooNarrowError` if nothing of it is certain."""
        ...

    def edited(self, text: str, start: int, end: int, longer: int, /) -> WindowReader:
        """The reader of the text that an edit from `start` to `end` has made `text` of, by so many characters longer."""
        ...


class Window(ABC):
    """The boundaries of `text` up to `settled`, and the chunks that can be grown by them."""

    def __init__(self, chunker: TextChunker, text: str, settled: int) -> None:
        self._chunker = chunker
        self._text = text
        self.settled = settled
        self.is_last = settled == len(text)

    @abstractmethod
    def mark(self, start: int) -> Mark:
        """The last place at `start` or before it where the text can be read anew, from there."""

    @abstractmethod
    def _part(self, start: int, behind: int, stand: Stand) -> Outline:
        """The boundaries in text[behind:settled], counted from `start`, where a grower stands so."""

    @abstractmethod
    def _context_of(self, start: int) -> ContextAt:
        """The contexts of chunks, by offsets from `start`."""

    def grow(self, start: int, stand: Stand) -> Iterator[Made]:
        """The chunks from `start` on that are certain, by a grower that stands so."""
        text = self._text[start : self.settled]
        chunker = self._chunker
        outline = self._part(start, start + stand.behind, stand)
        context_at = self._context_of(start) if chunker.context else no_context
        grower = grower_of(text, outline, chunker.tokenizer, chunker.budget, context_at)
        front = [self._inside(place, len(text)) for place in stand.front]
        if isinstance(grower, CompiledGrower):
            grower.resume(front, stand.overlapping, stand.closed)
        elif stand.closed or stand.heads:
            raise NotLocalError
        else:
            grower.resume(front, stand.overlapping)
        edge = None
        if not self.is_last:
            edge = edge_before(chunker, text, len(text), 0)
            if edge < 0:
                return
        rows, at = outline.offsets, 0
        while (piece := grower.one(edge)) is not None:
            places, behind, overlapping = grower.ahead()
            closed, heads = grower.details() if isinstance(grower, CompiledGrower) else ([], [])
            row_ahead = rows[behind] if behind < len(rows) else len(text)
            after = places[0].offset if places else row_ahead
            row = EditedRow(
                piece.start - at, piece.end - at, piece.context, piece.tokens, piece.label, stand, self.mark(start + at)
            )
            stand = Stand(
                tuple(self._outside(place, after, len(text)) for place in places),
                row_ahead - after,
                overlapping,
                tuple((offset - after, said - after) for offset, said in closed),
                tuple((offset - after, end - after) for offset, end in heads),
            )
            yield Made(row, after - at, stand)
            at = after

    def _inside(self, place: Place, size: int) -> Place:
        return place if place.enclosing_end <= size else place._replace(enclosing_end=size)

    def _outside(self, place: Place, start: int, size: int) -> Place:
        end = FAR if place.enclosing_end == size and not self.is_last else place.enclosing_end - start
        return place._replace(offset=place.offset - start, enclosing_end=end)


def same_stand(one: Stand, other: Stand, size: int) -> bool:
    """Whether two growers stand alike; what is `size` characters behind them and more is the same to both."""
    if one[1:] != other[1:] or len(one.front) != len(other.front):
        return False
    return all(
        mine[:3] == theirs[:3] and min(mine.enclosing_end, size) == min(theirs.enclosing_end, size)
        for mine, theirs in zip(one.front, other.front, strict=True)
    )
