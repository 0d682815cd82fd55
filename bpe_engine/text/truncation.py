"""Find the longest prefix or suffix of a text that fits a number of tokens.

The counts of growing prefixes go up and down, so a prefix that is too large proves nothing about longer ones, and a
binary search can miss the longest. An incremental encoder has a lower bound for all longer texts: read until that bound
is above the limit, then go back, one block at a time, and count at every offset of the block.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, TypeVar

from bpe_engine.encoders import AppendingEncoder, GrowingEncoder, PrependingEncoder
from bpe_engine.text.input import received, source_places, to_bytes

Text = TypeVar("Text", str, bytes)

# Characters. The distance of two marks.
BLOCK = 64


class Grows(Protocol):
    """Protocol for the methods of an engine that truncation uses."""

    def appending_encoder(self) -> AppendingEncoder: ...  # noqa: D102
    def prepending_encoder(self) -> PrependingEncoder: ...  # noqa: D102


def truncated(engine: Grows, text: Text, max_tokens: int, *, head: bool) -> Text:
    """Return the longest prefix, or without `head` the longest suffix, of `text` that has at most `max_tokens` tokens.

    Of a str about as much is read as is returned.
    """
    if isinstance(text, str):
        with suppress(UnicodeEncodeError):  # it has surrogates
            kept = _kept(engine, len(text), lambda start, end: text[start:end].encode(), max_tokens, head=head)
            return text[:kept] if head else text[len(text) - kept :]
    characters = received(text)
    size = len(characters)
    kept = _kept(engine, size, lambda start, end: to_bytes(characters[start:end]), max_tokens, head=head)
    if head:
        return text[: _source_length(text, characters[:kept])]
    return text[_source_length(text, characters[: size - kept]) :]


def _kept(engine: Grows, size: int, read: Callable[[int, int], bytes], max_tokens: int, *, head: bool) -> int:
    """Return how many of `size` characters fit; `read(start, end)` returns those between two offsets."""
    if head:
        appending = engine.appending_encoder()
        return _longest(appending, appending.append, read, size, max_tokens)
    prepending = engine.prepending_encoder()
    return _longest(prepending, prepending.prepend, lambda near, far: read(size - far, size - near), size, max_tokens)


def _longest(
    encoder: GrowingEncoder,
    grow: Callable[[bytes], None],
    read: Callable[[int, int], bytes],
    size: int,
    max_tokens: int,
) -> int:
    """Return how many of `size` characters fit, counted from the fixed side; `read(near, far)` returns the characters
    between two distances from that side.
    """
    marks = []
    for near in range(0, size, BLOCK):
        marks.append((near, encoder.snapshot()))
        grow(read(near, min(near + BLOCK, size)))
        if encoder.fewest > max_tokens:
            break
    else:
        if encoder.count <= max_tokens:
            return size
    for near, mark in reversed(marks):
        encoder.rollback(mark)
        fitting = near if encoder.count <= max_tokens else -1
        for place in range(near, min(near + BLOCK, size)):
            grow(read(place, place + 1))
            if encoder.count <= max_tokens:
                fitting = place + 1
        if fitting >= 0:
            return fitting
    return 0


def _source_length(text: str | bytes, characters: str) -> int:
    """Return the length of the prefix of `text` that became `characters`: in bytes for bytes; for a str, two characters
    for each surrogate pair, and one for any other.
    """
    if not isinstance(text, str):
        return len(to_bytes(characters))
    length = len(characters)
    return length if text[:length] == characters else source_places(text, characters)[-1]
