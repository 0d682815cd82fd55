"""The units of a text that are still ahead of the growing chunk, cut finer where they are too long.

    outline    ^0                  ^20                              ^53
    ahead      a line of twenty..  a line that is far too long ...  the last line
    finer      a line of twenty..  a |line |that |is |far |too ...  the last line

Formats stop at lines or sentences. Finer boundaries are asked of `refine` for one unit at a time, so that a text that is never cut there
costs nothing. The boundaries of the outline stay in its columns, with a number that says how far the chunks have come; in front of them
stand those that were found since or were moved. Taking a unit and putting it back cost O(1).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from chunker.boundaries import Boundary, Outline, Strength, refine


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


def places_of(boundaries: Sequence[Boundary], end: int) -> list[Place]:
    """The boundaries of a stretch that ends at `end` as places. Linear.

    >>> places_of([Boundary(0, 9, "a"), Boundary(3, 2, "b"), Boundary(5, 3, "c")], 8)[1]
    Place(offset=3, strength=2, label='b', enclosing_end=5)
    """
    if not boundaries:
        return []
    offsets, strengths, labels = zip(*boundaries, strict=True)
    return list(map(_as_place, zip(offsets, strengths, labels, enclosing_ends(offsets, strengths, end), strict=True)))


class Units:
    """The places ahead. The next unit stands between the first two of them; after the last one it reaches to the end of the text."""

    def __init__(self, text: str, outline: Outline) -> None:
        self._text = text
        self._finest = outline.finest
        self._offsets = outline.offsets
        self._strengths = outline.strengths
        self._labels = outline.labels
        self._ends = enclosing_ends(self._offsets, self._strengths, len(text))
        self._behind = 0  # of the columns
        self._front: list[Place] = []  # before what is ahead of the columns, last one first

    def __bool__(self) -> bool:
        return bool(self._front) or self._behind < len(self._offsets)

    @property
    def next(self) -> Place:
        """The place where the next unit begins."""
        return self._front[-1] if self._front else self._column(self._behind)

    @property
    def after_next(self) -> Place | None:
        """The place where the next unit ends; None for the end of the text."""
        if len(self._front) > 1:
            return self._front[-2]
        index = self._behind + 1 - len(self._front)
        return self._column(index) if index < len(self._offsets) else None

    @property
    def offset(self) -> int:
        """Where the next unit begins, in characters; the length of the text if there is none."""
        if self._front:
            return self._front[-1].offset
        return self._offsets[self._behind] if self._behind < len(self._offsets) else len(self._text)

    @property
    def end(self) -> int:
        """Where the next unit ends, in characters."""
        after = self.after_next
        return len(self._text) if after is None else after.offset

    def cuts(self, reach: int) -> list[int]:
        """The offsets of the boundaries ahead, the next one first, up to one that is `reach` characters away or more; or to the text's end."""
        far = self.offset + reach
        cuts = [place.offset for place in reversed(self._front)]
        last = bisect_left(self._offsets, far, self._behind)
        cuts += self._offsets[self._behind : last + 1]
        if last >= len(self._offsets):
            cuts.append(len(self._text))
        return cuts

    def take(self, number: int) -> list[Place]:
        """Take the next units; the places where they begin."""
        from_front = min(number, len(self._front))
        places = self._front[len(self._front) - from_front :][::-1]
        del self._front[len(self._front) - from_front :]
        start, self._behind = self._behind, self._behind + number - from_front
        stretch = slice(start, self._behind)
        columns = self._offsets[stretch], self._strengths[stretch], self._labels[stretch], self._ends[stretch]
        places += map(_as_place, zip(*columns, strict=True))
        return places

    def take_until(self, end: int) -> list[Place]:
        """Take the units that begin before `end`; the places where they begin."""
        from_front = sum(place.offset < end for place in self._front)
        return self.take(from_front + bisect_left(self._offsets, end, self._behind) - self._behind)

    def stand_at(self, place: Place) -> None:
        """Let the next unit begin at `place`, wherever the units have come, and what is behind it be cut no finer than the outline."""
        self._behind = bisect_left(self._offsets, place.offset)
        known = self._behind < len(self._offsets) and self._offsets[self._behind] == place.offset
        self._front = [] if known else [place]

    def put_back(self, places: list[Place], keep: int) -> None:
        """Leave the first `keep` of the places taken; the others are ahead again."""
        back = places[keep:]
        del places[keep:]
        start = self._behind - len(back)
        if not self._front and start >= 0 and self._offsets[start : self._behind] == [place.offset for place in back]:
            self._behind = start
        else:
            self._front.extend(reversed(back))

    def move_next_end(self, offset: int) -> None:
        """Let the next unit end, and the one after it begin, at `offset`."""
        first, second = self.take(2)
        self._front += second._replace(offset=offset), first

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

    def is_of_outline(self, place: Place, after: Place | None) -> bool:
        """Whether the unit between two places is one of the outline, not a part of one."""
        return self._level(place, after) >= self._finest

    def holds_several(self, place: Place, after: Place | None, parts: list[Place]) -> bool:
        """Whether the unit between two places, which has these parts, is several units of its own level: `refine` may leave them together."""
        return bool(parts) and parts[0].strength >= self._level(place, after)

    def _column(self, index: int) -> Place:
        return Place(self._offsets[index], self._strengths[index], self._labels[index], self._ends[index])

    def _level(self, place: Place, after: Place | None) -> int:
        """The level down to which the text around this unit has been cut."""
        return min(self._finest, place.strength, Strength.DOCUMENT if after is None else after.strength)
