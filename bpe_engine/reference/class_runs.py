"""The end of a pre-token in O(log n), however long it is, from an index of the runs of each character class.

`regex` must walk over a run to find its end. That is right for words, and quadratic for a megabyte of letters that grows by
appends, or that is sliced a thousand times. Here the places where a class begins and ends are kept in sorted arrays, so the
end of the run that a character belongs to is one binary search; and the rules of each named pattern, written out over such
searches, give the end of the pre-token that starts at any place, as if the text ended at any other.

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

from bpe_engine.unicode_classes import STAND_IN_OF_CLASS

# What the rules below ask for. The text is one of stand-ins (see unicode_classes.py), so these sets are complete.
SETS = {
    "letter": r"\p{L}+",
    "number": r"\p{N}+",
    "space": r"\s+",
    "newline": r"[\r\n]+",
    "newline or slash": r"[\r\n/]+",
    "punctuation": r"[^\s\p{L}\p{N}]+",
    "upper": r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+",  # o200k: the classes that may begin a word
    "lower": r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",  # o200k: the classes that may end it
    "both": r"[\p{Lm}\p{Lo}\p{M}]+",
}
SETS_OF_PATTERN = {
    "r50k": ("letter", "number", "space", "punctuation"),
    "cl100k": ("letter", "number", "space", "newline", "punctuation"),
    "o200k": ("number", "space", "newline", "newline or slash", "punctuation", "upper", "lower", "both"),
}


@cache
def _run_pattern(name: str) -> regex.Pattern[str]:
    return regex.compile(SETS[name])


class _Runs:
    """Where one class begins and ends: [first, end, first, end, ...], the last end missing while the run is still open."""

    def __init__(self, name: str) -> None:
        self._pattern = _run_pattern(name)
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


class ClassRuns:
    """The runs of every class that a named pattern asks for, over a text that grows to the right. Offsets are characters."""

    def __init__(self, pattern_name: str, character: Callable[[int], str]) -> None:
        """`character(place)` gives the stand-in at a place of the text."""
        self._runs = {name: _Runs(name) for name in SETS_OF_PATTERN[pattern_name]}
        self._rule = RULES[pattern_name]
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

    def end(self, name: str, place: int, limit: int) -> int:
        """The end of the run of class `name` that holds `place`; `place` itself where it is of another class."""
        toggles = self._runs[name].toggles
        index = bisect_right(toggles, place)
        if index % 2 == 0:
            return place
        return min(toggles[index], limit) if index < len(toggles) else limit

    def last(self, name: str, place: int, limit: int) -> int:
        """The last place in [place, limit) that is of class `name`; `place - 1` where there is none."""
        toggles = self._runs[name].toggles
        index = bisect_left(toggles, limit)
        if index % 2 == 1:
            return limit - 1
        found = toggles[index - 1] - 1 if index else place - 1
        return max(found, place - 1)

    def pretoken_end(self, place: int, limit: int) -> int:
        """The end of the first pre-token of text[place:limit]; `place` < `limit`."""
        return self._rule(self, place, limit)


class MirroredClassRuns(ClassRuns):
    """The same over a text that grows to the left: its end is place 0, its first character place -length.

    Texts are handed in from right to left: `extend` takes the stand-ins in reversed order.
    """

    def end(self, name: str, place: int, limit: int) -> int:
        """As there, with places from the end of the text."""
        toggles = self._runs[name].toggles
        index = bisect_right(toggles, -1 - place)
        return min(-toggles[index - 1], limit) if index % 2 == 1 else place

    def last(self, name: str, place: int, limit: int) -> int:
        """As there, with places from the end of the text."""
        toggles = self._runs[name].toggles
        index = bisect_right(toggles, -limit)
        if index % 2 == 1:
            return limit - 1
        found = -1 - toggles[index] if index < len(toggles) else place - 1
        return max(found, place - 1)


# The rules: what the patterns of `bpe_engine.patterns` say, alternative by alternative, in their order.


def _r50k(runs: ClassRuns, place: int, limit: int) -> int:
    first = runs.character(place)
    if first == "'" and (end := _contraction(runs, place, limit, ignore_case=False)) > place:
        return end
    start = place + 1 if first == " " and place + 1 < limit else place
    for name in ("letter", "number", "punctuation"):
        if (end := runs.end(name, start, limit)) > start:
            return end
    end = runs.end("space", place, limit)
    return end if end == limit else max(end - 1, place + 1)


def _cl100k(runs: ClassRuns, place: int, limit: int) -> int:
    first = runs.character(place)
    if first == "'" and (end := _contraction(runs, place, limit, ignore_case=True)) > place:
        return end
    if (end := runs.end("letter", place, limit)) > place:
        return end
    if (end := min(runs.end("number", place, limit), place + 3)) > place:
        return end
    after = place + 1
    if first not in "\r\n" and after < limit and (end := runs.end("letter", after, limit)) > after:
        return end
    if (end := _punctuation(runs, place, limit, "newline")) > place:
        return end
    end = runs.end("space", place, limit)
    if end == limit:
        return end
    newline = runs.last("newline", place, end)
    return newline + 1 if newline >= place else max(end - 1, after)


def _o200k(runs: ClassRuns, place: int, limit: int) -> int:
    first = runs.character(place)
    if (end := min(runs.end("number", place, limit), place + 3)) > place:
        return end
    after = place + 1
    in_word = runs.end("upper", place, limit) > place or runs.end("lower", place, limit) > place
    # A mark is of both word classes, and may be the character before the word as well.
    may_be_prefix = first not in "\r\n" and (not in_word or first == STAND_IN_OF_CLASS["M"])
    starts = (after, place) if may_be_prefix and after < limit else (place,)
    for word in (_word_that_ends_low, _word_that_begins_high):
        for start in starts:
            if (end := word(runs, start, limit)) > start:
                return max(end, _contraction(runs, end, limit, ignore_case=True))
    if (end := _punctuation(runs, place, limit, "newline or slash")) > place:
        return end
    end = runs.end("space", place, limit)
    newline = runs.last("newline", place, end)
    if newline >= place:
        return newline + 1
    return end if end == limit else max(end - 1, after)


def _word_that_ends_low(runs: ClassRuns, place: int, limit: int) -> int:
    """Upper* Lower+: the upper run is greedy, and gives back up to its last character that is of both classes."""
    upper_end = runs.end("upper", place, limit)
    if upper_end < limit and (end := runs.end("lower", upper_end, limit)) > upper_end:
        return end
    return runs.last("both", place, upper_end) + 1


def _word_that_begins_high(runs: ClassRuns, place: int, limit: int) -> int:
    """Upper+ Lower*: asked only when the other has failed, so no lower-class character follows the upper run."""
    return runs.end("upper", place, limit)


def _punctuation(runs: ClassRuns, place: int, limit: int, tail: str) -> int:
    """` ?[^\\s\\p{L}\\p{N}]+` and the run of `tail` behind it; `place` where it does not match."""
    start = place + 1 if runs.character(place) == " " and place + 1 < limit else place
    end = runs.end("punctuation", start, limit)
    if end == start:
        return place
    return runs.end(tail, end, limit) if end < limit else end


_CONTRACTIONS = ("s", "d", "m", "t", "ll", "ve", "re")


def _contraction(runs: ClassRuns, place: int, limit: int, *, ignore_case: bool) -> int:
    """The end of 's 't 're 've 'm 'll 'd at `place`; `place` where there is none."""
    if place >= limit or runs.character(place) != "'":
        return place
    for letters in _CONTRACTIONS:
        end = place + 1 + len(letters)
        if end <= limit:
            found = "".join(map(runs.character, range(place + 1, end)))
            if (found.lower().replace("ſ", "s") if ignore_case else found) == letters:
                return end
    return place


RULES: dict[str, Callable[[ClassRuns, int, int], int]] = {"r50k": _r50k, "cl100k": _cl100k, "o200k": _o200k}
