"""The operations that `growth.py` measures: everything that the engine and the chunkers do with a text."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from bpe_engine import AppendingEncoder, PrependingEncoder, Tokenizer
from chunker import CodeChunker, MarkdownChunker, TextChunker

PIECE = 40  # bytes, or characters, that are added at a time
ROLLBACKS = 50
SLICES = 20
CHUNK = 64  # tokens: few, because one token can be 128 spaces and a text should have several chunks

# Takes a text; what it returns is timed.
Preparation = Callable[[str], Callable[[], object]]


class Operation(NamedTuple):
    """Something to measure. `constant`: its time should not depend on the length of the text. `least`: bytes of a 4x, at least."""

    name: str
    prepare: Preparation
    constant: bool = False
    least: int = 1 << 14


def engine_operations(tokenizer: Tokenizer) -> list[Operation]:
    """All that the engine does with a text."""

    def bound(prepare: Callable[[Tokenizer, str], Callable[[], object]]) -> Preparation:
        return lambda text: prepare(tokenizer, text)

    return [
        Operation("count", lambda text: lambda: tokenizer.count(text)),
        Operation("encode", lambda text: lambda: tokenizer.encode(text)),
        Operation("append 40 bytes at a time", bound(_append_pieces)),
        Operation("append a character at a time", lambda text: lambda: _appended(tokenizer, text)),
        Operation("append 40 bytes at a time, and ask for changed ids", bound(_append_and_ask)),
        Operation(f"{ROLLBACKS} rollbacks of appends", bound(_roll_back_appends), constant=True),
        Operation("prepend 40 bytes at a time", bound(_prepend_pieces)),
        Operation(f"{ROLLBACKS} rollbacks of prepends", bound(_roll_back_prepends), constant=True),
        Operation("interval encoder: build", lambda text: lambda: tokenizer.interval_encoder(text)),
        Operation(f"interval encoder: {SLICES} slices", bound(_slices)),
        Operation("truncate to half, head", lambda text: _truncate(tokenizer, text, "head")),
        Operation("truncate to half, tail", lambda text: _truncate(tokenizer, text, "tail")),
        Operation("count up to half", bound(_count_up_to_half)),
        # A hundred tokens can be 12,800 spaces: the shortest text must be longer than what is read of it.
        Operation(
            "count up to 100", lambda text: lambda: tokenizer.count_up_to(text, 100), constant=True, least=1 << 18
        ),
    ]


def chunkings(tokenizer: Tokenizer) -> list[Operation]:
    """The chunkers, plain and with their options."""
    chunkers = {
        "TextChunker": TextChunker(CHUNK, tokenizer=tokenizer),
        "TextChunker, overlap": TextChunker(CHUNK, tokenizer=tokenizer, overlap=CHUNK // 8),
        "MarkdownChunker": MarkdownChunker(CHUNK, tokenizer=tokenizer),
        "CodeChunker": CodeChunker("python", CHUNK, tokenizer=tokenizer),
        "MarkdownChunker, overlap, context": MarkdownChunker(
            CHUNK, tokenizer=tokenizer, overlap=CHUNK // 8, context=True
        ),
        "TextChunker, desired size, no least": TextChunker(
            CHUNK, tokenizer=tokenizer, desired_tokens=CHUNK // 2, min_tokens=0
        ),
        "TextChunker, optimal": TextChunker(CHUNK, tokenizer=tokenizer, strategy="optimal"),
        **{
            f"{name}, optimal, overlap, context": TextChunker(
                CHUNK, format=name, tokenizer=tokenizer, strategy="optimal", overlap=CHUNK // 8, context=True
            )
            for name in ("text", "json", "yaml", "notebook")
        },
    }

    def of(chunker: TextChunker) -> Preparation:
        return lambda text: lambda: chunker.chunk(text, source="input")

    # A text that fits one chunk is another matter than one of two, so even the shortest should have some.
    return [Operation(name, of(chunker), least=1 << 16) for name, chunker in chunkers.items()]


def _pieces(data: bytes) -> list[bytes]:
    return [data[start : start + PIECE] for start in range(0, len(data), PIECE)]


def _appended(tokenizer: Tokenizer, pieces: Iterable[str | bytes]) -> AppendingEncoder:
    encoder = tokenizer.appending_encoder()
    for piece in pieces:
        encoder.append(piece)
    return encoder


def _prepended(tokenizer: Tokenizer, pieces: Iterable[bytes]) -> PrependingEncoder:
    encoder = tokenizer.prepending_encoder()
    for piece in pieces:
        encoder.prepend(piece)
    return encoder


def _append_pieces(tokenizer: Tokenizer, text: str) -> Callable[[], object]:
    pieces = _pieces(text.encode())  # these cut characters too
    return lambda: _appended(tokenizer, pieces)


def _append_and_ask(tokenizer: Tokenizer, text: str) -> Callable[[], object]:
    pieces = _pieces(text.encode())

    def grow() -> None:
        encoder = tokenizer.appending_encoder()
        for piece in pieces:
            encoder.append(piece)
            encoder.changes()

    return grow


def _prepend_pieces(tokenizer: Tokenizer, text: str) -> Callable[[], object]:
    pieces = _pieces(text.encode())[::-1]
    return lambda: _prepended(tokenizer, pieces)


def _roll_back_appends(tokenizer: Tokenizer, text: str) -> Callable[[], object]:
    """In mid-run, over and over: a mark, something foreign and more of the run, back; more of the run alone, and back."""
    middle = len(text) // 2
    more = text[middle : middle + PIECE]
    encoder = _appended(tokenizer, _pieces(text[:middle].encode()))

    def repeat() -> None:
        for _ in range(ROLLBACKS):
            mark = encoder.snapshot()
            encoder.append("é" + more)
            encoder.rollback(mark)
            encoder.append(more)
            encoder.rollback(mark)

    return repeat


def _roll_back_prepends(tokenizer: Tokenizer, text: str) -> Callable[[], object]:
    """The same to the left."""
    middle = len(text) // 2
    more = text[middle - PIECE : middle]
    encoder = _prepended(tokenizer, _pieces(text[middle:].encode())[::-1])

    def repeat() -> None:
        for _ in range(ROLLBACKS):
            mark = encoder.snapshot()
            encoder.prepend(more + "é")
            encoder.rollback(mark)
            encoder.prepend(more)
            encoder.rollback(mark)

    return repeat


def _slices(tokenizer: Tokenizer, text: str) -> Callable[[], object]:
    prices = tokenizer.interval_encoder(text)
    ends = random.Random(len(text))  # noqa: S311 - nothing secret
    slices = [sorted(ends.choices(range(len(text) + 1), k=2)) for _ in range(SLICES)]
    return lambda: [prices.count(start, end) for start, end in slices]


def _truncate(tokenizer: Tokenizer, text: str, side: Literal["head", "tail"]) -> Callable[[], object]:
    half = tokenizer.count(text) // 2
    return lambda: tokenizer.truncate(text, half, side)


def _count_up_to_half(tokenizer: Tokenizer, text: str) -> Callable[[], object]:
    half = tokenizer.count(text) // 2
    return lambda: tokenizer.count_up_to(text, half)
