"""The chunks of an edited text, one row each, with relative offsets, which an edit elsewhere does not change.

    text      |-----------|-------------|---------|          chunks
    steps          11           13           9               from the start of a chunk to that of the next
    starts    0           11            24                   their sums, made anew after an edit

All other offsets count from the start of the chunk: the state of the grower there, and the last offset before it where
parsing can resume.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, overload

from chunker.growing.pieces import Piece
from chunker.growing.units import Place


class Mark(NamedTuple):
    """An offset where parsing can resume: `offset`, in characters, from the start of a chunk, so never above 0.

    `preamble` replaces all text before; the boundary there has this strength and label. `closing` is text that closes
    what is open there.
    """

    offset: int
    preamble: str
    strength: int
    label: str
    closing: str = ""


class Stand(NamedTuple):
    """The state of a grower at the start of a chunk, with offsets from there: the units ahead that differ from those of
    the outline, the first boundary of the outline after them, and the number of units that repeat the end of the chunk
    before. For a sketch also the closed units among those ahead, with their starts in the sketch, and the boundaries
    inside heads, with the ends of the heads.
    """

    front: tuple[Place, ...]
    following: int
    overlapping: int
    closed: tuple[tuple[int, int], ...] = ()
    heads: tuple[tuple[int, int], ...] = ()


class EditedRow(NamedTuple):
    """A chunk: its first offset and its end, its context, tokens and label, and everything needed to grow it again. All
    offsets count from the start of the row.

    `first` is not 0 if an overlap turned out to be too long. `stand` is None if the state there is too large to be kept.
    `reach`: how far the grower looked. `places`: the offsets up to the next chunk where parsing can resume, each with the
    text that closes what is open there.
    """

    first: int
    size: int
    context: str
    tokens: int
    label: str
    stand: Stand | None
    mark: Mark
    reach: int
    places: tuple[tuple[int, str], ...]


class Rows:
    """The chunks of one version of a text."""

    def __init__(
        self, rows: list[EditedRow], steps: list[int], farthest: int | None = None, starts: list[int] | None = None
    ) -> None:
        self.rows = rows
        self.steps = steps
        self.starts = list(accumulate(steps, initial=0))[: len(rows)] if starts is None else starts
        # No grower looked farther than this from the start of its chunk.
        self._farthest = max((row.reach for row in rows), default=0) if farthest is None else farthest

    def holding(self, offset: int) -> int:
        """Return the index of the last chunk that begins at or before this offset."""
        return max(bisect_right(self.starts, offset) - 1, 0)

    def at(self, start: int) -> int | None:
        """Return the index of the chunk that begins at this offset; None if none does."""
        number = bisect_left(self.starts, start)
        return number if number < len(self.starts) and self.starts[number] == start else None

    def mark(self, number: int) -> int:
        """Return the last offset where parsing can resume, at or before the start of this chunk."""
        return self.starts[number] + self.rows[number].mark.offset

    def reach(self, number: int) -> int:
        """Return the offset up to which the grower looked for this chunk."""
        return self.starts[number] + self.rows[number].reach

    def first_reaching(self, offset: int) -> int:
        """Return the index of the first chunk for which the grower looked at text at or after this offset; the last
        chunk if there is none.
        """
        first = min(bisect_left(self.starts, offset - self._farthest), len(self.rows) - 1)
        reaching = (number for number in range(first, len(self.rows)) if self.reach(number) >= offset)
        return next(reaching, len(self.rows) - 1)

    def stand(self, number: int) -> tuple[int, Stand]:
        """Return the index of the last chunk up to this one whose stand is known, and the stand."""
        stand = self.rows[number].stand
        while stand is None:
            number -= 1
            stand = self.rows[number].stand
        return number, stand

    def place_before(self, offset: int, back: int) -> int:
        """Return the last offset but `back`, before `offset`, where parsing can resume; 0 if there are not enough of
        them.
        """
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
        """Return the offset where parsing can resume that has `ahead` others between `offset` and itself, and the text
        that closes what is open there; None if there is none.
        """
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
        """Return the index of the first chunk with a mark at or after this offset; the number of chunks if there is
        none.
        """
        marked = (number for number in range(self.holding(offset), len(self.rows)) if self.mark(number) >= offset)
        return next(marked, len(self.rows))

    def replaced(self, first: int, stop: int, rows: list[EditedRow], steps: list[int]) -> Rows:
        """Return a copy with `rows` in place of rows[first:stop]."""
        farthest = max(self._farthest, *(row.reach for row in rows)) if rows else self._farthest
        *made, end = accumulate(steps, initial=self.starts[first])
        # Copied once and only where they differ: there may be many rows, none of them in the cache of the processor.
        all_rows, all_steps, starts = self.rows.copy(), self.steps.copy(), self.starts.copy()
        all_rows[first:stop], all_steps[first:stop], starts[first:stop] = rows, steps, made
        if stop < len(self.starts) and (longer := end - self.starts[stop]):
            starts[first + len(made) :] = [start + longer for start in self.starts[stop:]]
        return Rows(all_rows, all_steps, farthest, starts)


class Pieces(Sequence[Piece]):
    """The rows as pieces, each created on access."""

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
