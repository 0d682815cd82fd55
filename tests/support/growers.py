"""The growers of chunks beside each other: what is compiled, and its specification in Python."""

from __future__ import annotations

from typing import Any

from chunker import TextChunker
from chunker.errors import BudgetTooSmallError
from chunker.formats import Outline
from chunker.growing.compiled import grower_of, optimizer_of
from chunker.growing.grower import Grower
from chunker.growing.optimal import Optimizer
from chunker.growing.pieces import Piece


def grown(maker: Any, chunker: TextChunker, text: str, outline: Outline) -> list[Piece] | str:
    """The chunks that a grower or an optimizer makes, or what it raises."""
    made = maker(text, outline, chunker.tokenizer, chunker._budget, chunker.context_of(text, outline, "a.py"))
    try:
        return list(made.pieces())
    except BudgetTooSmallError as error:
        return str(error)


def check_growing(chunker: TextChunker, text: str) -> None:
    """Chunks that are filled are what the specification says: by the outline of the text, and by its sketch where it has one."""
    outlines = [chunker.format.outline]
    sketch = getattr(chunker.format, "sketch", None)
    if sketch is not None:
        outlines.append(lambda text: sketch(text, 4 * chunker.max_tokens))
    for outline in outlines:
        assert grown(grower_of, chunker, text, outline(text)) == grown(Grower, chunker, text, outline(text))


def check_best(chunker: TextChunker, text: str) -> None:
    """The cheapest cuts of a text are what the specification says."""
    outline = chunker.outline
    assert grown(optimizer_of, chunker, text, outline(text)) == grown(Optimizer, chunker, text, outline(text))


def check(chunker: TextChunker, text: str) -> None:
    """Either strategy is what its specification says."""
    check_best(chunker, text)
    check_growing(chunker, text)
