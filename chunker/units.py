"""The units of a text that are still ahead of the growing chunk, cut finer where they are too long.

    outline    ^0                  ^20                              ^53
    ahead      a line of twenty..  a line that is far too long ...  the last line
    finer      a line of twenty..  a |line |that |is |far |too ...  the last line

Formats stop at lines or sentences. Finer boundaries are asked of `refine` for one unit at a time, so that a text that is never cut there
costs nothing. A chunk takes units from the front and puts those that it does not keep back again; both cost O(1) a unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chunker.boundaries import Boundary, Outline, Strength, refine


class Place(NamedTuple):
    """A boundary, and the offset of the next boundary that is stronger: there ends the unit that a cut here would break."""

    offset: int
    strength: int
    label: str
    enclosing_end: int


def stack_of_places(boundaries: Sequence[Boundary], end: int) -> list[Place]:
    """The boundaries of a stretch that ends at `end` as places, last one first, so that the next one is popped from the list's end.

    Linear.

    >>> stack_of_places([Boundary(0, 9, "a"), Boundary(3, 2, "b"), Boundary(5, 1, "c"), Boundary(7, 2, "d")], 8)[::-1]
    ... # doctest: +NORMALIZE_WHITESPACE
    [Place(offset=0, strength=9, label='a', enclosing_end=8), Place(offset=3, strength=2, label='b', enclosing_end=8),
     Place(offset=5, strength=1, label='c', enclosing_end=7), Place(offset=7, strength=2, label='d', enclosing_end=8)]
    """
    stack: list[Place] = []
    stronger: list[
        tuple[int, int]
    ] = []  # (strength, offset) of later boundaries, strength falling towards the end of the list
    for offset, strength, label in reversed(boundaries):
        while stronger and stronger[-1][0] <= strength:
            stronger.pop()
        stack.append(Place(offset, strength, label, stronger[-1][1] if stronger else end))
        stronger.append((strength, offset))
    return stack


class Units:
    """The places ahead. The next unit stands between the first two of them; after the last one it reaches to the end of the text."""

    def __init__(self, text: str, outline: Outline) -> None:
        self._text = text
        self._finest = outline.finest
        self._ahead = stack_of_places(outline.boundaries, len(text))

    def __bool__(self) -> bool:
        return bool(self._ahead)

    @property
    def next(self) -> Place:
        """The place where the next unit begins."""
        return self._ahead[-1]

    @property
    def after_next(self) -> Place | None:
        """The place where the next unit ends; None for the end of the text."""
        return self._ahead[-2] if len(self._ahead) > 1 else None

    @property
    def offset(self) -> int:
        """Where the next unit begins, in characters; the length of the text if there is none."""
        return self._ahead[-1].offset if self._ahead else len(self._text)

    @property
    def end(self) -> int:
        """Where the next unit ends, in characters."""
        return self._ahead[-2].offset if len(self._ahead) > 1 else len(self._text)

    def take(self) -> Place:
        """Take the next unit; the place where it begins."""
        return self._ahead.pop()

    def put_back(self, places: list[Place], keep: int) -> None:
        """Leave the first `keep` of the places taken; the others are ahead again."""
        self._ahead.extend(reversed(places[keep:]))
        del places[keep:]

    def drop(self, number: int) -> None:
        """Forget so many of the next units: they are behind now."""
        del self._ahead[len(self._ahead) - number :]

    def move_next_end(self, offset: int) -> None:
        """Let the next unit end, and the one after it begin, at `offset`."""
        self._ahead[-2] = self._ahead[-2]._replace(offset=offset)

    def parts(self, place: Place, after: Place | None) -> list[Place]:
        """The boundaries inside the unit between two places, all of the next finer level that has any, in their order."""
        end = len(self._text) if after is None else after.offset
        finer = refine(self._text, place.offset, end, self._finest)
        if after is not None and finer and after.strength <= finer[0].strength:
            end = after.enclosing_end
        return stack_of_places(finer, end)[::-1]

    def split_next(self, parts: list[Place]) -> None:
        """Cut the next unit at `parts`, which lie inside it."""
        self.put_back([self._ahead.pop(), *parts], 0)

    def is_of_outline(self, place: Place, after: Place | None) -> bool:
        """Whether the unit between two places is one of the outline, not a part of one."""
        return self._level(place, after) >= self._finest

    def holds_several(self, place: Place, after: Place | None, parts: list[Place]) -> bool:
        """Whether the unit between two places, which has these parts, is several units of its own level: `refine` may leave them together."""
        return bool(parts) and parts[0].strength >= self._level(place, after)

    def _level(self, place: Place, after: Place | None) -> int:
        """The level down to which the text around this unit has been cut."""
        return min(self._finest, place.strength, Strength.DOCUMENT if after is None else after.strength)
