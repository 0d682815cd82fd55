"""The exact number of tokens of texts that stand in a row, while texts are put in and taken out at any place.

    kept      "You are ..."  ¶¶  "def f(x): ..."  ¶¶  "What is f?"
    firm cuts        |                |       |            |
    counted   once   |  at each join  | once  |  at a join | once

Counts do not add up where texts meet. They do at firm cuts (`bpe_engine.firm_cuts`), so a text that has one is three numbers' worth: a head
up to its first cut, a tail from its last, and tokens between. To put a text in is to count the few characters at its two joins anew; what
is far away is not looked at. A text without firm cuts takes part in the joins as a whole, and under a tokenizer that knows of none every
text does: then each step counts everything again, exactly.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bpe_engine import Tokenizer
from bpe_engine.firm_cuts import first_firm_cut, has_firm_cuts, last_firm_cut
from chunker.counting import TokenCounter
from chunker.prompt.chat import Break, Part

# What stands between two texts of the row that are neighbours; -1 is the start of the row, and its length the end.
Glue = Callable[[int, int], Sequence[Part]]


class Priced(NamedTuple):
    """A text as joins see it. `tail` is None where it has no firm cut; then `head` is all of it, and `inner` 0."""

    text: str
    head: str
    inner: int
    tail: str | None
    tokens: int  # of the text alone


class Pricer:
    """Counts texts for one tokenizer, once each."""

    def __init__(self, tokenizer: TokenCounter) -> None:
        self._tokenizer = tokenizer
        self._firm = isinstance(tokenizer, Tokenizer) and has_firm_cuts(tokenizer.vocabulary.pattern)
        self._known: dict[str, Priced] = {}
        self.count = tokenizer.count

    def priced(self, text: str) -> Priced:
        """`text` with its tokens. Linear in the text, the first time."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._price(text)
        return known

    def _price(self, text: str) -> Priced:
        first = first_firm_cut(text) if self._firm else None
        if first is None:
            return Priced(text, text, 0, None, self.count(text))
        last = last_firm_cut(text) or first
        head, tail = text[:first], text[last:]
        inner = self.count(text[first:last])
        return Priced(text, head, inner, tail, self.count(head) + inner + self.count(tail))


class Row:
    """Texts in a row, each at a place of its own, of which some are kept."""

    def __init__(self, size: int, pricer: Pricer, glue: Glue) -> None:
        self._size = size
        self._pricer = pricer
        self._glue = glue
        self._kept: list[int] = []
        self._texts: dict[int, Priced] = {}
        self.total = self.cost(glue(-1, size))

    @property
    def kept(self) -> Sequence[int]:
        """The places whose texts are kept, ascending."""
        return self._kept

    def text_at(self, place: int) -> str:
        """The text that is kept at a place."""
        return self._texts[place].text

    def parts(self) -> list[Part]:
        """All that is kept, with what stands between."""
        parts: list[Part] = []
        before = -1
        for place in self._kept:
            parts += self._glue(before, place)
            parts.append(self._texts[place].text)
            before = place
        return [*parts, *self._glue(before, self._size)]

    def price(self, place: int, text: str) -> int:
        """Tokens that `total` would grow by, were `text` kept at `place`, which is free. May be negative."""
        index = bisect_left(self._kept, place)
        before = self._kept[index - 1] if index else -1
        behind = self._kept[index] if index < len(self._kept) else self._size
        left, right = self._left_of(index), self._right_of(index)
        item = self._pricer.priced(text)
        opening, closing = self._glue(before, place), self._glue(place, behind)
        if item.tail is None:
            now = self.cost([*left, *opening, item.head, *closing, *right])
        else:
            now = self.cost([*left, *opening, item.head]) + item.inner + self.cost([item.tail, *closing, *right])
        return now - self.cost([*left, *self._glue(before, behind), *right])

    def put(self, place: int, text: str) -> int:
        """Keep `text` at `place`, which is free; by how many tokens `total` has grown."""
        grown = self.price(place, text)
        insort(self._kept, place)
        self._texts[place] = self._pricer.priced(text)
        self.total += grown
        return grown

    def take(self, place: int) -> int:
        """Drop what is kept at `place`; by how many tokens `total` has grown, mostly a negative number."""
        text = self._texts.pop(place).text
        del self._kept[bisect_left(self._kept, place)]
        grown = -self.price(place, text)
        self.total += grown
        return grown

    def _left_of(self, index: int) -> list[Part]:
        """What stands left of the kept text number `index`, back to the nearest place where counts add up."""
        parts: list[Part] = []
        while index > 0:
            index -= 1
            text = self._texts[self._kept[index]]
            if text.tail is not None:
                return [text.tail, *parts]
            glue = self._glue(self._kept[index - 1] if index else -1, self._kept[index])
            parts[:0] = [*_from_last_break(glue), text.head]
            if any(isinstance(part, Break) for part in glue):
                break
        return parts

    def _right_of(self, index: int) -> list[Part]:
        """What stands right of the kept text number `index - 1`, up to the nearest place where counts add up."""
        parts: list[Part] = []
        while index < len(self._kept):
            text = self._texts[self._kept[index]]
            parts.append(text.head)
            if text.tail is not None:
                break
            index += 1
            glue = self._glue(self._kept[index - 1], self._kept[index] if index < len(self._kept) else self._size)
            parts += _to_first_break(glue)
            if any(isinstance(part, Break) for part in glue):
                break
        return parts

    def cost(self, parts: Sequence[Part]) -> int:
        """Tokens of a text in parts. Linear."""
        total, run = 0, ""
        for part in parts:
            if isinstance(part, Break):
                total += part.tokens + (self._pricer.count(run) if run else 0)
                run = ""
            else:
                run += part
        return total + (self._pricer.count(run) if run else 0)


def _from_last_break(parts: Sequence[Part]) -> list[Part]:
    """The texts behind the last break."""
    for index in range(len(parts) - 1, -1, -1):
        if isinstance(parts[index], Break):
            return list(parts[index + 1 :])
    return list(parts)


def _to_first_break(parts: Sequence[Part]) -> list[Part]:
    """The texts before the first break."""
    for index, part in enumerate(parts):
        if isinstance(part, Break):
            return list(parts[:index])
    return list(parts)
