"""Sentence windows: search single sentences, and read the text around the sentence that was found.

sentences    s0 s1 s2 s3 s4 s5 s6 s7
found                    ^^
window of 2        s2 s3 s4 s5 s6              as many sentences on both sides, as far as the budget allows
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple, Unpack

from chunker.arguments import require, whole_number
from chunker.chunkers import TextChunker
from chunker.counting import AnyTokenizer, TokenCounter, resolve_tokenizer
from chunker.counting.slices import slice_prices
from chunker.errors import OptionError
from chunker.formats import Format
from chunker.formats.registry import format_named
from chunker.formats.text.sentences import SentenceFormat
from chunker.models import Chunk
from chunker.options import Options


class ReadingWindow(NamedTuple):
    """The text to read around a chunk that was found.

    Args:
        text: The bodies of its chunks, with overlapping text only once.
        start: Its start in the whole text, in characters.
        end: Its end.
        first: The index of its first chunk.
        last: The index of its last chunk.
        token_count: Tokens of `text`.
    """

    text: str
    start: int
    end: int
    first: int
    last: int
    token_count: int


def sentence_chunker(
    max_tokens: int = 128,
    *,
    format: str | Format = "text",  # noqa: A002  # the word of TextChunker
    **options: Unpack[Options],
) -> TextChunker:
    """Make a chunker of single sentences; a sentence over the budget is cut at words. List items and table rows are
    sentences, too. A heading is a part of the sentence after it, and a final sentence of a single token is a part of
    the sentence before it.

    Args:
        max_tokens: The largest number of tokens of a sentence.
        format: The format that finds paragraphs, headings and the like: a name, or a `chunker.formats.Format`.
        options: Those of `TextChunker`.

    Returns:
        The chunker; use it alone, or as the last of `chunk_hierarchy`.

    Raises:
        OptionError: As `TextChunker`.

    Examples:
        >>> [chunk.body for chunk in sentence_chunker().chunk("It is high. It is\\nof iron.")]
        ['It is high. ', 'It is\\nof iron.']
    """
    require(format, (str, Format), "format", "the name of a format, or a chunker.formats.Format")
    blocks = format_named(format) if isinstance(format, str) else format
    chosen: Options = {"min_tokens": 0, "desired_tokens": 1}
    chosen.update(options)
    return TextChunker(max_tokens, format=SentenceFormat(blocks), **chosen)


def window_around(
    chunks: Sequence[Chunk],
    number: int,
    size: int = 3,
    *,
    max_tokens: int | None = None,
    tokenizer: AnyTokenizer = "o200k_base",
) -> ReadingWindow:
    """Join a chunk with its neighbours, nearest first, for a model to read.

    Args:
        chunks: The chunks of one text, in order: sentences, or other chunks.
        number: The index of the chunk that was found, from 0.
        size: The largest number of neighbours on each side.
        max_tokens: The largest number of tokens of the window. A side that does not fit ends there; the other goes on.
        tokenizer: Counts the tokens.

    Returns:
        The window, at least the chunk itself.

    Raises:
        OptionError: There is no such chunk, `size` is negative, or the chunk alone has more than `max_tokens`.
        WrongTypeError: An argument has a wrong type.

    Examples:
        >>> sentences = sentence_chunker().chunk("One. Two. Three. Four. Five.")
        >>> window_around(sentences, 2, 1).text
        'Two. Three. Four. '
    """
    require(chunks, Sequence, "chunks", "a sequence of chunks")
    number, size = whole_number(number, "number"), whole_number(size, "size")
    max_tokens = None if max_tokens is None else whole_number(max_tokens, "max_tokens")
    if not 0 <= number < len(chunks):
        raise OptionError(f"number must be that of one of the {len(chunks)} chunks, counted from 0; got {number}")
    require(chunks[number], Chunk, "chunks", "a sequence of chunks")
    if size < 0:
        raise OptionError(f"size must be at least 0, got {size}")
    counter = resolve_tokenizer(tokenizer)

    if max_tokens is None:
        first, last = max(0, number - size), min(len(chunks) - 1, number + size)
        tokens = counter.count(_joined(chunks[first : last + 1]))
    else:
        first, last, tokens = _fitting(chunks, number, size, max_tokens, counter)
    text = _joined(chunks[first : last + 1])
    return ReadingWindow(text, chunks[first].span.start, chunks[first].span.start + len(text), first, last, tokens)


def _fitting(
    chunks: Sequence[Chunk], number: int, size: int, max_tokens: int, counter: TokenCounter
) -> tuple[int, int, int]:
    """Return the first and the last chunk of a window of at most `max_tokens`, and its tokens."""
    near = _Neighbourhood(chunks, number, counter)
    first = last = number
    tokens = near.count(number, number)
    if tokens > max_tokens:
        raise OptionError(f"chunk {number} alone has more than max_tokens ({max_tokens})")
    before = after = True
    for distance in range(1, size + 1):
        before = before and number - distance >= 0
        if before:
            found = near.count(number - distance, last)
            before = found <= max_tokens
            if before:
                first, tokens = number - distance, found
        after = after and number + distance < len(chunks)
        if after:
            found = near.count(first, number + distance)
            after = found <= max_tokens
            if after:
                last, tokens = number + distance, found
        if not before and not after:
            break
    return first, last, tokens


class _Neighbourhood:
    """The counts of neighbouring chunks that are joined: of those around one, and of twice as many where these do not reach."""

    def __init__(self, chunks: Sequence[Chunk], number: int, counter: TokenCounter) -> None:
        self._chunks, self._number, self._counter = chunks, number, counter
        self._reach = 0
        self._read()

    def count(self, first: int, last: int) -> int:
        """Return the tokens of the chunks from `first` to `last`, the number among them."""
        while max(self._number - first, last - self._number) > self._reach:
            self._reach = max(4, 2 * self._reach)
            self._read()
        return self._prices.count(self._starts[first - self._first], self._ends[last - self._first])

    def _read(self) -> None:
        self._first = max(0, self._number - self._reach)
        near = self._chunks[self._first : self._number + self._reach + 1]
        new = _new_texts(near)
        self._ends = list(accumulate(map(len, new)))
        self._starts = [end - len(chunk.body) for end, chunk in zip(self._ends, near, strict=True)]
        self._prices = slice_prices(self._counter, "".join(new))


def _joined(chunks: Sequence[Chunk]) -> str:
    """Join the bodies of neighbouring chunks, with overlapping text only once."""
    return "".join(_new_texts(chunks))


def _new_texts(chunks: Sequence[Chunk]) -> list[str]:
    """Return the part of each body that is not in those before it."""
    parts: list[str] = []
    end = chunks[0].span.start
    for chunk in chunks:
        parts.append(chunk.body[max(end - chunk.span.start, 0) :])
        end = max(end, chunk.span.end)
    return parts
