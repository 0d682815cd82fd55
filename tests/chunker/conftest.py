"""What the tests of the chunkers share: the tokenizers, an oracle that counts, and the laws that hold for every chunker."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import pytest
import regex
import tiktoken

from bpe_engine import Tokenizer, Vocabulary
from chunker import Chunk

Check = Callable[..., None]

_CLUSTER = regex.compile(r"\X")


@functools.cache
def tiktoken_count(encoding: str) -> Callable[[str], int]:
    """Counts as the publisher's package does, on the embedded vocabulary."""
    tokenizer = Tokenizer.load(encoding)
    pattern = tokenizer.vocabulary.pattern
    assert pattern is not None
    oracle = tiktoken.Encoding(
        f"{encoding} of the tests",
        pat_str=pattern.source,
        mergeable_ranks=dict(tokenizer.vocabulary.ranks),
        special_tokens={},
    )
    return lambda text: len(oracle.encode_ordinary(text))


def check_chunks(
    text: str, chunks: Sequence[Chunk], max_tokens: int, count: Callable[[str], int], *, overlap: int = 0
) -> None:
    """The laws: exact counts, nothing over budget, nothing lost, spans that slice, cuts between graphemes, ids that differ."""
    for chunk in chunks:
        assert chunk.text == chunk.context + chunk.body
        assert chunk.token_count == count(chunk.text)
        assert chunk.token_count <= max_tokens
    check_coverage(text, chunks, count, overlap=overlap)
    check_spans(text, chunks)
    check_graphemes(text, chunks, max_tokens, count)
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def check_coverage(text: str, chunks: Sequence[Chunk], count: Callable[[str], int], *, overlap: int) -> None:
    assert (text == "") == (not chunks)
    done = 0
    previous_start = -1
    for chunk in chunks:
        start, end = chunk.span.start, chunk.span.end
        # Each chunk begins where the previous one ended, or before it by an overlap that fits, and always adds
        # something.
        assert previous_start < start <= done < end
        assert count(text[start:done]) <= overlap
        previous_start, done = start, end
    assert done == len(text)


def check_spans(text: str, chunks: Sequence[Chunk]) -> None:
    encoded = text.encode("utf-8", "surrogatepass")
    # The lines as Python's universal newlines have them.
    lines = regex.split(r"(?<=\r\n|\n|\r(?!\n))", text)
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line))
    for chunk in chunks:
        span = chunk.span
        assert text[span.start : span.end] == chunk.body
        assert encoded[span.start_byte : span.end_byte] == chunk.body.encode("utf-8", "surrogatepass")
        assert ends[span.start_line - 1] <= span.start < ends[span.start_line]
        assert ends[span.end_line - 1] <= span.end - 1 < ends[span.end_line]


def check_graphemes(text: str, chunks: Sequence[Chunk], max_tokens: int, count: Callable[[str], int]) -> None:
    cuts = {offset for chunk in chunks for offset in (chunk.span.start, chunk.span.end)}
    for cluster in _CLUSTER.finditer(text):
        start, end = cluster.span()
        if end - start > 1 and any(cut in cuts for cut in range(start + 1, end)):
            assert text[start:end] != "\r\n"
            assert count(text[start:end]) > max_tokens


@pytest.fixture(scope="session", params=("o200k_base", "cl100k_base"))
def encoding(request: pytest.FixtureRequest) -> str:
    """The name of an encoding; the test runs with each."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def count(encoding: str) -> Callable[[str], int]:
    """Counts as tiktoken does under `encoding`."""
    return tiktoken_count(encoding)


@pytest.fixture(scope="session")
def count_o200k() -> Callable[[str], int]:
    """Counts as tiktoken does under o200k_base, where one encoding will do."""
    return tiktoken_count("o200k_base")


@pytest.fixture(scope="session")
def check() -> Check:
    """Asserts the laws of a chunker's result."""
    return check_chunks


@pytest.fixture(scope="session")
def halves() -> Tokenizer:
    """One token a byte, but "abcd", "ab" and "cd" are one each: "abc" costs two tokens, "abcd" one."""
    return Tokenizer(
        Vocabulary(
            name=None,
            ranks={**{bytes([byte]): byte for byte in range(256)}, b"ab": 256, b"cd": 257, b"abcd": 258},
            special_tokens={},
            pattern=None,
        )
    )
