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

    `before` is the last such place before that one, from the start of the chunk as well. `preamble` stands for all text before, and the
    boundary there has this strength and label. `closing` ends what is open there.
    """

    offset: int
    before: int
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

    The first is not 0 where an overlap turned out to be too long. `reach`: how far the grower looked, from there as well.
    """

    first: int
    size: int
    context: str
    tokens: int
    label: str
    stand: Stand
    mark: Mark
    reach: int


class Rows:
    """The chunks of one version of a text."""

    def __init__(self, rows: list[EditedRow], steps: list[int]) -> None:
        self.rows = rows
        self.steps = steps
        self.starts = list(accumulate(steps, initial=0))[: len(rows)]

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
        reaching = (number for number in range(len(self.rows)) if self.reach(number) >= offset)
        return next(reaching, len(self.rows) - 1)

    def last_marked_before(self, offset: int) -> int:
        """The number of the last chunk up to this offset that has a mark before it; the first one if there is none."""
        number = self.holding(offset)
        while number and self.mark(number) >= offset:
            number -= 1
        return number

    def first_marked_from(self, offset: int) -> int:
        """The number of the first chunk that has a mark at this offset or after it; that of chunks if there is none."""
        marked = (number for number in range(self.holding(offset), len(self.rows)) if self.mark(number) >= offset)
        return next(marked, len(self.rows))

    def replaced(self, first: int, behind: int, rows: list[EditedRow], steps: list[int], before: int = 0) -> Rows:
        """With these rows in place of rows[first:behind], where the place before the mark of the first one after them is now so far from its start."""
        after = self.rows[behind:]
        place = self.mark(behind) if after else 0
        start = self.starts[behind] if after else 0
        for number, row in enumerate(after, behind):
            if self.mark(number) != place:
                break
            after[number - behind] = row._replace(mark=row.mark._replace(before=before + start - self.starts[number]))
        return Rows(self.rows[:first] + rows + after, self.steps[:first] + steps + self.steps[behind:])


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
