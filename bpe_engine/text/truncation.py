"""Find the longest prefix or suffix of a text that fits a number of tokens.

The counts of growing prefixes go up and down, so a prefix that is too large proves nothing about longer ones, and a
binary search can miss the longest. An incremental encoder has a lower bound for all longer texts: read until that bound
is above the limit, then go back, one block at a time, and count at every offset of the block.
"""

from __future__ import annotations

from collections.abc import Callable
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


def truncate_head(engine: Grows, text: Text, max_tokens: int) -> Text:
    """Return the longest prefix of `text` that has at most `max_tokens` tokens."""
    characters = received(text)
    encoder = engine.appending_encoder()
    kept = _longest(
        encoder, encoder.append, lambda near, far: to_bytes(characters[near:far]), len(characters), max_tokens
    )
    return text[: _source_length(text, characters[:kept])]


def truncate_tail(engine: Grows, text: Text, max_tokens: int) -> Text:
    """Return the longest suffix of `text` that has at most `max_tokens` tokens."""
    characters = received(text)
    size = len(characters)
    encoder = engine.prepending_encoder()
    kept = _longest(
        encoder, encoder.prepend, lambda near, far: to_bytes(characters[size - far : size - near]), size, max_tokens
    )
    return text[_source_length(text, characters[: size - kept]) :]


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
