"""Piece: a cut that a grower made; and the function that returns the context of a chunk."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class ContextAt(Protocol):
    """Says what stands before a chunk.

    One that has the attributes `changes`, ascending offsets or None, and `reads_overlap`, says that between two of these offsets it is the same; for chunks
    with an overlap, too, unless it reads that. Then it is asked once for each stretch.
    """

    def __call__(self, offset: int, overlap: str = "", /) -> str:
        """The context of a chunk whose new text begins at `offset`, in characters, after the end of the previous chunk that it repeats."""
        ...


class Piece(NamedTuple):
    """A chunk to be: `text[start:end]` after `context`, together `tokens` tokens; `label` names what begins at `start`."""

    start: int
    end: int
    context: str
    tokens: int
    label: str


def no_context(_offset: int, _overlap: str = "", /) -> str:
    """Nothing stands before a chunk."""
    return ""


def context_behind(start: int, context_at: ContextAt) -> ContextAt:
    """For the text from `start` on what `context_at` says of the whole text."""
    if context_at is no_context:
        return context_at
    return lambda offset, overlap="", /: context_at(start + offset, overlap)
