"""Chunks of a file, with the pages, boxes or cells that they come from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chunker.fields import id_of
from chunker.files.documents import Document
from chunker.growing.assembly import TextOrigin, shared_origin
from chunker.growing.pieces import Piece
from chunker.models import Chunk
from chunker.span import Span

if TYPE_CHECKING:
    from chunker.files.places import Places
    from chunker.files.shortening import Shortened


class FileOrigin(TextOrigin):
    """The origin of chunks whose text differs from the text of the file.

    If data were left out of the text, spans are converted to spans of the file. The "places" in the metadata are the
    pages, slides or cells of a chunk.
    """

    __slots__ = ("_places", "_shortened")

    def __init__(self, origin: TextOrigin, document: Document) -> None:
        for name in TextOrigin.__slots__:
            setattr(self, name, getattr(origin, name))
        self.metadata = {**origin.metadata, **document.notes}
        self._places: Places | None = document.places
        self._shortened: Shortened | None = document.shortened

    def span(self, index: int) -> Span:
        """Return the span of a chunk in the file."""
        span = super().span(index)
        return span if self._shortened is None else Span(**self._shortened.moved(span.model_dump()))

    def id(self, piece: Piece) -> str:
        """Return the id of the chunk made from a piece, by its offset in the file."""
        if self._shortened is None:
            return super().id(piece)
        return id_of(self.identity, self._shortened.moved_start(piece[0]), piece[2] + self.body(piece))

    def metadata_of(self, index: int) -> Mapping[str, Any]:
        """Return the metadata of a chunk, with its places, which the parts of a web page do not have."""
        if self._places is None:
            return self.metadata
        start, end = self.pieces[index - self._first][:2]
        places = [dict(place) for place in self._places.between(start, end) if place]
        return {**self.metadata, "places": places} if places else self.metadata


def chunks_in_file(chunks: list[Chunk], document: Document) -> list[Chunk]:
    """Convert the chunks of the text of a document to chunks of its file."""
    if document.places is None and document.shortened is None and not document.notes:
        return chunks
    origin = shared_origin(chunks)
    return chunks if origin is None else FileOrigin(origin, document).chunks()
