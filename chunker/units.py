"""The units of a text that are still ahead of the growing chunk, cut finer where they are too long.

    outline    ^0                  ^20                              ^53
    ahead      a line of twenty..  a line that is far too long ...  the last line
    finer      a line of twenty..  a |line |that |is |far |too ...  the last line

Formats stop at lines or sentences. Finer boundaries are asked of `refine` for one unit at a time, so that a text that is never cut there
costs nothing; and of a sketch what it has left for later. The boundaries of the outline stay in its columns, with a number that says how far the chunks have come; in front of them
stand those that were found since or were moved. Taking units and putting them back costs O(1), and no `Place` is made of a row of the
columns before somebody looks at it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property, partial
from typing import NamedTuple

from chunker.boundaries import Boundary, Outline, Strength, refine
from chunker.boundaries.sketches import Sketch
from chunker.native import native


class Place(NamedTuple):
    """A boundary, and the offset of the next boundary that is stronger: there ends the unit that a cut here would break."""

    offset: int
    strength: int
    label: str
    enclosing_end: int


# What Place(*row) makes of a row, at a third of the time.
_as_place: Callable[[tuple[int, int, str, int]], Place] = partial(tuple.__new__, Place)


def enclosing_ends(offsets: Sequence[int], strengths: Sequence[int], end: int) -> list[int]:
    """For each boundary the offset of the next stronger one, `end` where there is none. Linear.

    >>> enclosing_ends([0, 3, 5, 7], [9, 2, 1, 2], 8)
    [8, 8, 7, 8]
    """
    ends = [end] * len(offsets)
    # The boundaries that wait for a stronger one, strength falling or equal towards the end of the list.
    waiting: list[int] = []
    last = 0  # the strength of the last that waits
    for index, strength in enumerate(strengths):
        if waiting and last < strength:
            offset = offsets[index]
            while waiting and strengths[waiting[-1]] < strength:
                ends[waiting.pop()] = offset
        waiting.append(index)
        last = strength
    return ends


# Of a row in `closed_rows`.
_IN_HEAD = 2

_compiled = native()
# The same for all boundaries of a text.
_ends_of: Callable[[list[int], list[int], int], list[int]] = (
    enclosing_ends if _compiled is None else _compiled.enclosing_ends
)


def places_of(boundaries: Sequence[Boundary], end: int) -> list[Place]:
    """The boundaries of a stretch that ends at `end` as places. Linear.

    >>> places_of([Boundary(0, 9, "a"), Boundary(3, 2, "b"), Boundary(5, 3, "c")], 8)[1]
    Place(offset=3, strength=2, label='b', enclosing_end=5)
    """
    if not boundaries:
        return []
    offsets, strengths, labels = zip(*boundaries, strict=True)
    return list(map(_as_place, zip(offsets, strengths, labels, enclosing_ends(offsets, strengths, end), strict=True)))


def _from_the_end(place: Place) -> int:
    """Ascends where the offsets of places fall."""
    return -place.offset


class _Columns:
    """The boundaries of an outline: their offsets, strengths, labels, and what `enclosing_ends` says of them."""

    def __init__(self, outline: Outline, end: int) -> None:
        self.offsets = outline.offsets
        self.strengths = outline.strengths
        self.labels = outline.labels
        self._end = end

    @cached_property
    def ends(self) -> list[int]:
        return _ends_of(self.offsets, self.strengths, self._end)

    def place(self, row: int) -> Place:
        return _as_place((self.offsets[row], self.strengths[row], self.labels[row], self.ends[row]))

    def places(self, start: int, stop: int) -> list[Place]:
        rows = slice(start, stop)
        columns = self.offsets[rows], self.strengths[rows], self.labels[rows], self.ends[rows]
        return list(map(_as_place, zip(*columns, strict=True)))


class Places:
    """Places in the order of the text: some by themselves, then rows of the columns of an outline, which cost nothing.

    >>> places = Places(places_of([Boundary(0, 9, "a"), Boundary(3, 2, "b"), Boundary(5, 3, "c")], 8))
    >>> len(places), places[1].offset, places.last_stronger(2, 1, 3), places.last_stronger(2, 0, 2)
    (3, 3, 2, 0)
    """

    __slots__ = ("_alone", "_columns", "_start", "_stop")

    def __init__(self, alone: Iterable[Place] = ()) -> None:
        self._alone = list(alone)
        self._columns: _Columns | None = None
        self._start = self._stop = 0  # of the rows

    def __len__(self) -> int:
        return len(self._alone) + self._stop - self._start

    def __getitem__(self, index: int) -> Place:
        """The place with this number, which is not negative."""
        row = index - len(self._alone)
        if row < 0 or self._columns is None:
            return self._alone[index]
        if row >= self._stop - self._start:
            raise IndexError(f"there are {len(self)} places, none has the number {index}")
        return self._columns.place(self._start + row)

    def listed(self) -> list[Place]:
        """All of them, each as a place by itself. Linear."""
        return self._alone + ([] if self._columns is None else self._columns.places(self._start, self._stop))

    def extend(self, places: Iterable[Place]) -> None:
        """Put places behind these."""
        if self._start < self._stop:
            self._alone, self._start = self.listed(), self._stop
        self._alone += places

    def extend_by_rows(self, columns: _Columns, start: int, stop: int) -> None:
        """Put rows of the columns behind these."""
        if self._stop != start:
            self.extend(())
        if self._start == self._stop:
            self._columns, self._start = columns, start
        self._stop = stop

    def drop_from(self, index: int) -> list[Place]:
        """Keep as many as `index` says; the others."""
        dropped = [self[each] for each in range(index, len(self))]
        self._stop = max(self._stop - len(dropped), self._start)
        del self._alone[index:]
        return dropped

    def drop_rows(self, number: int, stop: int) -> bool:
        """Drop so many from the end, if they are all rows, and the last of these is the one before row `stop`. Whether they are."""
        if stop != self._stop or number > self._stop - self._start:
            return False
        self._stop -= number
        return True

    def last_stronger(self, strength: int, start: int, stop: int) -> int | None:
        """The number of the last of places[start:stop] that is stronger than `strength`; None if none is."""
        alone = len(self._alone)
        if self._columns is not None:
            strengths, shift = self._columns.strengths, self._start - alone
            for row in range(stop - 1 + shift, max(start, alone) - 1 + shift, -1):
                if strengths[row] > strength:
                    return row - shift
        for index in range(min(stop, alone) - 1, start - 1, -1):
            if self._alone[index].strength > strength:
                return index
        return None


class Units:
    """The places ahead. The next unit stands between the first two of them; after the last one it reaches to the end of the text."""

    def __init__(self, text: str, outline: Outline) -> None:
        self._text = text
        self._finest = outline.finest
        self._columns = _Columns(outline, len(text))
        self._offsets = outline.offsets
        self._sketch = outline if isinstance(outline, Sketch) else None
        self._heads = outline.heads if self._sketch is None else dict(outline.heads)
        # Where units begin that nobody has looked into -> where the sketch says so; a unit may have got the blank lines before it.
        self._closed = {} if self._sketch is None else dict(zip(self._sketch.closed, self._sketch.closed, strict=True))
        self._closed_rows: bytearray | None = None
        self._behind = 0  # of the columns
        self._front: list[Place] = []  # before what is ahead of the columns, last one first

    def __bool__(self) -> bool:
        return bool(self._front) or self._behind < len(self._offsets)

    @property
    def next(self) -> Place:
        """The place where the next unit begins."""
        return self._front[-1] if self._front else self._columns.place(self._behind)

    @property
    def after_next(self) -> Place | None:
        """The place where the next unit ends; None for the end of the text."""
        if len(self._front) > 1:
            return self._front[-2]
        index = self._behind + 1 - len(self._front)
        return self._columns.place(index) if index < len(self._offsets) else None

    @property
    def offset(self) -> int:
        """Where the next unit begins, in characters; the length of the text if there is none."""
        if self._front:
            return self._front[-1].offset
        return self._offsets[self._behind] if self._behind < len(self._offsets) else len(self._text)

    def offset_of(self, number: int) -> int:
        """Where the unit begins that so many units ahead are before, in characters; the length of the text if there is none."""
        if number < len(self._front):
            return self._front[-1 - number].offset
        row = self._behind + number - len(self._front)
        return self._offsets[row] if row < len(self._offsets) else len(self._text)

    @property
    def end(self) -> int:
        """Where the next unit ends, in characters."""
        after = self.after_next
        return len(self._text) if after is None else after.offset

    def cuts(self, reach: int) -> list[int]:
        """The offsets of the boundaries ahead, the next one first, up to one that is `reach` characters away or more; or to the text's end."""
        behind, offsets = self._behind, self._offsets
        enough = self.offset + reach
        cuts = []
        # There may be thousands in front, of which a chunk takes a few.
        for place in reversed(self._front):
            cuts.append(place.offset)
            if place.offset >= enough:
                return cuts
        last = bisect_left(offsets, enough, behind)
        cuts += offsets[behind : last + 1]
        if last >= len(offsets):
            cuts.append(len(self._text))
        return cuts

    def take(self, number: int) -> list[Place]:
        """Take the next units; the places where they begin."""
        taken = Places()
        self.move(number, taken)
        return taken.listed()

    def move(self, number: int, to: Places) -> None:
        """Take the next units, and put the places where they begin behind those of `to`."""
        front = self._front
        if front and number:
            kept = max(len(front) - number, 0)
            to.extend(reversed(front[kept:]))
            number -= len(front) - kept
            del front[kept:]
        if number:
            start, self._behind = self._behind, self._behind + number
            to.extend_by_rows(self._columns, start, self._behind)

    def take_until(self, end: int) -> list[Place]:
        """Take the units that begin before `end`; the places where they begin."""
        # In front the last one is the first.
        from_front = len(self._front) - bisect_right(self._front, -end, key=_from_the_end)
        return self.take(from_front + bisect_left(self._offsets, end, self._behind) - self._behind)

    def stand_at(self, place: Place) -> None:
        """Let the next unit begin at `place`, wherever the units have come, and what is behind it be cut no finer than the outline."""
        self._behind = bisect_left(self._offsets, place.offset)
        known = self._behind < len(self._offsets) and self._offsets[self._behind] == place.offset
        self._front = [] if known else [place]

    def put_back(self, places: list[Place], keep: int = 0) -> None:
        """Leave the first `keep` of the places taken; the others are ahead again."""
        back = places[keep:]
        del places[keep:]
        start = self._behind - len(back)
        if not self._front and start >= 0 and self._offsets[start : self._behind] == [place.offset for place in back]:
            self._behind = start
        else:
            self._front.extend(reversed(back))

    def put_back_from(self, places: Places, keep: int) -> None:
        """The same for places that were taken by `move`. O(1) where they are rows of the columns."""
        number = len(places) - keep
        if not self._front and places.drop_rows(number, self._behind):
            self._behind -= number
        else:
            self.put_back(places.drop_from(keep))

    def move_next_end(self, offset: int) -> None:
        """Let the next unit end, and the one after it begin, at `offset`."""
        first, second = self.take(2)
        self._front += second._replace(offset=offset), first
        if second.offset in self._closed:
            self._closed[offset] = self._closed.pop(second.offset)

    # --- for who needs no place of each unit

    @property
    def front(self) -> list[Place]:
        """The units that are no rows of the outline, or not as they are there: the next one is the last. Not to be changed."""
        return self._front

    @property
    def closed_front(self) -> dict[int, int]:
        """Has the offsets of those that nobody has looked into, among others. Not to be changed."""
        return self._closed

    @property
    def row(self) -> int:
        """The row of the outline that follows those units."""
        return self._behind

    @property
    def labels(self) -> list[str]:
        """What the rows of the outline begin with. Not to be changed."""
        return self._columns.labels

    def drop(self, number: int) -> None:
        """Take the next units, and forget them."""
        kept = max(len(self._front) - number, 0)
        self._behind += number - (len(self._front) - kept)
        del self._front[kept:]

    @property
    def closed_rows(self) -> bytearray:
        """For each row of the outline 1 where nobody has looked into it, and it may have boundaries inside, plus 2 where it begins in a head."""
        if self._closed_rows is None:
            self._closed_rows = bytearray(map(self._closed.__contains__, self._offsets))
            for offset in self._heads:
                self._closed_rows[bisect_left(self._offsets, offset)] |= _IN_HEAD
        return self._closed_rows

    @property
    def heads(self) -> dict[int, int]:
        """Those of the outline, and of what has been looked into. Not to be changed."""
        return self._heads

    @property
    def next_is_closed(self) -> bool:
        """Whether nobody has looked into the next unit, which may have boundaries inside."""
        return self.offset in self._closed

    def open_next(self) -> bool:
        """Cut the next unit at the boundaries inside it that a sketch has left for later; whether there are any."""
        known = self._closed.pop(self.offset, None)
        if self._closed_rows is not None and not self._front:
            self._closed_rows[self._behind] &= _IN_HEAD
        if self._sketch is None or known is None:
            return False
        inside = self._sketch.inside(known)
        self._heads.update(inside.heads)
        if not inside.offsets:
            return False
        end = -1
        ends = enclosing_ends(inside.offsets, inside.strengths, end)
        after = self.after_next
        for index, strength in enumerate(inside.strengths):
            if ends[index] == end:
                ends[index] = self._stronger_from(after, strength)
        self.split_next(list(map(_as_place, zip(inside.offsets, inside.strengths, inside.labels, ends, strict=True))))
        return True

    def open_all(self) -> None:
        """Look into all units ahead."""
        ahead = self.take_until(len(self._text))
        while ahead:
            self.put_back([ahead.pop()])
            self.open_next()

    def any_closed(self, start: int) -> bool:
        """Whether there are units from `start` on that nobody has looked into."""
        return any(offset >= start for offset in self._closed)

    def _stronger_from(self, place: Place | None, strength: int) -> int:
        """The offset of the first boundary from `place` on that is stronger than this; the end of the text if there is none."""
        if place is None or place.strength > strength:
            return len(self._text) if place is None else place.offset
        row, strengths = bisect_left(self._offsets, place.enclosing_end), self._columns.strengths
        while row < len(strengths) and strengths[row] <= strength:
            row = bisect_left(self._offsets, self._columns.ends[row])
        return self._offsets[row] if row < len(strengths) else len(self._text)

    def parts(self, place: Place, after: Place | None) -> list[Place]:
        """The boundaries inside the unit between two places, all of the next finer level that has any, in their order."""
        end = len(self._text) if after is None else after.offset
        finer = refine(self._text, place.offset, end, self._finest)
        if after is not None and finer and after.strength <= finer[0].strength:
            end = after.enclosing_end
        return places_of(finer, end)

    def split_next(self, parts: list[Place]) -> None:
        """Cut the next unit at `parts`, which lie inside it."""
        self._front.extend(reversed([*self.take(1), *parts]))

    @property
    def next_is_of_outline(self) -> bool:
        """Whether the next unit is one of the outline, not a part of one."""
        row = self._behind
        if self._front:
            return self._level(self.next, self.after_next) >= self._finest
        strengths = self._columns.strengths
        return strengths[row] >= self._finest and (row + 1 == len(strengths) or strengths[row + 1] >= self._finest)

    @property
    def next_completes_unit(self) -> bool:
        """Whether a larger unit ends where the next one does, and not at the end of the text."""
        row, after = self._behind, self._behind + 1
        if self._front:
            place = self.after_next
            return place is not None and self.next.enclosing_end == place.offset
        return after < len(self._offsets) and self._columns.ends[row] == self._offsets[after]

    def holds_several(self, place: Place, after: Place | None, parts: list[Place]) -> bool:
        """Whether the unit between two places, which has these parts, is several units of its own level: `refine` may leave them together."""
        return bool(parts) and parts[0].strength >= self._level(place, after)

    def _level(self, place: Place, after: Place | None) -> int:
        """The level down to which the text around this unit has been cut."""
        return min(self._finest, place.strength, Strength.DOCUMENT if after is None else after.strength)
