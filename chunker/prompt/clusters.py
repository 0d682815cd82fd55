"""The nearest offsets in a text that cut no grapheme cluster, found without reading the text from its start.

    text     a text of any length, é (two code points) and all
    offset                          ^|  between the letter and its accent
    found                           <    or  >

Whether an offset is inside a cluster may depend on characters far before it (a row of flags is pairs of letters).
Between two characters that never join with anything on that side, a cluster always ends: from the nearest such offset
on, the clusters are read.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from chunker.formats.segmentation import grapheme_ends

# Latin, Greek and Cyrillic letters, visible ASCII and the space, kana and Han: each begins a cluster, whatever stands
# before it, but for characters of the class Prepend, none of which is among them.
_PLAIN = "[ -~\u00c0-\u024f\u0391-\u03c9\u0410-\u044f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]"
_SURE = re.compile(f"(?<={_PLAIN})(?={_PLAIN})")
# Characters searched at a time, and the most of them; with no certain boundary in so many, all clusters of the text are
# found once.
_BLOCK, _FAR = 64, 4_096


class Clusters:
    """The grapheme clusters of one text. 0 and its length are ends of clusters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._all: Sequence[int] | None = None

    def end_at_or_before(self, place: int) -> int:
        """The last end of a cluster that is not after `place`."""
        text = self._text
        if place >= len(text) or (text.isascii() and text[max(0, place - 1) : place + 1] != "\r\n"):
            return min(place, len(text))
        before = self._sure_place(place)
        if before is None:
            ends = self._ends()
            return ends[bisect_right(ends, place) - 1]
        for end in grapheme_ends(text, before):
            if end > place:
                break
            before = end
        return before

    def end_at_or_after(self, place: int) -> int:
        """The first end of a cluster that is not before `place`."""
        before = self.end_at_or_before(place)
        return before if before == place else next(grapheme_ends(self._text, before), len(self._text))

    def ends(self, start: int, end: int) -> Iterator[int]:
        """The ends of clusters from `start` to `end`, both included, ascending."""
        text = self._text
        if text.isascii():
            return (place for place in range(start, end + 1) if text[max(0, place - 1) : place + 1] != "\r\n")
        return self._read(start, end)

    def _read(self, start: int, end: int) -> Iterator[int]:
        sure = self.end_at_or_after(start)
        if sure > end:
            return
        yield sure
        for place in grapheme_ends(self._text, sure):
            if place > end:
                return
            yield place

    def _ends(self) -> Sequence[int]:
        if self._all is None:
            self._all = array("Q", [0, *grapheme_ends(self._text)])
        return self._all

    def _sure_place(self, place: int) -> int | None:
        """The last offset up to `place` at which a cluster ends for certain; None if it is far away."""
        if self._all is not None:
            return None
        end, size = place, _BLOCK
        while end > 0 and place - end < _FAR:
            start = max(0, end - size)
            # One more character on both sides: the place is between two.
            near = self._text[max(0, start - 1) : end + 1]
            found = [match.start() for match in _SURE.finditer(near)]
            if found:
                return max(0, start - 1) + found[-1]
            end, size = start, 2 * size
        return 0 if end == 0 else None
