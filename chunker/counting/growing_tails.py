"""Count a growing text with a tokenizer that can only count: the settled part is counted once, the open end again.

    text       the quick brown fo|          "fo" may become "fox" or "found"
    settled    the quick brown   |          3, never counted again
    open end                  fo            1, counted again after each append

How much is settled is for `SettledCuts` to say, which know a tokenizer's configuration. Without them nothing ever is: each count reads the
whole text. A text that grows to the left is the same in a mirror.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

Count = Callable[[str], int]


class SettledCuts(Protocol):
    """Places where a text comes apart for a tokenizer: count(text) == count(text[:cut]) + count(text[cut:]), whatever follows or precedes."""

    def last(self, text: str) -> int:
        """The last of these places in `text`, in characters; 0 if there is none inside."""
        ...

    def first(self, text: str) -> int:
        """The first of these places in `text`, in characters; 0 if there is none inside."""
        ...

    def shortened(self, tail: str) -> str:
        """A text that counts as much as `tail`, now and with whatever is appended to both; `tail` itself as a rule."""
        ...


class TailState(NamedTuple):
    """A state of a growing text: the tokens of what is settled, the open end, and its tokens, None if it was not counted yet."""

    settled: int
    text: str
    tokens: int | None


class _Tail:
    """A growing text; marks are its states, so any mark stays good."""

    __slots__ = ("_count", "_cuts", "_tail")

    def __init__(self, count: Count, cuts: SettledCuts | None) -> None:
        self._count = count
        self._cuts = cuts
        self._tail = TailState(0, "", None)

    @property
    def count(self) -> int:
        """Tokens of the text. Reads the open end, the first time it is asked."""
        settled, text, tokens = self._tail
        if tokens is None:
            tokens = self._count(text)
            self._tail = TailState(settled, text, tokens)
        return settled + tokens

    @property
    def settled(self) -> int:
        """Tokens that no added text can take away."""
        return self._tail.settled

    def snapshot(self) -> TailState:
        """A mark of this state. O(1)."""
        return self._tail

    def rollback(self, mark: TailState, /) -> None:
        """Return to the state of `mark`. O(1)."""
        self._tail = mark


class TailAppender(_Tail):
    """A text that grows to the right.

    >>> encoder = TailAppender(len, None)
    >>> encoder.append("ab"); mark = encoder.snapshot(); encoder.append("cd"); encoder.count
    4
    >>> encoder.rollback(mark); encoder.count
    2
    """

    __slots__ = ()

    def append(self, text: str, /) -> None:
        """Put `text` after what is there."""
        if not text:
            return
        settled = self._tail.settled
        text = self._tail.text + text
        if self._cuts is not None:
            cut = self._cuts.last(text)
            if cut:
                settled += self._count(text[:cut])
            text = self._cuts.shortened(text[cut:])
        self._tail = TailState(settled, text, None)


class TailPrepender(_Tail):
    """A text that grows to the left."""

    __slots__ = ()

    def prepend(self, text: str, /) -> None:
        """Put `text` before what is there."""
        if not text:
            return
        settled = self._tail.settled
        text += self._tail.text
        if self._cuts is not None:
            cut = self._cuts.first(text)
            if cut:
                settled += self._count(text[cut:])
                text = text[:cut]
        self._tail = TailState(settled, text, None)
