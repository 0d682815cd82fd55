"""The longest prefix or suffix of a text that fits a number of tokens.

The counts of growing prefixes go up and down, so the first that is too large proves nothing, and a binary search can miss.
An incremental encoder has a lower bound for all that its text may grow to: read on until that is above the limit, then go
back, one block at a time, and look at every place of the block.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from bpe_engine.encoders import AppendingEncoder, GrowingEncoder, PrependingEncoder
from bpe_engine.text.input import received, source_places, to_bytes

Text = TypeVar("Text", str, bytes)

# Characters between two marks.
BLOCK = 64


class Grows(Protocol):
    """An engine, as far as truncation asks it."""

    def appending_encoder(self) -> AppendingEncoder: ...  # noqa: D102
    def prepending_encoder(self) -> PrependingEncoder: ...  # noqa: D102


def truncate_head(engine: Grows, text: Text, max_tokens: int) -> Text:
    """The longest prefix of `text` that has at most `max_tokens` tokens."""
    characters = received(text)
    encoder = engine.appending_encoder()
    kept = _longest(
        encoder, encoder.append, lambda near, far: to_bytes(characters[near:far]), len(characters), max_tokens
    )
    return text[: _source_length(text, characters[:kept])]


def truncate_tail(engine: Grows, text: Text, max_tokens: int) -> Text:
    """The longest suffix of `text` that has at most `max_tokens` tokens."""
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
    """The number of `size` characters that fit, counted from the side that stays; `read(near, far)` returns some of
    them.
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
    """The length of the part of `text` that became `characters`: of bytes their bytes; of a str two for each surrogate
    pair, else one.
    """
    if not isinstance(text, str):
        return len(to_bytes(characters))
    length = len(characters)
    return length if text[:length] == characters else source_places(text, characters)[-1]
