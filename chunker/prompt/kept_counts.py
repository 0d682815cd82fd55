"""Counts of long texts that differ little from one to the next: the common part is counted once.

    counted      kept kept kept kept                      an encoder that grows to the right holds it
    asked for    kept kept kept kept new                  is rolled back to the end of what both share, and goes on from there
    asked for    new kept kept kept kept                  one that grows to the left does

So a row that grows at one end costs what is new. In the middle, what stands after the change is counted again.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from bpe_engine import Tokenizer

# Texts of this many characters are worth an encoder, and these are not too long for one.
_SHORT, _LONG = 2_000, 2_000_000
# An encoder can be rolled back to the end of each piece of so many characters.
_PIECE = 4_096
# Two texts are alike if at most this share of them differs; this many alike texts in a row are worth a new encoder.
_PART, _ROW = 1 / 8, 3
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Encoder(Protocol):
    """Protocol of an encoder of `bpe_engine` that grows in either direction."""

    @property
    def count(self) -> int: ...

    def snapshot(self) -> object: ...

    def rollback(self, mark: object, /) -> None: ...


class LongRuns:
    """Counts texts with one tokenizer; fast if each text is like the one before."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._last = ""
        self._sides: dict[bool, _Side] = {}
        self._backwards = False
        self._in_a_row = 0

    def __reduce__(self) -> tuple[type[LongRuns], tuple[Tokenizer]]:
        return LongRuns, (self._tokenizer,)

    def count(self, text: str) -> int:
        """Tokens of `text`."""
        # Two halves of a surrogate pair are one character: they must not come in two pieces.
        if not _SHORT <= len(text) <= _LONG or (not text.isascii() and _SURROGATE.search(text)):
            return self._tokenizer.count(text)
        at_start, at_end = common_start(self._last, text), common_end(self._last, text)
        self._last = text
        backwards = at_end > at_start
        alike = max(at_start, at_end) >= (1 - _PART) * len(text)
        self._in_a_row = 0 if not alike else self._in_a_row + 1 if backwards == self._backwards else 1
        self._backwards = backwards
        if not alike:
            return self._tokenizer.count(text)
        side = self._side(backwards)
        shared = side.shared(text)
        if shared < (1 - _PART) * len(text) and self._in_a_row < _ROW:
            return self._tokenizer.count(text)
        return side.count(text, shared)

    def _side(self, backwards: bool) -> _Side:  # noqa: FBT001 - the key of a table of two
        if backwards not in self._sides:
            if backwards:
                left = self._tokenizer.prepending_encoder()
                self._sides[backwards] = _Side(left, left.prepend, backwards=True)
            else:
                right = self._tokenizer.appending_encoder()
                self._sides[backwards] = _Side(right, right.append, backwards=False)
        return self._sides[backwards]


class _Side:
    """An encoder with its text, and marks at some of its lengths."""

    def __init__(self, encoder: _Encoder, grow: Callable[[str], object], *, backwards: bool) -> None:
        self._encoder = encoder
        self._grow = grow
        self._backwards = backwards
        self._text = ""
        self._marks: list[tuple[int, object]] = [(0, encoder.snapshot())]

    def shared(self, text: str) -> int:
        """The number of characters of `text` that the encoder has counted."""
        return common_end(self._text, text) if self._backwards else common_start(self._text, text)

    def count(self, text: str, shared: int) -> int:
        """Return the tokens of `text`. Linear in the characters that it does not share with the text before."""
        while self._marks[-1][0] > shared:
            self._marks.pop()
        length, mark = self._marks[-1]
        self._encoder.rollback(mark)
        while length < len(text):
            # A mark where the old text and the new one diverge: the next text may diverge there too.
            following = min(length + _PIECE, len(text), shared if length < shared else len(text))
            self._grow(text[len(text) - following : len(text) - length] if self._backwards else text[length:following])
            length = following
            self._marks.append((length, self._encoder.snapshot()))
        self._text = text
        return self._encoder.count


def common_start(one: str, other: str) -> int:
    """The length of the common start of two texts, in characters.

    >>> common_start("abcd", "abxd"), common_start("ab", "abc"), common_start("", "a")
    (2, 2, 0)
    """
    return _most(min(len(one), len(other)), lambda start, end: one[start:end] == other[start:end])


def common_end(one: str, other: str) -> int:
    """The length of the common end of two texts, in characters.

    >>> common_end("abcd", "abxd"), common_end("bc", "abc"), common_end("", "a")
    (1, 2, 0)
    """
    return _most(
        min(len(one), len(other)),
        lambda start, end: one[len(one) - end : len(one) - start] == other[len(other) - end : len(other) - start],
    )


def _most(limit: int, alike: Callable[[int, int], bool]) -> int:
    """The length over which two texts are alike, at most `limit`; `alike(start, end)` compares a part of them. Linear."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if alike(low, middle):
            low = middle
        else:
            high = middle - 1
    return low
