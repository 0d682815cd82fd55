"""Truncate an item: keep the most of it that fits, cut where it may be cut.

"tail"      the first lines of the file and the next o…
"head"      …rds of the conversation, up to its end
"middle"    the start of the log…and its end

A search by tokens comes near the best cut; then the cuts around it are tried one by one, because counts with the
ellipsis and the joins are not monotone. At the end no cut fits that keeps up to three tokens more on one side. If none
fits, those that keep `item.min_tokens` and little more were tried, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from chunker.counting import TokenCounter
from chunker.formats.segmentation import sentence_ends
from chunker.native import native
from chunker.prompt.items import Item
from chunker.prompt.pricing import Priced, Pricer
from chunker.prompt.sides import Side

# Cuts with up to this many tokens more than the best so far are tried one by one.
_TRIED_ABOVE = 3

_compiled = native()

# The number of characters kept on the left and on the right.
Lengths = tuple[int, int]


class Version(NamedTuple):
    """An item cut: its text, and which characters of the item are kept."""

    text: str
    kept: tuple[tuple[int, int], ...]
    tokens: int  # the tokens of the kept parts, each by itself, without the ellipsis
    priced: Priced | None = None  # the text as joins see it, where that is known


class Cutter:
    """The versions of one item. What it costs to find one does not depend on the length of the item, after one pass over it.

    `reach`: no version of more tokens will be asked for, so of a much longer item only the ends are looked at.
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
        """The version that keeps the most tokens: `item.min_tokens` at least, `most` at most, for a `price` of `room` at most. None if there is none.

        `price` is what the prompt would grow by, and may be anything near the version's tokens. Not every version is
        tried, see above.
        """

        def fits(lengths: Lengths) -> Version | None:
            if not self._least <= self._tokens(*lengths) <= most:
                return None
            version = self._version(*lengths)
            return version if version is not None and price(version) <= room else None

        if self._least > most:
            return None
        tried: set[Lengths] = set()
        for start in self._starts(room, most, price):
            if start not in tried and (version := self._grown(start, fits)) is not None:
                return version
            tried.add(start)
        return None

    def least(self) -> Version | None:
        """The shortest version that keeps `item.min_tokens`, and something; None where only the whole item does."""
        lengths = self._least_lengths()
        return None if lengths is None else self._version(*lengths)

    def _starts(self, room: int, most: int, price: Callable[[Version], int]) -> Iterator[Lengths]:
        """Starting points of the search for a part that fits, to be tried one after the other."""
        near = self._near(room, most, price, right_share=0.5)
        if self._left is None or self._right is None:
            yield near
        else:
            # Both ends, if there is room for both; else the one of which more can be kept.
            if 0 not in near:
                yield near
            one_end = [self._near(room, most, price, right_share) for right_share in (0.0, 1.0)]
            yield from sorted((near, *one_end), key=lambda lengths: -self._tokens(*lengths))
        least = self._least_lengths()
        if least is not None:
            version = self._version(*least)
            if version is not None and price(version) <= room:
                yield least
        yield (0, 0)

    def _near(self, room: int, most: int, price: Callable[[Version], int], right_share: float) -> Lengths:
        """Return lengths that fit: try as many tokens as there is room for, then subtract the excess until a version fits.

        `right_share`: the share of the right side, where there are two.
        """
        tokens = min(room, most)
        while tokens > 0:
            lengths = self._at_most(tokens, int(tokens * right_share))
            version = self._version(*lengths)
            if version is None:
                break
            excess = max(price(version) - room, version.tokens - most)
            if excess <= 0:
                return lengths
            tokens = min(version.tokens, tokens) - excess
        return (0, 0)

    def _grown(self, lengths: Lengths, fits: Callable[[Lengths], Version | None]) -> Version | None:
        """Return the version reached from `lengths` by keeping a little more on one side as long as that fits; None if no version fits."""
        if self._tokens(*lengths) + _TRIED_ABOVE < self._least:
            return None
        best = fits(lengths)
        while True:
            for longer in self._longer(*lengths):
                version = fits(longer)
                if version is not None:
                    best, lengths = version, longer
                    break
            else:
                return best

    def _least_lengths(self) -> Lengths | None:
        tokens = self._least
        while True:
            on_right = 0 if self._right is None else tokens if self._left is None else tokens // 2
            left = 0 if self._left is None else self._left.at_least(tokens - on_right)
            right = 0 if self._right is None else self._right.at_least(on_right)
            if left is None or right is None:
                return None
            version = self._version(left, right)
            if version is None:
                return None
            if version.tokens >= self._least:
                return left, right
            tokens += 1

    def _at_most(self, tokens: int, on_right: int) -> Lengths:
        """Return lengths with about `tokens` tokens, rarely more; with "middle", `on_right` of them on the right."""
        if self._left is None or self._right is None:
            return (
                0 if self._left is None else self._left.at_most(tokens),
                0 if self._right is None else self._right.at_most(tokens),
            )
        left = self._left.at_most(tokens - on_right)
        # If one side cannot be cut near its share, the other gets the rest.
        right = self._right.at_most(tokens - self._left.tokens(left))
        left = max(left, self._left.at_most(tokens - self._right.tokens(right)))
        if left + right < len(self._text):
            return left, right
        # Something has to be left out: either the end of the one or the start of the other.
        size = len(self._text) - 1
        ways = ((left, self._right.shorter(size - left)), (self._left.shorter(size - right), right))
        return max(ways, key=lambda way: self._tokens(*way))

    def _longer(self, left: int, right: int) -> Iterator[Lengths]:
        """Parts that keep a little more on one side, the longest first."""
        if self._left is not None:
            yield from ((length, right) for length in self._left.longer(left, _TRIED_ABOVE))
        if self._right is not None:
            yield from ((left, length) for length in self._right.longer(right, _TRIED_ABOVE))

    def _tokens(self, left: int, right: int) -> int:
        """Tokens of the kept parts, each by itself, if so many characters are kept."""
        before = 0 if self._left is None or not left else self._left.tokens(left)
        after = 0 if self._right is None or not right else self._right.tokens(right)
        return before + after

    def _version(self, left: int, right: int) -> Version | None:
        """Return the item cut to `left` and `right` characters; None if that is nothing, or all of it."""
        if not 0 < left + right < len(self._text):
            return None
        before = [] if self._left is None or not left else [self._slice(self._left, left)]
        after = [] if self._right is None or not right else [self._slice(self._right, right)]
        priced = self._pricer.joined([*before, *self._ellipsis, *after])
        kept = ((0, left), (len(self._text) - right, len(self._text)))
        tokens = sum(part.tokens for part in (*before, *after))
        return Version(priced.text, tuple((start, end) for start, end in kept if start < end), tokens, priced)

    def _slice(self, side: Side, length: int) -> Priced:
        """Return one of the kept parts with its prices, without counting again what the interval encoder knows."""
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
        found = set(sentence_ends(text) if _compiled is None else _compiled.sentence_ends(text))
    else:
        return None
    return sorted(place for place in found if 0 < place < len(text))
