"""Piece, a chunk that a grower has cut; and the protocol of the function that returns the context of a chunk."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class ContextAt(Protocol):
    """Protocol of the function that returns the context of a chunk.

    A function with the attributes `outline`, `scopes`, `imported`, `names_only` and `with_repeats`, as `Breadcrumbs`
    has them, promises: outside the closed units of that outline, the innermost of `scopes` determines the context, on
    either side of the offset `imported`; also for chunks with an overlap, unless the context repeats lines. It is then
    called once for each of these scopes; and not even once if `names_only` is not None, because then compiled code
    makes the context from the names of the scopes.
    """

    def __call__(self, offset: int, overlap: str = "", /) -> str:
        """Return the context of a chunk whose new text begins at `offset`, in characters. `overlap`: the end of the
        previous chunk that the chunk repeats before it.
        """
        ...


class Piece(NamedTuple):
    """A future chunk: `text[start:end]` after `context`, together `tokens` tokens; `label` names what begins at
    `start`.
    """

    start: int
    end: int
    context: str
    tokens: int
    label: str


def no_context(_offset: int, _overlap: str = "", /) -> str:
    """Return the context "" for every chunk."""
    return ""


def context_from(start: int, context_at: ContextAt) -> ContextAt:
    """Return the contexts of `context_at` for the text from `start` on, by offsets from there."""
    if context_at is no_context:
        return context_at
    return lambda offset, overlap="", /: context_at(start + offset, overlap)
