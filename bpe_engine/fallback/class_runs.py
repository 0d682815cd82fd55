"""The end of a pre-token in O(log n), however long it is, from an index of the runs of each character class.

`regex` must walk over a run to find its end. That is right for words, and quadratic for a megabyte of letters that grows by
appends, or that is sliced a thousand times. Here the places where a class begins and ends are kept in sorted arrays, so the
end of the run that a character belongs to is one binary search; and the alternatives of each named pattern, written over such
searches in `grammars.py`, give the end of the pre-token that starts at any place, as if the text ended at any other.

    text      "ab  \n  c"
    letters    0-2     7-8         ends of runs: bisect
    space        2---7
    newline        4-5             last newline of the white space: bisect

The index grows at one side and is cut back at the same side: to the right for appends, to the left for prepends (where
places count from the end of the text and are negative).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import cache

import regex

from bpe_engine.fallback.grammars import DIGIT, GRAMMARS


@cache
def _run_pattern(members: str) -> regex.Pattern[str]:
    return regex.compile(f"(?V1)[{members}]+")


class _Runs:
    """The runs of one class: [first, end, first, end, ...], the last end missing while the run is still open."""

    def __init__(self, members: str) -> None:
        self._pattern = _run_pattern(members)
        self.toggles = array("q")

    def extend(self, stand_ins: str, offset: int) -> None:
        """Take in more text, which begins at `offset`, at the growing side."""
        toggles = self.toggles
        is_open = len(toggles) % 2 == 1
        for match in self._pattern.finditer(stand_ins):
            start, end = match.span()
            if start == 0 and is_open:
                is_open = False
            else:
                if is_open:
                    toggles.append(offset)
                    is_open = False
                toggles.append(offset + start)
            if end < len(stand_ins):
                toggles.append(offset + end)
        if is_open:
            toggles.append(offset)

    def truncate(self, length: int) -> None:
        """Forget all from `length` on."""
        del self.toggles[bisect_left(self.toggles, length) :]


class _LongRuns(_Runs):
    """`_Runs`, and the starts of runs of at least three characters: in `long`."""

    def __init__(self, members: str) -> None:
        super().__init__(members)
        self.long = array("q")

    def extend(self, stand_ins: str, offset: int) -> None:
        """As `_Runs.extend`."""
        known = len(self.toggles) // 2  # the runs before the one that may be open
        super().extend(stand_ins, offset)
        for index in range(2 * known, len(self.toggles), 2):
            start = self.toggles[index]
            end = self.toggles[index + 1] if index + 1 < len(self.toggles) else offset + len(stand_ins)
            if end - start >= 3 and (not self.long or self.long[-1] < start):
                self.long.append(start)

    def truncate(self, length: int) -> None:
        """As `_Runs.truncate`."""
        super().truncate(length)
        del self.long[bisect_left(self.long, length - 2) :]


class ClassRuns:
    """The runs of every class that a named pattern asks for, over a text that grows to the right. Offsets are characters."""

    def __init__(self, pattern_name: str, character: Callable[[int], str]) -> None:
        """`character(place)` gives the stand-in at a place of the text."""
        self._alternatives = GRAMMARS[pattern_name]
        sets = {members for alternative in self._alternatives for members in alternative.sets}
        self._digits = _LongRuns(DIGIT)
        self._runs = {members: self._digits if members == DIGIT else _Runs(members) for members in sorted(sets)}
        self._length = 0
        self.character = character

    def extend(self, stand_ins: str) -> None:
        """Take in more text, as stand-ins, at the growing side."""
        if stand_ins:
            for runs in self._runs.values():
                runs.extend(stand_ins, self._length)
            self._length += len(stand_ins)

    def truncate(self, length: int) -> None:
        """Forget all but `length` characters."""
        for runs in self._runs.values():
            runs.truncate(length)
        self._length = min(self._length, length)

    def end(self, members: str, place: int, limit: int) -> int:
        """The end of the run of the set `members` that holds `place`; `place` itself where it is not in the set."""
        toggles = self._runs[members].toggles
        index = bisect_right(toggles, place)
        if index % 2 == 0:
            return place
        return min(toggles[index], limit) if index < len(toggles) else limit

    def last(self, members: str, place: int, limit: int) -> int:
        """The last place in [place, limit) that is in the set; `place - 1` where there is none."""
        toggles = self._runs[members].toggles
        index = bisect_left(toggles, limit)
        if index % 2 == 1:
            return limit - 1
        found = toggles[index - 1] - 1 if index else place - 1
        return max(found, place - 1)

    def first_triple(self, place: int, limit: int) -> int:
        """The first place in [place, limit - 2) from which on there are three ASCII digits; `limit` where there is none."""
        if self.end(DIGIT, place, limit) - place >= 3:
            return place
        start = self._next_long_run(place)
        return limit if start is None or start + 3 > limit else start

    def pretoken_end(self, place: int, limit: int) -> int:
        """The end of the first pre-token of text[place:limit]; `place` < `limit`."""
        return next(end for alternative in self._alternatives if (end := alternative.end(self, place, limit)) > place)

    def _next_long_run(self, place: int) -> int | None:
        """The start of the next run of three ASCII digits and more, from `place` on."""
        long = self._digits.long
        index = bisect_left(long, place)
        return long[index] if index < len(long) else None


class MirroredClassRuns(ClassRuns):
    """`ClassRuns` of a text that grows to the left: its end is offset 0, its first character offset -length.

    Texts are handed in from right to left: `extend` takes the stand-ins in reversed order.
    """

    def end(self, members: str, place: int, limit: int) -> int:
        """As `ClassRuns.end`, with offsets from the end of the text."""
        toggles = self._runs[members].toggles
        index = bisect_right(toggles, -1 - place)
        return min(-toggles[index - 1], limit) if index % 2 == 1 else place

    def last(self, members: str, place: int, limit: int) -> int:
        """As `ClassRuns.last`, with offsets from the end of the text."""
        toggles = self._runs[members].toggles
        index = bisect_right(toggles, -limit)
        if index % 2 == 1:
            return limit - 1
        found = -1 - toggles[index] if index < len(toggles) else place - 1
        return max(found, place - 1)

    def _next_long_run(self, place: int) -> int | None:
        """As `ClassRuns._next_long_run`. A run ends where it began for the index, and begins where it ended."""
        index = bisect_left(self._digits.long, -place) - 1
        while index >= 0:
            toggle = bisect_left(self._digits.toggles, self._digits.long[index]) + 1
            # The first one found may hold `place`, and begin before it.
            if toggle < len(self._digits.toggles) and -self._digits.toggles[toggle] >= place:
                return -self._digits.toggles[toggle]
            index -= 1
        return None
