"""Count the pre-tokens of texts and files, in bounded memory.

A file is read in blocks. The pre-tokens of a block that no later text can change are counted; the rest is put before
the next block:

    | def area(r): return r * r | adius  ->   counted: "def area(r): return r *"    carried over: " r"

Short texts and files are passed to the counter in batches. Memory holds one entry for each distinct pre-token.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Iterable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_engine.text.input import received, to_bytes
from bpe_engine.training.options import PretokenCounter, Progress

if TYPE_CHECKING:
    from bpe_engine.fallback.pretokenizer import CustomPattern

Source = str | bytes | PathLike[str]
"""A text, or the path of a file that holds one."""

BLOCK = 1 << 23
"""The number of bytes, or characters of a str, that are read or passed to the counter at a time."""
MOST_TEXTS = 1 << 13
"""The largest number of texts that are passed to the counter at a time."""
MATCHED_BLOCK = 1 << 20
"""The number of bytes, or characters of a str, that an expression is matched against at a time, because each match is an object."""


def count_by_scanner(counter: PretokenCounter, texts: Iterable[Source], progress: Progress | None) -> int:
    """Count the pre-tokens of texts whose pattern the counter knows. Returns the number of bytes read (characters of a str)."""
    waiting: list[str | bytes] = []
    size = done = 0

    def hand_over() -> None:
        nonlocal size, done
        counter.add(waiting)
        waiting.clear()
        done += size
        size = 0
        if progress is not None:
            progress("counting", done, None)

    for text in texts:
        if isinstance(text, PathLike):
            path = Path(text)
            if path.stat().st_size > BLOCK or not path.is_file():
                hand_over()
                for count in _count_file(counter, path):
                    done += count
                    if progress is not None:
                        progress("counting", done, None)
                continue
            text = path.read_bytes()  # noqa: PLW2901 - the path is replaced by its text
        elif not isinstance(text, str | bytes):
            raise TypeError(f"a text must be str, bytes or the Path of a file, not {type(text).__name__}")
        waiting.append(text)
        size += len(text)
        if size >= BLOCK or len(waiting) >= MOST_TEXTS:
            hand_over()
    hand_over()
    return done


def count_by_expression(
    counter: PretokenCounter, pattern: CustomPattern, texts: Iterable[Source], progress: Progress | None
) -> int:
    """Count pre-tokens by a custom pattern, which the `regex` package matches. Returns as `count_by_scanner`."""
    done = 0
    for text in texts:
        rest = ""
        enough = 0
        for block, is_last in _blocks(text):
            rest += block
            done += len(block)
            # A pattern that looks back needs the whole text before a match.
            if not is_last and (pattern.looks_back or len(rest) < enough):
                continue
            spans = pattern.spans(rest)
            if not is_last:
                spans = spans[: max(0, len(spans) - pattern.open_count(rest, spans))]
            pieces = Counter(rest[start:end] for start, end in spans)
            counter.add_pretokens(list(map(to_bytes, pieces)), list(pieces.values()))
            rest = rest[spans[-1][1] :] if spans else rest
            enough = 2 * len(rest)  # if nothing could be counted, read twice as much before matching again
            if progress is not None:
                progress("counting", done, None)
    return done


def _count_file(counter: PretokenCounter, path: Path) -> Iterator[int]:
    """Count a large file in blocks; yields the number of bytes of each block."""
    rest = b""
    with path.open("rb") as file:
        while block := file.read(max(BLOCK, len(rest))):  # if nothing could be counted yet, read twice as much
            rest += block
            rest = rest[counter.add_open(rest) :]
            yield len(block)
    counter.add([rest])


def _blocks(text: Source) -> Iterator[tuple[str, bool]]:
    """Yield the characters of a text in blocks, each with whether it is the last."""
    if isinstance(text, PathLike):
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        with Path(text).open("rb") as file:
            while block := file.read(MATCHED_BLOCK):
                yield decoder.decode(block), False
        yield decoder.decode(b"", final=True), True
        return
    if not isinstance(text, str | bytes):
        raise TypeError(f"a text must be str, bytes or the Path of a file, not {type(text).__name__}")
    characters = received(text)
    for start in range(0, len(characters), MATCHED_BLOCK):
        yield characters[start : start + MATCHED_BLOCK], start + MATCHED_BLOCK >= len(characters)
