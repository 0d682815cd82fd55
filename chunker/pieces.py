"""What growers hand over, and what they ask for: pieces, and what stands before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

# What stands before a chunk that begins at an offset.
ContextAt = Callable[[int], str]


class Piece(NamedTuple):
    """A chunk to be: `text[start:end]` behind `context`, together `tokens` tokens; `label` names what begins at `start`."""

    start: int
    end: int
    context: str
    tokens: int
    label: str


def no_context(_offset: int) -> str:
    """Nothing stands before a chunk."""
    return ""


def context_behind(start: int, context_at: ContextAt) -> ContextAt:
    """For the text from `start` on what `context_at` says of the whole text."""
    return context_at if context_at is no_context else lambda offset: context_at(start + offset)
