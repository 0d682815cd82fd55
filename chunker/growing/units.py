"""The units ahead of the growing chunk, refined if they are too long.

    outline    ^0                  ^20                              ^53
    ahead      a line of twenty..  a line that is far too long ...  the last line
    finer      a line of twenty..  a |line |that |is |far |too ...  the last line

Formats stop at lines or sentences. Finer boundaries come from `refine`, for one unit at a time, so that a text that is
never cut there costs nothing; and from a sketch, for units that it left closed. The boundaries of the outline stay in
its columns, with the index of the next one. Boundaries that were found or moved since are kept in a list in front of
them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from chunker.formats import Boundary, Outline, Strength, refine
from chunker.formats.sketches import Sketch
from chunker.growing.limits import BLANKS


class Place(NamedTuple):
    """A boundary, and the offset of the next stronger boundary: the end of the unit that a cut here would break."""

    offset: int
    strength: int
    label: str
    enclosing_end: int


class Ahead(NamedTuple):
    """The state of a grower after a chunk, from which another grower can continue. Offsets are in characters.

    Args:
        places: The starts of the next units, as far as they are not rows of the outline; None if there are too many.
        start: The offset where the next unit begins; the length of the text if there is none.
        row: The number of the row of the outline that follows `places`.
        overlapping: The number of units ahead that repeat the end of the last chunk.
        unsettled: The offset of the last of `places` whose `enclosing_end` is the end of the text; -1 if there is none.
    """

    places: list[Place] | None
    start: int
    row: int
    overlapping: int
    unsettled: int


# Equal to Place(*row), in a third of the time.
_as_place: Callable[[tuple[int, int, str, int]], Place] = partial(tuple.__new__, Place)


def enclosing_ends(offsets: Sequence[int], strengths: Sequence[int], end: int) -> list[int]:
    """Return for each boundary the offset of the next stronger one, `end` if there is none. Linear.

    >>> enclosing_ends([0, 3, 5, 7], [9, 2, 1, 2], 8)
    [8, 8, 7, 8]
    """
    ends = [end] * len(offsets)
    # The boundaries that wait for a stronger one; their strength falls or stays equal towards the end of the list.
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


def places_of(boundaries: Sequence[Boundary], end: int) -> list[Place]:
    """Convert the boundaries of a span that ends at `end` to places. Linear.

    >>> places_of([Boundary(0, 9, "a"), Boundary(3, 2, "b"), Boundary(5, 3, "c")], 8)[1]
    Place(offset=3, strength=2, label='b', enclosing_end=5)
    """
    if not boundaries:
        return []
    offsets, strengths, labels = zip(*boundaries, strict=True)
    return list(map(_as_place, zip(offsets, strengths, labels, enclosing_ends(offsets, strengths, end), strict=True)))


def _from_the_end(place: Place) -> int:
    """Return a sort key that ascends where the offsets of places descend."""
    return -place.offset


def end_before_blank_lines(text: str, start: int, end: int) -> int:
    """Return the end of text[start:end] without trailing blank lines; `end` if there are none. Reads only these lines.

    >>> end_before_blank_lines("one\\n\\n  \\ntwo", 0, 8)
    4
    """
    size = BLANKS
    while True:
        first = max(end - size, start)
        length = len(text[first:end].rstrip())
        if length or first == start:
            return text.find("\n", first + length, end) + 1 or end
        size *= 2


def last_stronger(places: Sequence[Place], strength: int, start: int, stop: int) -> int | None:
    """Return the index of the last of places[start:stop] that is stronger than `strength`; None if none is."""
    return next((index for index in range(stop - 1, start - 1, -1) if places[index].strength > strength), None)


class Units:
    """The boundaries ahead. The next unit lies between the first two; the last unit ends at the end of the text."""

    def __init__(self, text: str, outline: Outline) -> None:
        self._text = text
        self.end_of_text = Place(len(text), Strength.DOCUMENT, "", len(text))
        self._finest = outline.finest
        self._offsets, self._strengths, self._labels = outline.offsets, outline.strengths, outline.labels
        self._ends = enclosing_ends(outline.offsets, outline.strengths, len(text))
        self._sketch = outline if isinstance(outline, Sketch) else None
        self._heads = outline.heads if self._sketch is None else dict(outline.heads)
        # Start of each closed unit -> its start in the sketch. The two differ if the blank lines before the unit were
        # moved into it.
        self._closed = {} if self._sketch is None else dict(zip(self._sketch.closed, self._sketch.closed, strict=True))
        self._next_row = 0  # the index of the next row
        self._front: list[Place] = []  # before what is ahead of the rows, last one first

    def __bool__(self) -> bool:
        return bool(self._front) or self._next_row < len(self._offsets)

    @property
    def next(self) -> Place:
        """The boundary where the next unit begins."""
        return self._front[-1] if self._front else self._place(self._next_row)

    @property
    def after_next(self) -> Place:
        """The boundary where the next unit ends."""
        if len(self._front) > 1:
            return self._front[-2]
        index = self._next_row + 1 - len(self._front)
        return self._place(index) if index < len(self._offsets) else self.end_of_text

    def _place(self, row: int) -> Place:
        return Place(self._offsets[row], self._strengths[row], self._labels[row], self._ends[row])

    @property
    def offset(self) -> int:
        """The start of the next unit, in characters; the length of the text if there is none."""
        if self._front:
            return self._front[-1].offset
        return self._offsets[self._next_row] if self._next_row < len(self._offsets) else len(self._text)

    def offset_of(self, number: int) -> int:
        """Return the start, in characters, of the unit after the next `number` units; the length of the text if there
        is none.
        """
        if number < len(self._front):
            return self._front[-1 - number].offset
        row = self._next_row + number - len(self._front)
        return self._offsets[row] if row < len(self._offsets) else len(self._text)

    @property
    def end(self) -> int:
        """The end of the next unit, in characters."""
        return self.after_next.offset

    def take(self, number: int) -> list[Place]:
        """Take the next `number` units. Returns the boundaries where they begin."""
        taken: list[Place] = []
        while self._front and len(taken) < number:
            taken.append(self._front.pop())
        next_row = self._next_row + number - len(taken)
        taken += map(self._place, range(self._next_row, next_row))
        self._next_row = next_row
        return taken

    def take_until(self, end: int) -> list[Place]:
        """Take the units that begin before `end`. Returns the boundaries where they begin."""
        # The list in front is in reverse order.
        from_front = len(self._front) - bisect_right(self._front, -end, key=_from_the_end)
        return self.take(from_front + bisect_left(self._offsets, end, self._next_row) - self._next_row)

    def stand_at(self, place: Place) -> None:
        """Let the next unit begin at `place`, before or after the current one, and drop all refinements: units after it
        are those of the outline.
        """
        self._next_row = bisect_left(self._offsets, place.offset)
        known = self._next_row < len(self._offsets) and self._offsets[self._next_row] == place.offset
        self._front = [] if known else [place]

    def put_back(self, places: list[Place], keep: int = 0) -> None:
        """Keep the first `keep` of the taken units in `places`; put the others back ahead."""
        back = places[keep:]
        del places[keep:]
        start = self._next_row - len(back)
        if not self._front and start >= 0 and list(map(self._place, range(start, self._next_row))) == back:
            self._next_row = start
        else:
            self._front.extend(reversed(back))

    def move_next_end(self, offset: int) -> None:
        """Let the next unit end, and the one after it begin, at `offset`."""
        first, second = self.take(2)
        self._front += second._replace(offset=offset), first
        if second.offset in self._closed:
            self._closed[offset] = self._closed.pop(second.offset)

    @property
    def front(self) -> list[Place]:
        """The units ahead that are not rows of the outline or differ from them; the next unit is the last. Do not change
        the list.
        """
        return self._front

    @property
    def next_row(self) -> int:
        """The row of the outline that follows the units in `front`."""
        return self._next_row

    @property
    def heads(self) -> dict[int, int]:
        """The heads of the outline, and of refined units. Do not change them."""
        return self._heads

    @property
    def next_is_closed(self) -> bool:
        """Whether the next unit is not refined yet; it may have boundaries inside."""
        return self.offset in self._closed

    def open_next(self) -> bool:
        """Refine the next unit with the boundaries that a sketch has left for later. Returns whether there are any."""
        known = self._closed.pop(self.offset, None)
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

    def open_taken(self, places: list[Place], keep: int) -> bool:
        """Refine the closed units among places[keep:], the last units taken. Returns whether there were any."""
        if not any(place.offset in self._closed for place in places[keep:]):
            return False
        end = self.offset
        self.put_back(places, keep)
        while self.offset < end:
            if not self.open_next():
                places += self.take(1)
        return True

    def open_all(self) -> None:
        """Refine all units ahead."""
        ahead = self.take_until(len(self._text))
        while ahead:
            self.put_back([ahead.pop()])
            self.open_next()

    def any_closed(self, start: int) -> bool:
        """Whether there are units from `start` on that are not refined yet."""
        return any(offset >= start for offset in self._closed)

    def _stronger_from(self, place: Place, strength: int) -> int:
        """Return the offset of the first boundary, from `place` on, that is stronger than `strength`; the end of the
        text if there is none.
        """
        if place.strength > strength:
            return place.offset
        row, strengths = bisect_left(self._offsets, place.enclosing_end), self._strengths
        while row < len(strengths) and strengths[row] <= strength:
            row = bisect_left(self._offsets, self._ends[row])
        return self._offsets[row] if row < len(strengths) else len(self._text)

    def parts(self, place: Place, after: Place) -> list[Place]:
        """Return the boundaries inside the unit between two places, in order: all of the next finer level that has
        any.
        """
        finer = refine(self._text, place.offset, after.offset, self._finest)
        end = after.enclosing_end if finer and after.strength <= finer[0].strength else after.offset
        return places_of(finer, end)

    def split_next(self, parts: list[Place]) -> None:
        """Split the next unit at `parts`, which lie inside it."""
        self._front.extend(reversed([*self.take(1), *parts]))

    @property
    def next_is_of_outline(self) -> bool:
        """Whether the next unit is one of the outline, not a part of one."""
        return self._level(self.next, self.after_next) >= self._finest

    @property
    def next_completes_unit(self) -> bool:
        """Whether a larger unit ends where the next one does, and not at the end of the text."""
        return self.next.enclosing_end == self.end < len(self._text)

    def holds_several(self, place: Place, after: Place, parts: list[Place]) -> bool:
        """Whether the unit between two places consists of several units of its own level, because `refine` may leave
        them together. `parts`: its parts.
        """
        return bool(parts) and parts[0].strength >= self._level(place, after)

    def _level(self, place: Place, after: Place) -> int:
        """Return the level down to which the text around this unit has been split."""
        return min(self._finest, place.strength, after.strength)
