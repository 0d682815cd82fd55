"""The nearest place in a text that cuts no grapheme cluster, without reading the text from its start.

    text     a text of any length, é (two code points) and all
    place                           ^|  between the letter and its accent
    found                           <    or  >

Whether a place is inside of a cluster may depend on what stands far before it (a row of flags is pairs of letters). Between two
characters that never join with anything on that side, a cluster always ends: from the nearest such place on, the clusters are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from chunker.boundaries.segmentation import grapheme_ends

# Latin, Greek and Cyrillic letters, visible ASCII and the space, kana and Han: each begins a cluster, whatever stands before it, but for
# characters of the class Prepend, none of which is among them.
_PLAIN = "[ -~\u00c0-\u024f\u0391-\u03c9\u0410-\u044f\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff]"
_SURE = re.compile(f"(?<={_PLAIN})(?={_PLAIN})")
# So many characters are searched at a time.
_BLOCK = 64


def cluster_ends(text: str, start: int, end: int) -> Iterator[int]:
    """The ends of clusters from `start` to `end`, both included, ascending; 0 and the length of the text are ends."""
    if text.isascii():
        yield from (place for place in range(start, end + 1) if text[max(0, place - 1) : place + 1] != "\r\n")
        return
    sure = _sure_place(text, start)
    if sure >= start:
        yield sure
    for place in grapheme_ends(text, sure):
        if place > end:
            return
        if place >= start:
            yield place


def cluster_end_at_or_before(text: str, place: int) -> int:
    """The last end of a cluster that is not behind `place`; 0 at least."""
    if place >= len(text) or (text.isascii() and text[max(0, place - 1) : place + 1] != "\r\n"):
        return min(place, len(text))
    before = _sure_place(text, place)
    for end in grapheme_ends(text, before):
        if end > place:
            break
        before = end
    return before


def cluster_end_at_or_behind(text: str, place: int) -> int:
    """The first end of a cluster that is not before `place`; the length of the text at most."""
    before = cluster_end_at_or_before(text, place)
    return before if before == place else next(grapheme_ends(text, before), len(text))


def _sure_place(text: str, place: int) -> int:
    """A place at or before `place` where a cluster ends for certain: 0 in the worst case."""
    end, size = place, _BLOCK
    while end > 0:
        start = max(0, end - size)
        # One more character on both sides: the place is between two.
        stretch = text[max(0, start - 1) : end + 1]
        found = [match.start() for match in _SURE.finditer(stretch)]
        if found:
            return max(0, start - 1) + found[-1]
        end, size = start, 2 * size
    return 0
