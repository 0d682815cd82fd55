"""Contexts written by your own callable, such as a model that summarizes: called once per chunk, and within the budget.

    chunker       512 tokens = 80 for the context + 432 for the rest
    chunk         "It is made of iron."  ->  write(document, chunk)  ->  "About the tower of Paris, and who built it."
    context       src.md > The tower                                     what the chunker itself puts before the body
                  About the tower of Paris, and who built it.            cut to whole sentences if it is too long
    body          It is made of iron.

A cache keeps the written contexts by source and `content_hash` of the chunk: after an edit, `write` is called only for
changed chunks.
"""

from __future__ import annotations

import asyncio
import inspect
from bisect import bisect_left
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

from chunker.arguments import require, require_source, require_text, whole_number
from chunker.chunkers import TextChunker
from chunker.errors import ContextError, OptionError
from chunker.fields import content_hash_of
from chunker.formats import Outline
from chunker.formats.segmentation import prose_sentence_ends, word_ends
from chunker.growing.assembly import TextOrigin
from chunker.growing.limits import LONGEST_TOKEN
from chunker.growing.pieces import Piece
from chunker.models import Chunk

Write = Callable[[str, Chunk], str] | Callable[[str, Chunk], Awaitable[str]]


class ContextWriter:
    """Chunk texts, and begin each chunk with a context that a callable writes. Threads may share the writer if they may
    share the callable and the cache.

    Args:
        write: Called with the whole text and a chunk of it, whose `text` has no written context yet. It returns the
            context, or "" for none; `achunk` takes a coroutine function, too.
        max_tokens: The largest number of tokens of a written context, for which each chunk keeps room. A longer context
            is cut after the last sentence that fits, else after the last word.
        cache: The written contexts, uncut, by keys made from `version`, source and `content_hash`; any mutable mapping,
            such as a dict, or `shelve.open("contexts")`. A text without a source is its own key: then `write` is called
            again for all of its chunks if one has changed. Without a cache nothing is kept between calls.
        version: A part of the keys: change it when your prompt or model changes.
        fallback: Called with the chunk and the error if `write` fails or does not return a str; it returns the context
            to use instead, which is not cached. Without it the first failure is a `ContextError`; contexts written
            before stay in the cache.
        at_once: The number of calls of `write` that may run at the same time, in threads (`chunk`) or tasks (`achunk`).

    Raises:
        OptionError: A number is not positive.
        WrongTypeError: An argument has a wrong type.

    Examples:
        >>> from chunker import TextChunker
        >>> writer = ContextWriter(lambda document, chunk: f"Part {chunk.index} of a recipe.", max_tokens=8)
        >>> [chunk.text for chunk in writer.chunk(TextChunker(14, min_tokens=0), "Cut the onions. Simmer the soup.")]
        ['Part 0 of a recipe.\\nCut the onions. ', 'Part 1 of a recipe.\\nSimmer the soup.']
    """

    # Functions that find the offsets where a context that is too long may end, the best first.
    _ends: tuple[Callable[[str], Iterable[int]], ...] = (prose_sentence_ends, word_ends)

    def __init__(  # as many as there are options
        self,
        write: Write,
        *,
        max_tokens: int = 100,
        cache: MutableMapping[str, str] | None = None,
        version: str = "",
        fallback: Callable[[Chunk, Exception], str] | None = None,
        at_once: int = 1,
    ) -> None:
        require(write, Callable, "write", "a callable of the text and a chunk")  # type: ignore[arg-type]  # an ABC
        require(version, str, "version", "a str")
        require(cache, (MutableMapping, type(None)), "cache", "a mutable mapping, such as a dict")
        self._write = write
        self._room = whole_number(max_tokens, "max_tokens", " of tokens", least=1)
        self._cache = cache
        self._version = version
        self._fallback = fallback
        self._at_once = whole_number(at_once, "at_once", least=1)

    def __repr__(self) -> str:
        given: list[tuple[str, object, object]] = [
            ("version", self._version, ""),
            ("fallback", self._fallback, None),
            ("at_once", self._at_once, 1),
        ]
        told = "".join(f", {name}={value!r}" for name, value, default in given if value != default)
        # A cache may be large, or a file.
        told += "" if self._cache is None else f", cache=<{type(self._cache).__name__}>"
        return f"{type(self).__name__}({self._write!r}, max_tokens={self._room}{told})"

    def chunk(
        self, chunker: TextChunker, text: str, *, source: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> list[Chunk]:
        """Chunk a text, and begin each chunk with its written context.

        Args:
            chunker: The chunker, whose `max_tokens` the chunks have with their contexts.
            text: The text.
            source: Its name, usually a path.
            metadata: As for `TextChunker.chunk`.

        Returns:
            The chunks, in the order of the text.

        Raises:
            ContextError: A call of `write` failed, or returned no str, and there is no fallback.
            OptionError: The chunker has no room for the context.
            BudgetTooSmallError: One character of the text needs more tokens than a chunk has beside the context.
        """
        if inspect.iscoroutinefunction(self._write):
            raise OptionError("write is a coroutine function: use achunk")
        work = self._work(chunker, text, source, metadata)
        missing = list(work.missing({} if self._cache is None else self._cache).items())
        with closing(self._answers(text, missing)) as answers:
            for (key, chunk), answer in zip(missing, answers, strict=True):
                self._take(work, key, chunk, answer)
        return work.chunks()

    async def achunk(
        self, chunker: TextChunker, text: str, *, source: str | None = None, metadata: Mapping[str, Any] | None = None
    ) -> list[Chunk]:
        """Chunk a text as `chunk` does, with calls of `write` that are awaited. Chunking itself runs in a thread.

        Args:
            chunker: As for `chunk`.
            text: The text.
            source: Its name.
            metadata: As for `chunk`.

        Returns:
            The chunks, in the order of the text.

        Raises:
            ContextError: As `chunk`; calls that are under way are cancelled.
            OptionError: As `chunk`.
            BudgetTooSmallError: As `chunk`.
        """
        work = await asyncio.to_thread(self._work, chunker, text, source, metadata)
        turns = asyncio.Semaphore(self._at_once)
        awaited = inspect.iscoroutinefunction(self._write)

        async def ask(key: str, chunk: Chunk) -> None:
            async with turns:
                try:
                    found = self._write(text, chunk) if awaited else await asyncio.to_thread(self._write, text, chunk)
                    answer: object = await found if inspect.isawaitable(found) else found
                except Exception as error:  # noqa: BLE001  # whatever a callable of the user fails with
                    answer = error
            self._take(work, key, chunk, answer)

        tasks = [
            asyncio.ensure_future(ask(key, chunk))
            for key, chunk in work.missing({} if self._cache is None else self._cache).items()
        ]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        return await asyncio.to_thread(work.chunks)

    def _prepare(self, text: str, outline: Outline, language: str | None) -> None:
        """Prepare for a text before contexts of its chunks are written. Does nothing by default."""

    def _work(self, chunker: TextChunker, text: str, source: str | None, metadata: Mapping[str, Any] | None) -> _Work:
        require(chunker, TextChunker, "chunker", "a chunker, such as TextChunker(512)")
        require_text(text)
        require_source(source)
        smaller = chunker.with_reserve(self._room)
        outline = smaller.outline(text)
        self._prepare(text, outline, chunker.language)
        pieces = list(smaller.pieces(text, outline, smaller.context_of(text, outline, source)))
        work = _Work(
            chunker,
            self._room,
            lambda made: smaller.origin_of(text, outline, made, source, metadata=metadata),
            pieces,
            self._ends,
        )
        named = f"{self._version}\0{content_hash_of(text) if source is None else source}\0"
        work.keys = [named + chunk.content_hash for chunk in work.waiting]
        return work

    def _answers(self, text: str, missing: list[tuple[str, Chunk]]) -> Generator[object]:
        """Yield for each chunk the result of `write`, or the error that it raised."""

        def ask(chunk: Chunk) -> object:
            try:
                return self._write(text, chunk)
            except Exception as error:  # noqa: BLE001  # whatever a callable of the user fails with
                return error

        if self._at_once == 1:
            yield from (ask(chunk) for _, chunk in missing)
            return
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="contexts") as pool:
            try:
                yield from pool.map(ask, [chunk for _, chunk in missing])
            finally:
                pool.shutdown(cancel_futures=True)

    def _take(self, work: _Work, key: str, chunk: Chunk, answer: object) -> None:
        """Store the context written for a chunk; call the fallback if writing failed."""
        if isinstance(answer, str):
            work.written[key] = answer
            if self._cache is not None:
                self._cache[key] = answer
            return
        name = f"chunk {chunk.index}" if chunk.source is None else f"chunk {chunk.index} of {chunk.source}"
        if isinstance(answer, Exception):
            error = ContextError(f"no context was written for {name}: {type(answer).__name__}: {answer}")
            error.__cause__ = answer
        else:
            error = ContextError(f"write must return a str; for {name} it returned {answer!r:.60}")
        if self._fallback is None:
            raise error
        work.written[key] = self._fallback(chunk, answer if isinstance(answer, Exception) else error)


class _Work:
    """The chunks of a text that wait for their contexts."""

    def __init__(
        self,
        chunker: TextChunker,
        room: int,
        origin_of: Callable[[list[Piece]], TextOrigin],
        pieces: list[Piece],
        ends: tuple[Callable[[str], Iterable[int]], ...],
    ) -> None:
        self._ends = ends
        self._counter = chunker.tokenizer
        self._limit = chunker.budget.max_tokens
        self._room = room
        self._origin_of = origin_of
        self._pieces = pieces
        self.waiting = origin_of(pieces).chunks()
        self.keys: list[str] = []
        self.written: dict[str, str] = {}

    def missing(self, cache: Mapping[str, str]) -> dict[str, Chunk]:
        """Return the chunks without a written context, by their keys; of chunks with equal keys, the first."""
        found: dict[str, Chunk] = {}
        for key, chunk in zip(self.keys, self.waiting, strict=True):
            if key in cache:
                self.written[key] = cache[key]
            else:
                found.setdefault(key, chunk)
        return found

    def chunks(self) -> list[Chunk]:
        """Return the chunks with their contexts."""
        pieces = []
        for key, piece, chunk in zip(self.keys, self._pieces, self.waiting, strict=True):
            written = self.written[key].strip()[: self._room * LONGEST_TOKEN]
            context = self._fitting(written, piece.context, chunk.body)
            tokens = self._counter.count(context + chunk.body) if context else piece.tokens
            pieces.append(piece._replace(context=context, tokens=tokens))
        return self._origin_of(pieces).chunks()

    def _fitting(self, written: str, before: str, body: str) -> str:
        """Return the context with as much of `written` as fits: up to the last sentence, else up to the last word."""

        def context_up_to(end: int) -> str | None:
            line = written[:end].rstrip() + "\n"
            if self._counter.count_up_to(line, self._room) is None:
                return None
            # Together they may have more tokens than separately.
            return None if self._counter.count_up_to(before + line + body, self._limit) is None else before + line

        for ends in self._ends:
            # The last sentence may lack its full stop.
            places = sorted({*ends(written), len(written)} - {0})
            fitting = bisect_left(places, True, key=lambda end: context_up_to(end) is None)  # noqa: FBT003  # a key
            # More text may have fewer tokens, so the end that the search found need not fit.
            for end in reversed(places[:fitting]):
                context = context_up_to(end)
                if context is not None:
                    return context
        return before
