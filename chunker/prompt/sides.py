"""One side of an item that is truncated: how much of it may be kept, and its price.

    text     the start of the log and its end
    kept     ---------            5, 8, 9 ... characters from the start       a side
                            -----  3, 7 ...   characters from the end         a side, `backwards`

Everything is in kept lengths, so both sides are searched alike.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from chunker.counting import TokenCounter
from chunker.counting.slices import slice_prices
from chunker.prompt.clusters import Clusters
from chunker.prompt.pricing import Pricer

# Characters read at first for each token that may be kept; and tokens above the limit that prove that enough was read.
_CHARACTERS_A_TOKEN, _PROOF = 8, 16
# At most this many lengths are tried at a time: three tokens of spaces may have hundreds.
_TRIED = 32
# A span of so many characters without a cut is part of a very long word.
_LONG = 256
# The count of a text may fall when the text grows; a search allows for this many tokens.
_SLACK = 2


class Side:
    """The start of a text, or backwards its end.

    `places`: the offsets at which the text may be cut, ascending, between 0 and its length; None for all that cut no
    grapheme cluster. `reach`: more tokens are never asked for.
    """

    def __init__(
        self,
        text: str,
        tokenizer: TokenCounter,
        pricer: Pricer,
        places: Sequence[int] | None,
        reach: int | None,
        *,
        backwards: bool,
    ) -> None:
        self._text = text
        self._pricer = pricer
        self._backwards = backwards
        self._clusters = Clusters(text)
        self._window = self._enough(tokenizer, reach)
        part = text[len(text) - self._window :] if backwards else text[: self._window]
        self._prices = slice_prices(tokenizer, part)
        self._offset = len(text) - self._window if backwards else 0
        self._known: dict[int, int] = {}  # tokens by length
        self._lengths: Sequence[int] | None = None
        # Something is always cut away.
        self._most = min(self._window, len(text) - 1)
        if places is not None:
            lengths = [len(text) - place for place in reversed(places)] if backwards else places
            self._lengths = lengths[: bisect_right(lengths, self._most)]

    def _enough(self, tokenizer: TokenCounter, reach: int | None) -> int:
        """Return how many characters on this side have more tokens than are ever asked for; all of them if no fewer do."""
        size = len(self._text)
        if reach is None:
            return size
        window = _CHARACTERS_A_TOKEN * (reach + _PROOF)
        while window < size:
            part = self._text[size - window :] if self._backwards else self._text[:window]
            if tokenizer.count_up_to(part, reach + _PROOF) is None:
                return window
            window *= 2
        return size

    def span(self, length: int) -> tuple[int, int]:
        """Return the start and end offset of the kept part if it has `length` characters."""
        return (len(self._text) - length, len(self._text)) if self._backwards else (0, length)

    def count(self, start: int, end: int) -> int:
        """Tokens of a slice of the text on this side."""
        return self._prices.count(start - self._offset, end - self._offset)

    def tokens(self, length: int) -> int:
        """Return the tokens of the kept part of `length` characters by itself."""
        tokens = self._known.get(length)
        if tokens is None:
            start, end = self.span(length)
            # A slice that starts inside of one huge pre-token costs the interval encoder more than a count.
            if self._backwards and length > _LONG and self._pricer.first_cut(self._text[start : start + _LONG]) is None:
                tokens = self._pricer.count(self._text[start:end])
            else:
                tokens = self.count(start, end)
            self._known[length] = tokens
        return tokens

    def at_most(self, tokens: int) -> int:
        """Return the greatest length with at most `tokens` tokens, or one near it; 0 if there is none."""
        candidates = range(self._most + 1) if self._lengths is None else self._lengths
        found = bisect_right(candidates, tokens, key=self.tokens)
        length = candidates[found - 1] if found else 0
        return length if self._lengths is not None else self._whole(length)

    def at_least(self, tokens: int) -> int | None:
        """Return the least length with at least `tokens` tokens, or one near it; None if there is none."""
        if tokens <= 0:
            return 0
        candidates = range(self._most + 1) if self._lengths is None else self._lengths
        found = bisect_left(candidates, tokens, key=self.tokens)
        if found == len(candidates):
            return None
        if self._lengths is not None:
            return self._lengths[found]
        length = self._whole(candidates[found], more=True)
        # With the rest of its last cluster a part may have fewer tokens again.
        for _ in range(_TRIED):
            if length > self._most or self.tokens(length) >= tokens:
                break
            length = self._whole(length + 1, more=True)
        return length if length <= self._most else None

    def shorter(self, length: int) -> int:
        """Return the greatest allowed length of at most `length`; 0 if there is none."""
        if self._lengths is None:
            return self._whole(max(0, min(length, self._most)))
        found = bisect_right(self._lengths, length)
        return self._lengths[found - 1] if found else 0

    def longer(self, length: int, tokens: int) -> Iterator[int]:
        """Yield the lengths above this one with at most `tokens` more tokens, the greatest first; of very many, only the nearest."""
        limit = self.tokens(length) + tokens
        if self._lengths is not None:
            start = bisect_right(self._lengths, length)
            end = bisect_right(self._lengths, limit + _SLACK, start, key=self.tokens)
            candidates = self._lengths[start:end]
        else:
            end = bisect_right(range(self._most + 1), limit + _SLACK, length + 1, key=self.tokens) - 1
            end = min(end, length + _TRIED * _CHARACTERS_A_TOKEN)
            candidates = self._between(length + 1, end)
        return (candidate for candidate in reversed(candidates[:_TRIED]) if self.tokens(candidate) <= limit)

    def _between(self, least: int, most: int) -> Sequence[int]:
        """The lengths in a range that cut no grapheme cluster, ascending."""
        size = len(self._text)
        if least > most:
            return []
        if not self._backwards:
            return list(self._clusters.ends(least, most))
        return [size - place for place in self._clusters.ends(size - most, size - least)][::-1]

    def _whole(self, length: int, *, more: bool = False) -> int:
        """The nearest length that cuts no grapheme cluster: not above this one, or with `more` not below."""
        place = len(self._text) - length if self._backwards else length
        if more == self._backwards:
            place = self._clusters.end_at_or_before(place)
        else:
            place = self._clusters.end_at_or_after(place)
        return len(self._text) - place if self._backwards else place
