"""The chunks of an edited text, one row each, with numbers that an edit elsewhere does not change.

    text      |-----------|-------------|---------|          chunks
    steps          11           13           9               from the start of a chunk to that of the next
    starts    0           11            24                   their sums, made anew after an edit

All else is told from the start of the chunk: where the grower stood there, and the last place before it where the format can be read anew.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, overload

from chunker.growing.pieces import Piece
from chunker.growing.units import Place


class Mark(NamedTuple):
    """A place where the text can be read anew: `offset`, in characters, from the start of a chunk, so never above 0.

    `preamble` stands for all text before, and the boundary there has this strength and label. `closing` ends what is open there.
    """

    offset: int
    preamble: str
    strength: int
    label: str
    closing: str = ""


class Stand(NamedTuple):
    """The state of a grower at the start of a chunk, with offsets from there: the units ahead that differ from those of
    the outline, the first boundary of the outline after them, and the number of units that repeat the end of the chunk
    before. Of a sketch also which of the units ahead are closed, with their starts in the sketch, and which are in a head, with its end.
    """

    front: tuple[Place, ...]
    behind: int
    overlapping: int
    closed: tuple[tuple[int, int], ...] = ()
    heads: tuple[tuple[int, int], ...] = ()


class EditedRow(NamedTuple):
    """A chunk: its first and last offset from where the grower stood, what is in front of them, and what it takes to grow it again.

    The first is not 0 where an overlap turned out to be too long. `reach`: how far the grower looked, from there as well. `places`: where, up to
    the next chunk, the text can be read anew, from there as well, each with what ends all that is open there.
    """

    first: int
    size: int
    context: str
    tokens: int
    label: str
    stand: Stand
    mark: Mark
    reach: int
    places: tuple[tuple[int, str], ...]


class Rows:
    """The chunks of one version of a text."""

    def __init__(self, rows: list[EditedRow], steps: list[int], farthest: int | None = None) -> None:
        self.rows = rows
        self.steps = steps
        self.starts = list(accumulate(steps, initial=0))[: len(rows)]
        # No grower looked farther from the start of its chunk.
        self._farthest = max((row.reach for row in rows), default=0) if farthest is None else farthest

    def holding(self, offset: int) -> int:
        """The number of the last chunk that begins at this offset or before it."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def at(self, start: int) -> int | None:
        """The number of the chunk that begins at this offset; None if none does."""
        number = bisect_left(self.starts, start)
        return number if number < len(self.starts) and self.starts[number] == start else None

    def mark(self, number: int) -> int:
        """The last place where the text can be read anew, at the start of this chunk or before it."""
        return self.starts[number] + self.rows[number].mark.offset

    def reach(self, number: int) -> int:
        """How far the grower looked for this chunk."""
        return self.starts[number] + self.rows[number].reach

    def first_reaching(self, offset: int) -> int:
        """The number of the first chunk that looked at what stands at this offset or behind it; the last one if none did."""
        first = min(bisect_left(self.starts, offset - self._farthest), len(self.rows) - 1)
        reaching = (number for number in range(first, len(self.rows)) if self.reach(number) >= offset)
        return next(reaching, len(self.rows) - 1)

    def place_before(self, offset: int, back: int) -> int:
        """The last place but `back` before this offset where the text can be read anew; 0 if there are not so many."""
        number = self.holding(offset)
        while number >= 0:
            start = self.starts[number]
            before = [start + place for place, _ in self.rows[number].places if start + place < offset]
            if back < len(before):
                return before[-1 - back]
            back -= len(before)
            number -= 1
        return 0

    def place_from(self, offset: int, ahead: int) -> tuple[int, str] | None:
        """The place where the text can be read anew that has `ahead` others between this offset and it, and what ends all that is open there; None if there is none."""
        for number in range(self.holding(offset), len(self.rows)):
            start = self.starts[number]
            for place, closing in self.rows[number].places:
                if start + place < offset:
                    continue
                if not ahead:
                    return start + place, closing
                ahead -= 1
        return None

    def first_marked_from(self, offset: int) -> int:
        """The number of the first chunk that has a mark at this offset or after it; that of chunks if there is none."""
        marked = (number for number in range(self.holding(offset), len(self.rows)) if self.mark(number) >= offset)
        return next(marked, len(self.rows))

    def replaced(self, first: int, behind: int, rows: list[EditedRow], steps: list[int]) -> Rows:
        """With these rows in place of rows[first:behind]."""
        farthest = max(self._farthest, *(row.reach for row in rows)) if rows else self._farthest
        steps = self.steps[:first] + steps + self.steps[behind:]
        return Rows(self.rows[:first] + rows + self.rows[behind:], steps, farthest)


class Pieces(Sequence[Piece]):
    """The rows as pieces, each made when it is asked for."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows.rows)

    @overload
    def __getitem__(self, index: int) -> Piece: ...

    @overload
    def __getitem__(self, index: slice) -> list[Piece]: ...

    def __getitem__(self, index: int | slice) -> Piece | list[Piece]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        row, start = self._rows.rows[index], self._rows.starts[index]
        return Piece(start + row.first, start + row.size, row.context, row.tokens, row.label)

    def __iter__(self) -> Iterator[Piece]:
        for row, start in zip(self._rows.rows, self._rows.starts, strict=True):
            yield Piece(start + row.first, start + row.size, row.context, row.tokens, row.label)
