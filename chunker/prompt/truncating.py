"""Cutting an item so that it fits: the most of it that does, at the places where it may be cut.

"tail"      the first lines of the file and the next o…
"head"      …rds of the conversation, up to its end
"middle"    the start of the log…and its end
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import NamedTuple

from chunker.boundaries.segmentation import grapheme_ends, sentence_ends
from chunker.counting import TokenCounter
from chunker.optimal import Recounted, SlicePrices
from chunker.prompt.items import Item

# Counts with ellipsis and joins are not monotone: after the search so many tokens more are tried, one by one.
_TRIED_ABOVE = 3
# A search that has not come to an end after so many steps takes what it has: each step gives up at least a token.
_LONGEST_CLUSTER = 256


class Version(NamedTuple):
    """An item cut: its text, and which characters of the item are kept."""

    text: str
    kept: tuple[tuple[int, int], ...]
    tokens: int  # of the kept parts, each by itself, without the ellipsis


class Cutter:
    """The versions of one item. What it costs to find one does not depend on the length of the item, after one pass over it."""

    def __init__(self, item: Item, text: str, tokenizer: TokenCounter) -> None:
        self._item = item
        self._text = text
        make_prices = getattr(tokenizer, "interval_encoder", None)
        self._prices: SlicePrices = make_prices(text) if make_prices else Recounted(tokenizer, text)
        self._places = _places(item, text)

    def longest(self, room: int, most: int, price: Callable[[str], int]) -> Version | None:
        """The version that keeps the most tokens, `most` at most, and whose `price` is at most `room`; None where that is less than
        `item.min_tokens`.
        """
        best: Version | None = None
        tokens = min(room, most)
        while tokens > 0 and best is None:
            version = self._version(tokens)
            if version is None:
                break
            excess = price(version.text) - room
            if excess <= 0:
                best = version
            else:
                tokens = min(version.tokens, tokens) - excess
        if best is None:
            return None
        for more in range(tokens + 1, min(tokens + _TRIED_ABOVE, most) + 1):
            version = self._version(more)
            if version is not None and version.tokens > best.tokens and price(version.text) <= room:
                best = version
        least = self._item.min_tokens
        return best if best.tokens >= max(least, 1) else None

    def _version(self, tokens: int) -> Version | None:
        """The version that keeps at most so many tokens; None where nothing is left."""
        text, ellipsis, size = self._text, self._item.ellipsis, len(self._text)
        if self._item.truncate == "tail":
            end = self._end_of(tokens)
            kept: tuple[tuple[int, int], ...] = ((0, end),)
            cut = text[:end] + ellipsis
        elif self._item.truncate == "head":
            start = self._start_of(tokens)
            kept = ((start, size),)
            cut = ellipsis + text[start:]
        else:
            end = self._end_of(tokens - tokens // 2)
            start = max(end, self._start_of(tokens // 2))
            kept = ((0, end), (start, size))
            cut = text[:end] + ellipsis + text[start:]
        kept = tuple((start, end) for start, end in kept if start < end)
        if not kept:
            return None
        return Version(cut, kept, sum(self._prices.count(start, end) for start, end in kept))

    def _end_of(self, tokens: int) -> int:
        """The last place up to which the text has at most so many tokens."""
        places = self._places
        found = bisect_right(places, tokens, key=lambda place: self._prices.count(0, place))
        place = places[found - 1] if found else 0
        return self._cluster_start(place) if isinstance(places, range) else place

    def _start_of(self, tokens: int) -> int:
        """The first place from which the text has at most so many tokens."""
        places, size = self._places, len(self._text)
        found = bisect_right(
            range(len(places)), tokens, key=lambda back: self._prices.count(places[len(places) - 1 - back], size)
        )
        place = places[len(places) - found] if found else size
        return self._cluster_start(place, up=True) if isinstance(places, range) else place

    def _cluster_start(self, place: int, *, up: bool = False) -> int:
        """The nearest place that cuts no grapheme cluster, at or before this one; with `up` at or behind it."""
        start = max(0, place - _LONGEST_CLUSTER)
        before = start
        for end in grapheme_ends(self._text, start, min(len(self._text), place + _LONGEST_CLUSTER)):
            if end >= place:
                return end if up or end == place else before
            before = end
        return place


def _places(item: Item, text: str) -> Sequence[int]:
    """The offsets at which the item may be cut, ascending; a range stands for all characters."""
    if callable(item.truncate_at):
        return sorted({place for place in item.truncate_at(text) if 0 < place < len(text)})
    if item.truncate_at == "line":
        return list(accumulate(map(len, text.splitlines(keepends=True))))
    if item.truncate_at == "sentence":
        return [*sentence_ends(text)]
    return range(len(text) + 1)
