"""Cutting an item so that it fits: the most of it that does, at the places where it may be cut.

"tail"      the first lines of the file and the next o…
"head"      …rds of the conversation, up to its end
"middle"    the start of the log…and its end

A search by tokens comes near the best place; then those around it are tried one by one, for counts with ellipsis and joins are not
monotone. In the end nothing fits that is longer on one side by up to three tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from chunker.boundaries.segmentation import sentence_ends
from chunker.counting import TokenCounter
from chunker.prompt.items import Item
from chunker.prompt.pricing import Priced, Pricer
from chunker.prompt.sides import Side

# What is longer by up to so many tokens than the best so far is tried, place by place.
_TRIED_ABOVE = 3


class Version(NamedTuple):
    """An item cut: its text, and which characters of the item are kept."""

    text: str
    kept: tuple[tuple[int, int], ...]
    tokens: int  # of the kept parts, each by itself, without the ellipsis
    priced: Priced | None = None  # the text as joins see it, where that is known


class Cutter:
    """The versions of one item. What it costs to find one does not depend on the length of the item, after one pass over it.

    `reach`: no version of more tokens will be asked for, so of a much longer item only the ends are looked at. A version is the pair of
    how many characters it keeps on the left and on the right.
    """

    def __init__(
        self,
        item: Item,
        text: str,
        tokenizer: TokenCounter,
        *,
        pricer: Pricer | None = None,
        reach: int | None = None,
    ) -> None:
        self._text = text
        self._least = max(item.min_tokens, 1)
        self._pricer = pricer or Pricer(tokenizer)
        self._ellipsis = [self._pricer.priced(item.ellipsis)] if item.ellipsis else []
        places = _places(item, text)
        self._left = self._right = None
        if item.truncate in ("tail", "middle"):
            self._left = Side(text, tokenizer, self._pricer, places, reach, backwards=False)
        if item.truncate in ("head", "middle"):
            self._right = Side(text, tokenizer, self._pricer, places, reach, backwards=True)

    def fitting(self, room: int, most: int, price: Callable[[Version], int]) -> Version | None:
        """The version that keeps the most tokens, `most` at most, and whose `price` is at most `room`; None where that is less than
        `item.min_tokens`.

        `price` is what the prompt would grow by, and may be anything near the version's tokens.
        """
        lengths = (0, 0)
        best: Version | None = None
        tokens = min(room, most)
        while tokens > 0:
            wanted = self._at_most(tokens)
            version = self._version(*wanted)
            if version is None:
                break
            excess = max(price(version) - room, version.tokens - most)
            if excess <= 0:
                best, lengths = version, wanted
                break
            tokens = min(version.tokens, tokens) - excess
        grown = True
        while grown:
            grown = False
            for wanted in self._longer(*lengths):
                version = self._version(*wanted)
                if version is not None and version.tokens <= most and price(version) <= room:
                    best, lengths, grown = version, wanted, True
                    break
        return best if best is not None and best.tokens >= self._least else None

    def least(self) -> Version | None:
        """The shortest version that keeps `item.min_tokens`, and something; None where only the whole item does."""
        tokens = self._least
        while True:
            behind = 0 if self._right is None else tokens if self._left is None else tokens // 2
            left = 0 if self._left is None else self._left.at_least(tokens - behind)
            right = 0 if self._right is None else self._right.at_least(behind)
            if left is None or right is None:
                return None
            version = self._version(left, right)
            if version is None or version.tokens >= self._least:
                return version
            tokens += 1

    def _at_most(self, tokens: int) -> tuple[int, int]:
        """What may be kept that has about so many tokens, and not more as a rule."""
        if self._left is None or self._right is None:
            return (
                0 if self._left is None else self._left.at_most(tokens),
                0 if self._right is None else self._right.at_most(tokens),
            )
        left = self._left.at_most(tokens - tokens // 2)
        right = self._right.at_most(tokens // 2)
        if left + right >= len(self._text):
            right = self._right.shorter(len(self._text) - left - 1)
        return left, right

    def _longer(self, left: int, right: int) -> Iterator[tuple[int, int]]:
        """What keeps a little more on one side, the longest first."""
        if self._left is not None:
            yield from ((length, right) for length in self._left.longer(left, _TRIED_ABOVE))
        if self._right is not None:
            yield from ((left, length) for length in self._right.longer(right, _TRIED_ABOVE))

    def _version(self, left: int, right: int) -> Version | None:
        """The item cut, with so many characters kept; None if they are none, or all."""
        if not 0 < left + right < len(self._text):
            return None
        before = [] if self._left is None or not left else [self._slice(self._left, left)]
        behind = [] if self._right is None or not right else [self._slice(self._right, right)]
        priced = self._pricer.joined([*before, *self._ellipsis, *behind])
        kept = ((0, left), (len(self._text) - right, len(self._text)))
        tokens = sum(part.tokens for part in (*before, *behind))
        return Version(priced.text, tuple((start, end) for start, end in kept if start < end), tokens, priced)

    def _slice(self, side: Side, length: int) -> Priced:
        """One of the kept parts, as joins see it: nothing of it is counted that an interval encoder knows."""
        start, end = side.span(length)
        part, tokens = self._text[start:end], side.tokens(length)
        cuts = self._pricer.cuts_within(self._text, start, end)
        if cuts is None:
            return Priced(part, part, 0, None, tokens)
        first, last = cuts
        return Priced(part, self._text[start:first], side.count(first, last), self._text[last:end], tokens)


def _places(item: Item, text: str) -> Sequence[int] | None:
    """The offsets at which the item may be cut, ascending, neither 0 nor its length; None for all between grapheme clusters."""
    if callable(item.truncate_at):
        found = set(item.truncate_at(text))
    elif item.truncate_at == "line":
        found = set(accumulate(map(len, text.splitlines(keepends=True))))
    elif item.truncate_at == "sentence":
        found = set(sentence_ends(text))
    else:
        return None
    return sorted(place for place in found if 0 < place < len(text))
