"""Assemble chunks from pieces, which are offsets. A chunk computes its values from the text when they are first used.

pieces   (0, 900, "", 212, "section"), (900, 1800, "", 190, "paragraph")
chunks   Chunk(origin, 0, piece), Chunk(origin, 1, piece)                  one origin for all chunks of a text
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count, repeat
from typing import Any, TypeVar

from chunker.fields import id_of, identity_of
from chunker.formats.outline import Format, Outline
from chunker.formats.sketches import Sketch
from chunker.growing.pieces import Piece
from chunker.growing.spans import Measured, SpanMeter
from chunker.models import Chunk, is_placed, placed
from chunker.native import native
from chunker.span import Span

Kind = TypeVar("Kind", bound=Chunk)

_compiled = native()
_new_chunk = Chunk.__new__
# Equal to Piece(*fields), in a third of the time.
_as_piece: Callable[[tuple[Any, ...]], Piece] = partial(tuple.__new__, Piece)


class TextOrigin:
    """The text of a list of chunks, with everything that the chunks have in common.

    Args:
        text: The text of the pieces.
        pieces: The pieces of all chunks, in order.
        language: The language of all chunks.
        metadata: The metadata of all chunks.
        source: The name of the text, for the ids.
        breadcrumb: The names of the scopes around an offset.
        level: The level in a hierarchy, for the ids: two levels may have chunks with the same span and text.
        before: If `text` is a part of a longer text: the characters, bytes and line ends before it. Offsets of pieces
            are offsets in the longer text.
        first: The index of the first piece in the longer text.
        done: The end of the chunk before the first piece.
    """

    __slots__ = (
        "_before",
        "_breadcrumb",
        "_done",
        "_first",
        "_level",
        "_measured",
        "_source",
        "_text",
        "language",
        "metadata",
        "pieces",
    )

    def __init__(  # noqa: PLR0913  # as many as chunks can have in common
        self,
        text: str,
        pieces: Sequence[Piece],
        *,
        language: str | None,
        metadata: Mapping[str, Any],
        source: str | None,
        breadcrumb: Callable[[int], tuple[str, ...]],
        level: int = 0,
        before: tuple[int, int, int] = (0, 0, 0),
        first: int = 0,
        done: int = 0,
    ) -> None:
        self._text = text
        self.pieces = pieces
        self.language = language
        self.metadata = metadata
        self._source = source
        self._breadcrumb = breadcrumb
        self._level = level
        self._before = before
        self._first = first
        self._done = done
        self._measured: list[Measured] | None = None

    def __getstate__(self) -> dict[str, Any]:
        # A piece is pickled by a call of Python, a tuple is not.
        named = {name: getattr(self, name) for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())}
        return {**named, "pieces": list(map(tuple, self.pieces))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self.pieces = list(map(_as_piece, self.pieces))

    def chunks(self) -> list[Chunk]:
        """The chunks of the pieces."""
        if _compiled is None:
            return [
                placed(_new_chunk(Chunk), self, index, piece) for index, piece in enumerate(self.pieces, self._first)
            ]
        made: list[Chunk] = _compiled.placed(Chunk, self, list(self.pieces), self._first)
        return made

    def chunk(self, kind: type[Kind], index: int) -> Kind:
        """Return the chunk of this index as an instance of `kind`, a class of chunks with more attributes."""
        return placed(kind.__new__(kind), self, index, self.pieces[index - self._first])

    def is_of(self, chunks: list[Chunk]) -> bool:
        """Whether these are the chunks of the pieces, in order, and as many."""
        return all(map(is_placed, chunks, repeat(self), count(self._first), self.pieces))

    def body(self, piece: Piece) -> str:
        """The text of a piece."""
        before = self._before[0]
        return self._text[piece[0] - before : piece[1] - before]

    def span(self, index: int) -> Span:
        """Return the span of a chunk. The first call measures all chunks, which is linear in the text."""
        measured = self._measured
        if measured is None:
            measured = self._measured = self.measures()
        start, end = self.pieces[index - self._first][:2]
        return Span(start, end, *measured[index - self._first])

    def measures(self) -> list[Measured]:
        """Return the measures of each piece: start and end in bytes, first and last line."""
        text, (start, byte, breaks) = self._text, self._before
        if _compiled is None:
            measure: Callable[[int, int], Measured] = SpanMeter(text).measure
        else:
            measure = _compiled.SpanMeter(text if text.isascii() else text.encode("utf-8", "surrogatepass")).measure
        if not start:
            return [measure(piece[0], piece[1]) for piece in self.pieces]
        moved = []
        for piece in self.pieces:
            start_byte, end_byte, first, last = measure(piece[0] - start, piece[1] - start)
            moved.append((start_byte + byte, end_byte + byte, first + breaks, last + breaks))
        return moved

    @property
    def text(self) -> str:
        """The text that contains the pieces."""
        return self._text

    @property
    def source(self) -> str | None:
        """The name of the text."""
        return self._source

    def metadata_of(self, _index: int) -> Mapping[str, Any]:
        """Return the metadata of a chunk: all chunks share them."""
        return self.metadata

    def breadcrumb(self, index: int) -> tuple[str, ...]:
        """Return the names of the scopes around the first new character of a chunk, after the overlap."""
        number = index - self._first
        start, end = self.pieces[number][:2]
        return self._breadcrumb(new_text_of(start, end, self.pieces[number - 1][1] if number else self._done))

    def breadcrumbs(self) -> list[tuple[str, ...]]:
        """The breadcrumb of each chunk, in order."""
        return list(map(self._breadcrumb, new_texts_of(self.pieces, self._done)))

    @property
    def identity(self) -> bytes:
        """The common beginning of the hashes of all ids."""
        return identity_of(self._source, self._level)

    def id(self, piece: Piece) -> str:
        """Hash the source, the level, the offset and the text of a piece to 32 hexadecimal digits."""
        return id_of(self.identity, piece[0], piece[2] + self.body(piece))


def new_text_of(start: int, end: int, done: int) -> int:
    """Return the first offset in text[start:end] that is not in a chunk up to the offset `done`; `start` if there is
    none.

    >>> new_text_of(10, 20, 10), new_text_of(10, 20, 14), new_text_of(10, 20, 30)
    (10, 14, 10)
    """
    return done if start < done < end else start


def new_texts_of(pieces: Iterable[Piece], done: int = 0) -> Iterator[int]:
    """Yield where the new text of each piece begins; `done`: the end of the piece before."""
    for piece in pieces:
        start, end = piece[:2]
        yield new_text_of(start, end, done)
        done = end


def shared_origin(chunks: list[Chunk]) -> TextOrigin | None:
    """Return the origin of which `chunks` are all the chunks, in order; None if they come from elsewhere or some are
    missing.
    """
    origin = chunks[0]._origin if chunks and type(chunks[0]) is Chunk else None  # noqa: SLF001  # it was put there by `placed`
    if not isinstance(origin, TextOrigin) or len(chunks) != len(origin.pieces):
        return None
    return origin if origin.is_of(chunks) else None


def breadcrumbs_of(text: str, outline: Outline, text_format: Format) -> Callable[[int], tuple[str, ...]]:
    """Return a function from an offset in `text` to the names of the scopes around it. It keeps only these names of
    the outline.
    """
    return LateBreadcrumbs(text, text_format, outline) if isinstance(outline, Sketch) else outline.nested.breadcrumb


class LateBreadcrumbs:
    """The names of the scopes around an offset, found when the first of them is asked for, because a sketch does not know
    them yet.

    Args:
        text: The text.
        text_format: Its format, which parses the text again if necessary.
        sketch: The sketch of the text, if there is one: the text is not parsed again while the caller holds the sketch.
            Chunks hold only a weak reference to it, because a sketch may keep a whole syntax tree.
    """

    __slots__ = ("_find", "_format", "_sketch", "_text")

    def __init__(self, text: str, text_format: Format, sketch: Sketch | None = None) -> None:
        self._text = text
        self._format = text_format
        self._sketch: weakref.ref[Sketch] | None = None if sketch is None else weakref.ref(sketch)
        self._find: Callable[[int], tuple[str, ...]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return LateBreadcrumbs, (self._text, self._format)

    def __call__(self, offset: int) -> tuple[str, ...]:
        """Return the names around an offset."""
        sketch = None if self._sketch is None else self._sketch()
        if sketch is not None:
            return sketch.breadcrumb(offset)
        if self._find is None:
            self._find = self._format.outline(self._text).nested.breadcrumb
        return self._find(offset)
