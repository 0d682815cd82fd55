"""The laws of chunks. `broken_law` names the one that a case breaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, cycle
from unittest.mock import patch

import regex
from uniseg import graphemecluster  # type: ignore[import-untyped]  # it has no types

from chunker import BudgetTooSmallError, Chunk, TextChunker, chunk_hierarchy
from chunker.formats import restarting
from chunker.growing.grower import Grower
from chunker.streams import chunk_stream as streaming
from chunker.streams.chunk_stream import ChunkStream
from fuzz_chunkers.cases import Case

_CLUSTER = regex.compile(r"\X")
_LINE_END = regex.compile(r"\r\n|\n|\r")
# So little is read of a stream between two attempts that a short text is one.
_STEP = 2_000


class LawBrokenError(Exception):
    """`law` is its name; the message tells where."""

    def __init__(self, law: str, message: str) -> None:
        super().__init__(f"{law}: {message}")
        self.law = law


def broken_law(case: Case) -> LawBrokenError | None:
    """The first law that the case breaks; None if all hold. An error that nobody may see counts as a law broken, by the name of its type."""
    try:
        _check(case)
    except LawBrokenError as error:
        return error
    except Exception as error:  # noqa: BLE001  # whatever it is, it is what is looked for
        broken = LawBrokenError(f"no {type(error).__name__}", str(error))
        broken.__cause__ = error
        return broken
    return None


def _check(case: Case) -> None:
    chunker = case.chunker()
    count = chunker.tokenizer.count
    most = chunker.max_tokens - chunker.reserve
    try:
        chunks = chunker.chunk(case.text, source=case.source)
    except BudgetTooSmallError as error:
        _check_error(case, error, count, most)
        return
    _check_sizes(chunks, count, most)
    _check_coverage(case.text, chunks, count, chunker.overlap)
    _check_spans(case.text, chunks)
    _check_clusters(case.text, chunks, count, most)
    _check_contexts(case, chunker, chunks, count, most)
    _demand("the same input gives the same chunks", case.chunker().chunk(case.text, source=case.source) == chunks)
    _check_without_what_is_compiled(case, chunks)
    if case.parts:
        _demand("a stream has the chunks of the whole text", _streamed(case) == chunks)
    _check_hierarchy(case, chunks)


def _demand(law: str, holds: object, message: str = "they differ") -> None:
    if not holds:
        raise LawBrokenError(law, message)


def _check_error(case: Case, error: BudgetTooSmallError, count: Callable[[str], int], most: int) -> None:
    law = "BudgetTooSmallError names a character that does not fit"
    text = error.character
    _demand(law, len(text) == 1 or text == "\r\n", f"{text!r} is no character")
    _demand(law, count(text) == error.tokens > most, f"{text!r} has {count(text)} tokens of {most}, not {error.tokens}")
    _demand(law, case.text.startswith(text, error.offset), f"{text!r} is not at {error.offset}")


def _check_sizes(chunks: list[Chunk], count: Callable[[str], int], most: int) -> None:
    for number, chunk in enumerate(chunks):
        _demand("a text is its context and its body", chunk.text == chunk.context + chunk.body, f"in chunk {number}")
        tokens = count(chunk.text)
        _demand(
            "a count is exact", chunk.token_count == tokens, f"chunk {number} says {chunk.token_count} and has {tokens}"
        )
        _demand("no chunk is over the budget", tokens <= most, f"chunk {number} has {tokens} of {most}")
    _demand("no two chunks have one id", len({chunk.id for chunk in chunks}) == len(chunks), "some do")


def _check_coverage(text: str, chunks: list[Chunk], count: Callable[[str], int], overlap: int) -> None:
    if not overlap:
        _demand("bodies concatenate to the text", "".join(chunk.body for chunk in chunks) == text, "they do not")
    done, before = 0, -1
    for number, chunk in enumerate(chunks):
        start, end = chunk.span.start, chunk.span.end
        place = f"chunk {number} is {start}:{end} after {before}:{done}"
        _demand("each chunk adds text, and leaves none out", before < start <= done < end, place)
        _demand("an overlap is no larger than allowed", count(text[start:done]) <= overlap or start == done, place)
        before, done = start, end
    _demand("chunks reach the end of the text", done == len(text), f"they end at {done} of {len(text)}")


def _check_spans(text: str, chunks: list[Chunk]) -> None:
    ends = [0, *(found.end() for found in _LINE_END.finditer(text)), len(text) + 1]
    law = "spans slice the text to the body"
    for number, chunk in enumerate(chunks):
        span = chunk.span
        _demand(law, text[span.start : span.end] == chunk.body, f"characters of chunk {number}")
        before = len(text[: span.start].encode("utf-8", "surrogatepass"))
        size = len(chunk.body.encode("utf-8", "surrogatepass"))
        _demand(law, (span.start_byte, span.end_byte) == (before, before + size), f"bytes of chunk {number}")
        _demand(law, ends[span.start_line - 1] <= span.start < ends[span.start_line], f"first line of chunk {number}")
        _demand(law, ends[span.end_line - 1] <= span.end - 1 < ends[span.end_line], f"last line of chunk {number}")


def _check_clusters(text: str, chunks: list[Chunk], count: Callable[[str], int], most: int) -> None:
    cuts = {offset for chunk in chunks for offset in (chunk.span.start, chunk.span.end)}
    for found in _CLUSTER.finditer(text):
        start, end = found.span()
        inside = cuts.intersection(range(start + 1, end))
        # In Unicode 18, which `regex` follows, a virama joins a consonant to any base. Here the rule is that of 15.1 to
        # 17 (GB9c), as in uniseg.
        inside -= (
            {start + offset for offset in _ends(graphemecluster.grapheme_clusters(found.group()))} if inside else set()
        )
        if inside:
            cluster = found.group()
            fits = cluster == "\r\n" or count(cluster) <= most
            _demand("no cut is inside a grapheme cluster that fits", not fits, f"{cluster!r} at {start}")


def _ends(parts: Iterable[str]) -> Iterator[int]:
    return accumulate(map(len, parts))


def _check_contexts(
    case: Case, chunker: TextChunker, chunks: list[Chunk], count: Callable[[str], int], most: int
) -> None:
    """A context is about the text that no chunk before had, and gives way where there is no room for it."""
    outline = chunker.outline(case.text)
    context_at = chunker.context_of(case.text, outline, case.source)
    done = 0
    for number, chunk in enumerate(chunks):
        expected = context_at(done, case.text[chunk.span.start : done])
        law = "a context tells where the new text of a chunk is"
        _demand(law, chunk.context in ("", expected), f"chunk {number} has {chunk.context!r}, not {expected!r}")
        _demand(
            "a context is a quarter of the budget at most",
            4 * count(chunk.context) <= most or not chunk.context,
            f"chunk {number}",
        )
        done = chunk.span.end


def _check_without_what_is_compiled(case: Case, chunks: list[Chunk]) -> None:
    with patch("chunker.chunkers.grower_of", Grower):
        again = case.chunker().chunk(case.text, source=case.source)
    _demand("what is compiled and Python make the same chunks", again == chunks)


def _streamed(case: Case) -> list[Chunk]:
    with patch.object(restarting, "STEP", _STEP), patch.object(streaming, "STEP", _STEP):
        stream = ChunkStream(case.chunker(), source=case.source)
        chunks: list[Chunk] = []
        for part in _parts(case):
            if stream.hold(part):
                chunks += stream.advance()
        return chunks + stream.finish()


def _parts(case: Case) -> Iterator[str]:
    start = 0
    for size in cycle(case.parts):
        if start >= len(case.text):
            return
        yield case.text[start : start + size]
        start += size


def _check_hierarchy(case: Case, chunks: list[Chunk]) -> None:
    """Without overlap the chunks inside a chunk are its body."""
    options = {name: value for name, value in case.options.items() if name != "overlap"}
    small = case.chunker()
    if small.overlap and len(case.text) > 500:
        return
    larger = TextChunker(
        tokenizer=small.tokenizer, format=small.format, **{**options, "max_tokens": 3 * small.max_tokens}
    )
    inner = TextChunker(tokenizer=small.tokenizer, format=small.format, **options)
    hierarchy = chunk_hierarchy(case.text, [larger, inner], source=case.source)
    _demand(
        "a hierarchy has the chunks of its largest budget",
        [node.body for node in hierarchy.levels[0]]
        == [chunk.body for chunk in larger.chunk(case.text, source=case.source)],
    )
    for node in hierarchy.levels[0]:
        bodies = "".join(hierarchy.node(child).body for child in node.children)
        _demand("the chunks in a chunk concatenate to it", bodies == node.body, f"chunk at {node.span.start}")
    for level, most in zip(
        hierarchy.levels, (larger.max_tokens - larger.reserve, inner.max_tokens - inner.reserve), strict=True
    ):
        _check_sizes(list(level), small.tokenizer.count, most)
