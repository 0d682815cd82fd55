"""Chunks of a text that is never in memory as a whole: a download, a pipe, a database dump.

    for chunk in chunk_stream(response.iter_text(), TextChunker(512)):
        index(chunk)

The chunks equal those of `chunker.chunk(whole text)`; each is yielded as soon as later text can no longer change it.
Plain text, Markdown, JSON Lines and CSV are chunked in bounded memory: a few budgets, a few hundred thousand
characters, and the longest block of Markdown (from one heading or paragraph at the margin to the next). All other
formats, the strategy "optimal", and contexts of more than breadcrumbs need the whole text: it is collected and chunked
at its end.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Unpack

from chunker.arguments import require, require_source
from chunker.by_name import chunker_named
from chunker.calls import chosen, chunk
from chunker.chunkers import TextChunker, chunks_locally
from chunker.errors import BudgetTooSmallError, WrongTypeError
from chunker.files.documents import count_line_ends
from chunker.formats import Outline
from chunker.formats.open_outline import BoundaryColumns, OpenOutline, View
from chunker.formats.restarting import STEP, open_outline
from chunker.growing.assembly import TextOrigin, new_text_of
from chunker.growing.budget import moved
from chunker.growing.pieces import ContextAt, Piece
from chunker.models import Chunk
from chunker.options import Options
from chunker.streams.stream_grower import StreamGrower


def chunk_stream(
    texts: Iterable[str],
    max_tokens: int | TextChunker = 512,
    *,
    language: str | None = None,
    source: str | None = None,
    **options: Unpack[Options],
) -> Iterator[Chunk]:
    """Chunk a text that arrives in parts.

    Each chunk is yielded as soon as later text can no longer change it; together they equal the chunks of the whole
    text. Nothing is read before the first chunk is asked for.

    Args:
        texts: The parts of the text, in its order. They may end anywhere and may be empty.
        max_tokens: No chunk has more tokens; or a chunker, which has its own options.
        language: The format, as for `chunk`; plain text by default.
        source: As for `TextChunker.chunk`: usually a path.
        options: Those of `TextChunker`.

    Yields:
        The chunks, in the order of the text.

    Raises:
        BudgetTooSmallError: One character of the text needs more tokens than a chunk may have. Raised when the text is
            read up to that character.
        WrongTypeError: A part is not a str, or another argument has a wrong type.

    Examples:
        >>> lines = (f"Line {number} of a text that is not in memory.\\n" for number in range(100_000))
        >>> chunks = chunk_stream(lines, TextChunker(16, min_tokens=0))
        >>> next(chunks).body
        'Line 0 of a text that is not in memory.\\n'
    """
    require(texts, Iterable, "texts", "an iterable of str")
    stream = ChunkStream(_chosen(max_tokens, language, options), source=source)
    for text in texts:
        if stream.hold(text):
            yield from stream.advance()
    yield from stream.finish()


async def achunk_stream(
    texts: AsyncIterable[str],
    max_tokens: int | TextChunker = 512,
    *,
    language: str | None = None,
    source: str | None = None,
    **options: Unpack[Options],
) -> AsyncIterator[Chunk]:
    """`chunk_stream` over an asynchronous iterator. Chunking runs in a thread, so that the event loop is not blocked.

    Args:
        texts: The parts of the text, in its order.
        max_tokens: No chunk has more tokens; or a chunker, which has its own options.
        language: The format, as for `chunk`; plain text by default.
        source: As for `TextChunker.chunk`: usually a path.
        options: Those of `TextChunker`.

    Yields:
        The chunks, in the order of the text.

    Raises:
        BudgetTooSmallError: As `chunk_stream`.
        WrongTypeError: As `chunk_stream`.
    """
    stream = ChunkStream(_chosen(max_tokens, language, options), source=source)
    async for text in texts:
        if stream.hold(text):
            for made in await asyncio.to_thread(stream.advance):
                yield made
    for made in await asyncio.to_thread(stream.finish):
        yield made


async def achunk(
    text: str | os.PathLike[str],
    max_tokens: int | TextChunker = 512,
    *,
    language: str | None = None,
    source: str | None = None,
    **options: Unpack[Options],
) -> list[Chunk]:
    """Run `chunk` in a thread, so that the event loop is not blocked.

    Args:
        text: The text, or the path of a file.
        max_tokens: No chunk has more tokens; or a chunker, which has its own options.
        language: The format, as for `chunk`.
        source: As for `TextChunker.chunk`: usually a path.
        options: Those of `TextChunker`.

    Returns:
        The chunks, in the order of the text.

    Raises:
        ChunkerError: As `chunk`.
    """
    return await asyncio.to_thread(chunk, text, max_tokens, language=language, source=source, **options)


def _chosen(max_tokens: int | TextChunker, language: str | None, options: Options) -> TextChunker:
    """Return the chunker of a stream. Its format cannot be detected from the text, which does not exist yet."""
    chunker = chosen(max_tokens, language, options)
    if chunker is not None:
        return chunker
    return max_tokens if isinstance(max_tokens, TextChunker) else chunker_named("text", max_tokens, **options)


class ChunkStream:
    """The push form of `chunk_stream`, for callers that are handed the text: `hold`, `advance`, `finish`.

    Args:
        chunker: The chunker; `TextChunker()` by default.
        source: As for `TextChunker.chunk`: usually a path.
    """

    def __init__(self, chunker: TextChunker | None = None, *, source: str | None = None) -> None:
        require(chunker, (TextChunker, type(None)), "chunker", "a chunker or None")
        require_source(source)
        self._chunker = TextChunker() if chunker is None else chunker
        self._source = source
        self._waiting: list[str] = []
        self._size = 0  # the size of the waiting text, in characters
        self._enough = STEP
        self._growing = _GrowingText.of(self._chunker, source)

    def hold(self, text: str) -> bool:
        """Take the next part of the text.

        Args:
            text: The part.

        Returns:
            Whether there is enough text for `advance` to be worthwhile.
        """
        if not isinstance(text, str):
            raise WrongTypeError(f"a stream must be made of str, got {type(text).__name__}; decode bytes first")
        self._waiting.append(text)
        self._size += len(text)
        return self._growing is not None and self._size >= self._enough

    def advance(self) -> list[Chunk]:
        """The chunks that later text can no longer change."""
        if self._growing is None:
            return []
        chunks = self._growing.feed(self._take())
        # If little is certain yet, read twice as much before the next attempt, so that all attempts together are
        # linear.
        self._enough = max(STEP, self._growing.held)
        return chunks

    def finish(self) -> list[Chunk]:
        """The remaining chunks: the text ends here."""
        text = self._take()
        if self._growing is None:
            return self._chunker.chunk(text, source=self._source)
        return self._growing.feed(text) + self._growing.finish()

    def _take(self) -> str:
        text = "".join(self._waiting)
        self._waiting.clear()
        self._size = 0
        return text


class _GrowingText:
    """The part of a text that is still needed, its offset in the whole text, and the grower of its chunks."""

    def __init__(self, chunker: TextChunker, source: str | None, outline: OpenOutline) -> None:
        self._chunker = chunker
        self._source = source
        self._budget = chunker.budget
        self._outline = outline
        self._grower = StreamGrower(chunker.tokenizer, self._budget, self._context_at)
        self._text = ""
        # Bytes and line breaks of the text that was dropped.
        self._bytes = 0
        self._breaks = 0
        self._index = 0  # the index of the next chunk
        self._done = 0  # the end of the last chunk
        self._carriage_return = ""
        # The end of each settled span, its outline and its contexts.
        self._views: deque[tuple[int, View, ContextAt]] = deque()

    @classmethod
    def of(cls, chunker: TextChunker, source: str | None) -> _GrowingText | None:
        """Return None for a chunker that has to see the whole text."""
        if not chunks_locally(chunker):
            return None
        outline = open_outline(chunker.format, chunker.outline)
        return None if outline is None else cls(chunker, source, outline)

    @property
    def held(self) -> int:
        """The number of characters that are still needed."""
        return len(self._text)

    def feed(self, text: str) -> list[Chunk]:
        """Add `text`; return the chunks that have become certain."""
        start = self._grower.start
        self._check(text, start + len(self._text))
        self._text += text
        known = self._outline.settled
        found = self._outline.feed(text)
        settled = self._outline.settled
        return self._chunks(self._text[: settled - start], found, last=False) if settled > known else []

    def finish(self) -> list[Chunk]:
        """Return the remaining chunks."""
        return self._chunks(self._text, self._outline.finish(), last=True) if self._text else []

    def _check(self, text: str, offset: int) -> None:
        """Raise `BudgetTooSmallError` if a character of `text`, which begins at `offset`, cannot fit into any chunk."""
        offset -= len(self._carriage_return)
        try:
            self._budget.check(self._carriage_return + text, self._chunker.tokenizer)
        except BudgetTooSmallError as error:
            raise moved(error, offset) from None
        if text:
            self._carriage_return = "\r" if text.endswith("\r") else ""

    def _chunks(self, window: str, found: BoundaryColumns, *, last: bool) -> list[Chunk]:
        outline = self._look()
        start = self._grower.start
        pieces: list[Piece] = []
        breadcrumbs: dict[int, tuple[str, ...]] = {}
        done = self._done
        try:
            for piece in self._grower.pieces(window, found, outline.finest, last=last):
                pieces.append(piece)
                fresh, self._done = new_text_of(piece.start, piece.end, self._done), piece.end
                breadcrumbs[fresh] = self._breadcrumb_at(fresh)
        except BudgetTooSmallError as error:
            raise moved(error, start) from None
        origin = TextOrigin(
            window[: self._done - start + 1],  # a carriage return ends a line only if no line feed follows
            pieces,
            language=self._chunker.language,
            metadata=self._chunker.metadata_of(outline),
            source=self._source,
            breadcrumb=breadcrumbs.__getitem__,
            before=(start, self._bytes, self._breaks),
            first=self._index,
            done=done,
        )
        gone = window[: self._grower.start - start]
        self._index += len(pieces)
        self._bytes += len(gone.encode("utf-8", "surrogatepass"))
        self._breaks += count_line_ends(gone)
        self._text = self._text[len(gone) :]
        return origin.chunks()

    def _look(self) -> Outline:
        """Add the outline of the text that has just been settled. Returns the outline."""
        view = self._outline.view()
        while self._views and self._views[0][0] <= self._grower.start:
            self._views.popleft()
        if self._views and self._views[-1][1] is view:
            context_of = self._views.pop()[2]
        else:
            context_of = self._chunker.context_of("", view.outline, self._source)
        self._views.append((self._outline.settled, view, context_of))
        return view.outline

    def _context_at(self, offset: int, overlap: str = "", /) -> str:
        view, context_of = self._view_of(offset)
        return context_of(offset - view.shift, overlap)

    def _breadcrumb_at(self, offset: int) -> tuple[str, ...]:
        view, _ = self._view_of(offset)
        return view.outline.breadcrumb(offset - view.shift)

    def _view_of(self, offset: int) -> tuple[View, ContextAt]:
        for end, view, context_of in self._views:
            if offset < end:
                return view, context_of
        raise AssertionError(f"nothing is known of offset {offset}")
