"""Count a growing text with a tokenizer that can only count: the settled part is counted once, the open end again and
again.

    text       the quick brown fo|          "fo" may become "fox" or "found"
    settled    the quick brown   |          3, never counted again
    open end                  fo            1, counted again after each append

`SettledCuts`, which know the tokenizer's configuration, find the end of the settled part. Without them nothing is ever
settled: each count reads the whole text. A text that grows to the left is the mirror image.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

Count = Callable[[str], int]


class SettledCuts(Protocol):
    """Safe splits of a tokenizer: count(text) == count(text[:cut]) + count(text[cut:]), whatever text follows or
    precedes.
    """

    def last(self, text: str) -> int:
        """Return the last safe split in `text`, in characters; 0 if there is none inside."""
        ...

    def first(self, text: str) -> int:
        """Return the first safe split in `text`, in characters; 0 if there is none inside."""
        ...

    def shortened(self, tail: str) -> str:
        """Return a text whose count equals that of `tail`, now and after appending the same text to both; usually
        `tail` itself.
        """
        ...


class TailState(NamedTuple):
    """The state of a growing text: the token count of its settled part, the open end, and the token count of that, None
    if not counted yet.
    """

    settled: int
    text: str
    tokens: int | None


class _Tail:
    """A growing text. Marks are its immutable states, so a mark stays valid."""

    __slots__ = ("_count", "_cuts", "_tail")

    def __init__(self, count: Count, cuts: SettledCuts | None) -> None:
        self._count = count
        self._cuts = cuts
        self._tail = TailState(0, "", None)

    @property
    def count(self) -> int:
        """Number of tokens of the text. The first access after a change counts the open end."""
        settled, text, tokens = self._tail
        if tokens is None:
            tokens = self._count(text)
            self._tail = TailState(settled, text, tokens)
        return settled + tokens

    @property
    def settled(self) -> int:
        """Number of tokens that appended text cannot remove."""
        return self._tail.settled

    def snapshot(self) -> TailState:
        """Return a mark of this state. O(1)."""
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
        """Add `text` at the end."""
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
        """Add `text` at the start."""
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
