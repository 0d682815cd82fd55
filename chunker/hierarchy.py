"""Hierarchies of chunks: small chunks to search, each inside a large chunk to read.

    2048    |                parent                |              parent            |
     512    |   child    |   child   |    child    |   child   |        child       |
     128    |  |  |   |  |    |  |   |  |  |   |   |  |   |  |  |   |   |  |   |  |

Each level has its own chunker and exact budget. The children of a chunk are cut from its body, at boundaries of the
whole text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from chunker.arguments import require, require_all, require_source, require_text, whole_number
from chunker.chunkers import TextChunker
from chunker.counting import AnyTokenizer
from chunker.errors import OptionError
from chunker.fields import content_hash_of
from chunker.formats import Outline, Strength
from chunker.growing.assembly import TextOrigin
from chunker.growing.pieces import ContextAt, Piece, context_from
from chunker.models import Chunk
from chunker.sentence_windows import ReadingWindow, window_around

if TYPE_CHECKING:
    from chunker.schemas import ChunkFields


class ChunkNode(Chunk):
    """A chunk of a hierarchy, with the ids of its parent, children and neighbours.

    Args:
        level: 0 for the largest chunks.
        parent: Id of the chunk it lies in; None on level 0.
        children: Ids of the chunks inside it, in order; () on the last level.
        previous: Id of the chunk before it on its level.
        next: Id of the chunk after it on its level.
        fields: Those of `Chunk`.
    """

    __slots__ = ("_family",)

    _family: Family
    _FIELDS = (*Chunk.field_names(), "level", "parent", "children", "previous", "next")

    def __init__(
        self,
        *,
        level: int,
        parent: str | None = None,
        children: tuple[str, ...] = (),
        previous: str | None = None,
        next: str | None = None,  # noqa: A002  # its name in JSON
        **fields: Any,  # noqa: ANN401  # those of Chunk
    ) -> None:
        super().__init__(**fields)
        _set_family(self, Family(level, parent, tuple(children), previous, next))

    @property
    def id(self) -> str:
        """As that of a chunk. Text that two overlapping parents share is cut in both: there the hash is also of the second parent's id."""
        return super().id if self._family.id is None else self._family.id

    @property
    def level(self) -> int:
        """0 for the largest chunks."""
        return self._family.level

    @property
    def parent(self) -> str | None:
        """Id of the chunk it lies in; None on level 0."""
        return self._family.parent

    @property
    def children(self) -> tuple[str, ...]:
        """Ids of the chunks inside it, in order; () on the last level."""
        return self._family.children

    @property
    def previous(self) -> str | None:
        """Id of the chunk before it on its level."""
        return self._family.previous

    @property
    def next(self) -> str | None:
        """Id of the chunk after it on its level."""
        return self._family.next

    @classmethod
    def _fields_model(cls) -> type[ChunkFields]:
        from chunker.schemas import NodeFields  # noqa: PLC0415  # built for those who validate some

        return NodeFields


class Family(NamedTuple):
    """The position of a chunk in a hierarchy: its level and the ids around it, and its own; None if it was given."""

    level: int
    parent: str | None
    children: tuple[str, ...]
    previous: str | None
    next: str | None
    id: str | None = None


_set_family = ChunkNode.__dict__["_family"].__set__


class Hierarchy(BaseModel):
    """The chunks of one text at several budgets.

    Attributes:
        levels: The chunks of each level, largest first, in the order of the text.
    """

    model_config = ConfigDict(frozen=True)

    levels: tuple[tuple[ChunkNode, ...], ...] = Field(description="the chunks of each level, largest first, in order")

    @cached_property
    def _by_id(self) -> dict[str, ChunkNode]:
        return {node.id: node for level in self.levels for node in level}

    def node(self, chunk_id: str) -> ChunkNode:
        """Return the chunk with a given id.

        Args:
            chunk_id: The id of a chunk of any level.

        Returns:
            The chunk, which may be of any level.

        Raises:
            KeyError: There is no such chunk.
            WrongTypeError: The id is not a str.
        """
        require(chunk_id, str, "chunk_id", "the id of a chunk")
        try:
            return self._by_id[chunk_id]
        except KeyError:
            raise KeyError(f"no chunk of this hierarchy has the id {chunk_id!r:.60}") from None

    @property
    def leaves(self) -> tuple[ChunkNode, ...]:
        """The chunks of the last level: those to embed and search."""
        return self.levels[-1]

    def ancestors(self, node: ChunkNode) -> list[ChunkNode]:
        """Return the chunks around a chunk, the next larger one first: those to show to a reader.

        Args:
            node: A chunk of this hierarchy.

        Returns:
            As many chunks as the level of `node`, none for one of level 0.

        Raises:
            WrongTypeError: `node` is no chunk of a hierarchy.
        """
        require(node, ChunkNode, "node", "a chunk of this hierarchy")
        found = []
        while node.parent is not None:
            node = self.node(node.parent)
            found.append(node)
        return found

    def parents(self, found: Iterable[ChunkNode | str], level: int = 0) -> list[ChunkNode]:
        """Return the parent documents of found chunks: the larger chunks around them, each once, in the order of their
        best results.

        Args:
            found: Chunks of this hierarchy, or their ids, the best first.
            level: The level of the chunks to return. A chunk of this or a larger level is returned itself.

        Returns:
            At most as many chunks as were found; those that have the same parent share it.

        Raises:
            KeyError: There is no such chunk.
            WrongTypeError: `found` is not a collection of chunks or ids, or another argument has a wrong type.
        """
        level = whole_number(level, "level")
        wanted: dict[str, ChunkNode] = {}
        for one in self._found(found):
            node = one
            while node.level > level and node.parent is not None:
                node = self.node(node.parent)
            wanted.setdefault(node.id, node)
        return list(wanted.values())

    def merged(self, found: Iterable[ChunkNode | str], share: float = 0.5) -> list[ChunkNode]:
        """Replace chunks by their parent if more than a share of its children were found, level by level.

        Args:
            found: Chunks of this hierarchy, or their ids, the best first.
            share: From 0 (one child is enough) to below 1.

        Returns:
            The chunks, each at the position of the best chunk that it replaces; none lies inside another.

        Raises:
            KeyError: There is no such chunk.
            OptionError: `share` is out of its range.
            WrongTypeError: `found` is not a collection of chunks or ids, or another argument has a wrong type.
        """
        require(share, (int, float), "share", "a number")
        if not 0 <= share < 1:
            raise OptionError(f"share must be at least 0 and less than 1, got {share}")
        kept = {node.id: node for node in self._found(found)}
        for level in range(len(self.levels) - 1, 0, -1):
            families: dict[str, int] = {}
            for node in kept.values():
                if node.level == level and node.parent is not None:
                    families[node.parent] = families.get(node.parent, 0) + 1
            large = {name for name, count in families.items() if count > share * len(self.node(name).children)}
            replaced: dict[str, ChunkNode] = {}
            for node in kept.values():
                taken = self.node(node.parent) if node.level == level and node.parent in large else node
                replaced.setdefault(taken.id, taken)
            kept = replaced
        return [node for node in kept.values() if not any(around.id in kept for around in self.ancestors(node))]

    def window(
        self,
        node: ChunkNode | str,
        size: int = 3,
        *,
        max_tokens: int | None = None,
        tokenizer: AnyTokenizer = "o200k_base",
    ) -> ReadingWindow:
        """Join a chunk with its neighbours on its level, nearest first: a sentence window, if the level is of sentences.

        Args:
            node: A chunk of this hierarchy, or its id.
            size: The largest number of neighbours on each side.
            max_tokens: The largest number of tokens of the window.
            tokenizer: Counts the tokens, whatever counts those of the chunks.

        Returns:
            The text of these chunks, its span in characters, and its number of tokens.

        Raises:
            KeyError: There is no such chunk.
            OptionError: `size` is negative, or the chunk alone has more than `max_tokens`.
        """
        (found,) = self._found([node])
        return window_around(self.levels[found.level], found.index, size, max_tokens=max_tokens, tokenizer=tokenizer)

    def _found(self, found: Iterable[ChunkNode | str]) -> Iterator[ChunkNode]:
        """Return the chunks of this hierarchy for chunks or their ids."""
        require_all(found, (ChunkNode, str), "found", "chunks of this hierarchy or their ids")
        return (self.node(one if isinstance(one, str) else one.id) for one in found)

    def nodes(self) -> Iterator[ChunkNode]:
        """Yield all chunks, each before its children."""
        stack = list(reversed(self.levels[0]))
        while stack:
            node = stack.pop()
            yield node
            stack += (self.node(child) for child in reversed(node.children))


def chunk_hierarchy(text: str, chunkers: Sequence[TextChunker], *, source: str | None = None) -> Hierarchy:
    """Chunk a text at several budgets, each chunk inside one of the next larger budget.

    Args:
        text: The text to chunk.
        chunkers: One for each level, largest `max_tokens` first; commonly of one kind, such as `[MarkdownChunker(n) for
            n in (2048, 512, 128)]`.
        source: As for `TextChunker.chunk`: usually a path.

    Returns:
        The chunks of all levels.

    Raises:
        OptionError: There is no chunker, or `max_tokens` does not fall from one to the next.
        BudgetTooSmallError: One character of the text needs more tokens than a chunk may have.

    Examples:
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
        raise OptionError(f"chunkers must be at least one, with decreasing max_tokens; got {budgets}")
    outlines: dict[int, Outline] = {}
    levels: list[_Level] = []
    for number, chunker in enumerate(chunkers):
        outline = outlines.get(id(chunker.format))
        if outline is None:
            outline = outlines[id(chunker.format)] = chunker.outline(text)
        context_at = chunker.context_of(text, outline, source)
        pieces: list[Piece] = []
        families: list[int] = []  # the number of children of each chunk of the level above
        for span in levels[-1].spans if levels else [(0, len(text))]:
            children = list(_pieces_in(text, chunker, outline, span, context_at))
            pieces += children
            families.append(len(children))
        origin = chunker.origin_of(text, outline, pieces, source, level=number)
        if levels:
            levels[-1].families = families
        ids = [origin.id(piece) for piece in pieces]
        if levels:
            ids = _distinct(ids, _repeated(levels[-1].ids, families))
        levels.append(_Level(origin, ids))
    parents: list[str] = []
    made = []
    for number, level in enumerate(levels):
        below = iter(levels[number + 1].ids if number + 1 < len(levels) else ())
        made.append(tuple(_nodes(level, number, parents, below)))
        parents = _repeated(level.ids, level.families)
    return Hierarchy(levels=tuple(made))


def _repeated(ids: list[str], families: list[int]) -> list[str]:
    """Return the parent of each chunk of a level, from the number of children of each parent."""
    return [name for name, count in zip(ids, families, strict=True) for _ in range(count)]


def _distinct(ids: list[str], parents: list[str]) -> list[str]:
    """Return ids of which none occurs twice: two parents that overlap may have a child with the same place and text."""
    seen: set[str] = set()
    made = []
    for name, parent in zip(ids, parents, strict=True):
        made.append(content_hash_of(parent + name) if name in seen else name)
        seen.add(name)
    return made


class _Level:
    """The chunks of a level, their ids, and the number of children of each."""

    def __init__(self, origin: TextOrigin, ids: list[str]) -> None:
        self.origin = origin
        self.ids = ids
        self.families = [0] * len(ids)

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Starts and ends of the chunks, in characters."""
        return [(piece.start, piece.end) for piece in self.origin.pieces]


def _nodes(level: _Level, number: int, parents: list[str], below: Iterator[str]) -> Iterator[ChunkNode]:
    """Yield the chunks of a level. `parents`: the parent of each chunk, empty for the first level; `below`: the ids of
    the next level.
    """
    ids = [None, *level.ids, None]
    for index, children in enumerate(level.families):
        parent = parents[index] if parents else None
        node = level.origin.chunk(ChunkNode, index)
        around = (ids[index], ids[index + 2])
        _set_family(node, Family(number, parent, tuple(islice(below, children)), *around, level.ids[index]))
        yield node


def _pieces_in(
    text: str, chunker: TextChunker, outline: Outline, span: tuple[int, int], context_at: ContextAt
) -> Iterator[Piece]:
    """Yield the pieces of the body of a larger chunk; `span` is the span of that body."""
    start, end = span
    inner = _part(outline, start, end)
    for piece in chunker.pieces(text[start:end], inner, context_from(start, context_at)):
        yield piece._replace(start=start + piece.start, end=start + piece.end)


def _part(outline: Outline, start: int, end: int) -> Outline:
    """Return the boundaries of an outline inside text[start:end], as the outline of a text of its own."""
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
