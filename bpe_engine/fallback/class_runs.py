"""The end of a pre-token in O(log n), however long it is, from an index of the runs of each character class.

`regex` walks over a run to find its end. That is fast for words, but quadratic for a megabyte of letters that grows by
appends or is sliced a thousand times. Here sorted arrays hold the offsets where the runs of a class start and end, so
one binary search finds the end of the run at a character. The alternatives of each named pattern, built on these
searches in `grammars.py`, give the end of the pre-token that starts at any offset, as if the text ended at any later
one.

    text      "ab  \n  c"
    letters    0-2     7-8         ends of runs: bisect
    space        2---7
    newline        4-5             last newline of the white space: bisect

The index grows and is cut back at one side: the right for appends, the left for prepends (whose offsets are negative
and count from the end of the text).
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
        """Add the stand-ins of more text, which starts at `offset`, at the growing side."""
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
        """Forget everything from offset `length` on."""
        del self.toggles[bisect_left(self.toggles, length) :]


class _LongRuns(_Runs):
    """`_Runs` that also keep the starts of runs of at least three characters, in `long`."""

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
    """The runs of every class that a named pattern uses, in a text that grows to the right. Offsets are characters."""

    def __init__(self, pattern_name: str, character: Callable[[int], str]) -> None:
        """Create an empty index; `character(place)` returns the stand-in of the character at an offset."""
        self._alternatives = GRAMMARS[pattern_name]
        sets = {members for alternative in self._alternatives for members in alternative.sets}
        self._digits = _LongRuns(DIGIT)
        self._runs = {members: self._digits if members == DIGIT else _Runs(members) for members in sorted(sets)}
        self._length = 0
        self.character = character

    def extend(self, stand_ins: str) -> None:
        """Add the stand-ins of more text at the growing side."""
        if stand_ins:
            for runs in self._runs.values():
                runs.extend(stand_ins, self._length)
            self._length += len(stand_ins)

    def truncate(self, length: int) -> None:
        """Keep the first `length` characters."""
        for runs in self._runs.values():
            runs.truncate(length)
        self._length = min(self._length, length)

    def end(self, members: str, place: int, limit: int) -> int:
        """Return the end of the run of the set `members` at `place`, or `place` if its character is not in the set."""
        toggles = self._runs[members].toggles
        index = bisect_right(toggles, place)
        if index % 2 == 0:
            return place
        return min(toggles[index], limit) if index < len(toggles) else limit

    def last(self, members: str, place: int, limit: int) -> int:
        """Return the last offset in [place, limit) whose character is in the set, or `place - 1` if there is none."""
        toggles = self._runs[members].toggles
        index = bisect_left(toggles, limit)
        if index % 2 == 1:
            return limit - 1
        found = toggles[index - 1] - 1 if index else place - 1
        return max(found, place - 1)

    def first_triple(self, place: int, limit: int) -> int:
        """Return the first offset in [place, limit - 2) where three ASCII digits start, or `limit` if there is none."""
        if self.end(DIGIT, place, limit) - place >= 3:
            return place
        start = self._next_long_run(place)
        return limit if start is None or start + 3 > limit else start

    def pretoken_end(self, place: int, limit: int) -> int:
        """Return the end of the first pre-token of text[place:limit], for `place` < `limit`."""
        return next(end for alternative in self._alternatives if (end := alternative.end(self, place, limit)) > place)

    def _next_long_run(self, place: int) -> int | None:
        """Return the start of the next run of at least three ASCII digits, at `place` or after it; None if there is none."""
        long = self._digits.long
        index = bisect_left(long, place)
        return long[index] if index < len(long) else None


class MirroredClassRuns(ClassRuns):
    """`ClassRuns` of a text that grows to the left: its end is offset 0, its first character offset -length.

    Text is added from right to left: `extend` takes the stand-ins in reverse order.
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
        """As `ClassRuns._next_long_run`. The index reads the text backwards: the start of a run there is its end in the text."""
        index = bisect_left(self._digits.long, -place) - 1
        while index >= 0:
            toggle = bisect_left(self._digits.toggles, self._digits.long[index]) + 1
            # The first one found may hold `place`, and begin before it.
            if toggle < len(self._digits.toggles) and -self._digits.toggles[toggle] >= place:
                return -self._digits.toggles[toggle]
            index -= 1
        return None
