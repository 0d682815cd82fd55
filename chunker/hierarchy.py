"""Chunks in chunks: large ones to read, small ones to find, each small one inside one large one.

    2048    |                parent                |              parent            |
     512    |   child    |   child   |    child    |   child   |        child       |
     128    |  |  |   |  |    |  |   |  |  |   |   |  |   |  |  |   |   |  |   |  |

Each level is cut by a chunker of its own, so each has its exact budget; the children of a chunk are cut from its body, along the boundaries
of the whole text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from chunker.arguments import require, require_source, require_text
from chunker.chunkers import TextChunker
from chunker.errors import OptionError
from chunker.formats import Outline, Strength
from chunker.growing.assembly import Assembler
from chunker.growing.pieces import ContextAt, Piece, context_behind
from chunker.models import Chunk


class ChunkNode(Chunk):
    """A chunk that knows its place: which chunk it lies in, which lie in it, and which stand beside it on its level."""

    level: int = Field(ge=0, description="0 for the largest chunks")
    parent: str | None = Field(default=None, description="id of the chunk it lies in; None on level 0")
    children: tuple[str, ...] = Field(
        default=(), description="ids of the chunks inside it, in order; () on the last level"
    )
    previous: str | None = Field(default=None, description="id of the chunk before it on its level")
    next: str | None = Field(default=None, description="id of the chunk after it on its level")


class Hierarchy(BaseModel):
    """The chunks of one text at several budgets. Iterates over all, each before its children."""

    model_config = ConfigDict(frozen=True)

    levels: tuple[tuple[ChunkNode, ...], ...] = Field(description="the chunks of each level, largest first, in order")

    @cached_property
    def _by_id(self) -> dict[str, ChunkNode]:
        return {node.id: node for level in self.levels for node in level}

    def node(self, chunk_id: str) -> ChunkNode:
        """The chunk with this id; raises KeyError where there is none."""
        return self._by_id[chunk_id]

    @property
    def leaves(self) -> tuple[ChunkNode, ...]:
        """The chunks of the last level: what an index would embed."""
        return self.levels[-1]

    def ancestors(self, node: ChunkNode) -> list[ChunkNode]:
        """The chunks that `node` lies in, the next larger one first: what a reader would be shown."""
        found = []
        while node.parent is not None:
            node = self.node(node.parent)
            found.append(node)
        return found

    def nodes(self) -> Iterator[ChunkNode]:
        """All chunks, each before its children."""
        stack = list(reversed(self.levels[0]))
        while stack:
            node = stack.pop()
            yield node
            stack += (self.node(child) for child in reversed(node.children))


def chunk_hierarchy(text: str, chunkers: Sequence[TextChunker], *, source: str | None = None) -> Hierarchy:
    """The chunks of `text` at several budgets, each inside one of the next larger budget.

    `chunkers`: one a level, largest `max_tokens` first; commonly of one kind, such as `[MarkdownChunker(n) for n in (2048, 512, 128)]`.
    `source` is what it is to `TextChunker.chunk`. Raises `OptionError` where the budgets do not fall, and `BudgetTooSmallError`.

    >>> from chunker import TextChunker
    >>> text = "One. Two.\\n\\n" * 40
    >>> hierarchy = chunk_hierarchy(text, [TextChunker(100), TextChunker(30)])
    >>> [len(level) for level in hierarchy.levels]
    [2, 7]
    >>> hierarchy.node(hierarchy.leaves[0].parent) == hierarchy.levels[0][0]
    True
    """
    require_text(text)
    require_source(source)
    require(chunkers, Sequence, "chunkers", "a sequence of chunkers")
    for chunker in chunkers:
        require(chunker, TextChunker, "each of chunkers", "a chunker, such as TextChunker(512)")
    budgets = [chunker.max_tokens for chunker in chunkers]
    if not budgets or any(budget <= smaller for budget, smaller in pairwise(budgets)):
        raise OptionError(f"chunkers must be at least one, of falling max_tokens; got {budgets}")
    outlines: dict[int, Outline] = {}
    levels: list[list[_Made]] = []
    for number, chunker in enumerate(chunkers):
        outline = outlines.get(id(chunker.format))
        if outline is None:
            outline = outlines[id(chunker.format)] = chunker.outline(text)
        assembler = Assembler(text, chunker.language, chunker.metadata_of(outline, source), source=source, level=number)
        context_at = chunker.context_of(text, outline, source)
        level: list[_Made] = []
        for parent in levels[-1] if levels else [_Made(0, len(text), {"id": None})]:
            children = [
                _Made(
                    piece.start, piece.end, {**assembler.fields(piece), "level": number, "parent": parent.fields["id"]}
                )
                for piece in _pieces_in(text, chunker, outline, parent, context_at)
            ]
            parent.fields["children"] = tuple(child.fields["id"] for child in children)
            level += children
        levels.append(level)
    return Hierarchy(levels=tuple(_linked(level) for level in levels))


class _Made(NamedTuple):
    """A chunk in the making: text[start:end], and what its model will say."""

    start: int
    end: int
    fields: dict[str, Any]


def _pieces_in(
    text: str, chunker: TextChunker, outline: Outline, parent: _Made, context_at: ContextAt
) -> Iterator[Piece]:
    """The pieces of the body of a larger chunk."""
    start = parent.start
    inner = _part(outline, start, parent.end)
    for piece in chunker.pieces(text[start : parent.end], inner, context_behind(start, context_at)):
        yield piece._replace(start=start + piece.start, end=start + piece.end)


def _part(outline: Outline, start: int, end: int) -> Outline:
    """The boundaries of an outline inside a stretch of its text, as those of a text of their own."""
    if start == end:
        return Outline([])
    first, last = bisect_right(outline.offsets, start), bisect_left(outline.offsets, end)
    offsets = [0, *(offset - start for offset in outline.offsets[first:last])]
    strengths = [int(Strength.DOCUMENT), *outline.strengths[first:last]]
    labels = [outline.labels[first - 1], *outline.labels[first:last]]
    heads = {
        offset - start: min(outline.heads[offset], end) - start
        for offset in outline.offsets[first:last]
        if offset in outline.heads
    }
    return Outline.of_columns(offsets, strengths, labels, finest=outline.finest, heads=heads)


def _linked(level: list[_Made]) -> tuple[ChunkNode, ...]:
    ids = [None, *(made.fields["id"] for made in level), None]
    return tuple(
        ChunkNode(**made.fields, previous=previous, next=following)
        for made, previous, following in zip(level, ids, ids[2:], strict=False)
    )
