"""Judge the chunks of a text: definitions that stay whole, chunks over the budget, text lost or misplaced, and broken laws of our own."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

import code_structure
from chunk_peers import count
from cuts import Cuts, Piece, Placed
from python_structure import Definition, definitions

from chunker import TextChunker

# Definitions up to this share of the budget should stay whole; what is to stay with a definition may need as much.
FITTING = 0.8
# Chunks below this share of the budget are undersized, unless the text as a whole is.
UNDERSIZED = 0.1


@dataclass(frozen=True)
class Text:
    """A text and what is known about it. `needs` are the tokens of each definition, `head_needs` those up to its header's end."""

    name: str
    text: str
    tokens: int
    definitions: list[Definition] = field(default_factory=list)
    needs: list[int] = field(default_factory=list)
    head_needs: list[int] = field(default_factory=list)


def plain(name: str, text: str) -> Text:
    """A text without definitions."""
    return Text(name, text, count(text))


def code(name: str, source: str, language: str) -> Text:
    """A source in any other language with its definitions."""
    return _with_definitions(name, source, code_structure.definitions(source, language))


def python(name: str, source: str) -> Text:
    """A Python source with its definitions. Raises SyntaxError."""
    return _with_definitions(name, source, definitions(source))


def _with_definitions(name: str, source: str, found: list[Definition]) -> Text:
    needs = [count(source[one.start : one.end]) for one in found]
    head_needs = [count(source[one.start : one.header_end]) for one in found]
    return Text(name, source, count(source), found, needs, head_needs)


@dataclass
class Findings(Cuts):
    """Sums over texts; `largest` is the size of the largest chunk in tokens."""

    chunks: int = 0
    tokens: int = 0
    squares: int = 0
    over_budget: int = 0
    largest: int = 0
    lost: int = 0
    lost_black: int = 0
    wrong_offsets: int = 0
    undersized: int = 0

    @property
    def spread(self) -> float:
        """The standard deviation of the sizes of chunks, as a share of their mean."""
        mean = self.tokens / max(self.chunks, 1)
        return math.sqrt(max(self.squares / max(self.chunks, 1) - mean * mean, 0)) / max(mean, 1)

    def judge(self, text: Text, pieces: list[Piece], limit: int) -> None:
        """Add the findings on the chunks of one text."""
        sizes = [count(piece.text) for piece in pieces]
        self.chunks += len(pieces)
        self.tokens += sum(sizes)
        self.squares += sum(size * size for size in sizes)
        self.over_budget += sum(size > limit for size in sizes)
        self.largest = max(self.largest, *sizes, 0)
        if text.tokens >= UNDERSIZED * limit:
            self.undersized += sum(size < UNDERSIZED * limit for size in sizes)
        self.wrong_offsets += sum(
            piece.start is None or piece.end is None or text.text[max(piece.start, 0) : piece.end] != piece.text
            for piece in pieces
        )
        placed = Placed(text.text, pieces)
        missing = placed.missing(text.text)
        self.lost += len(missing)
        self.lost_black += len("".join(missing.split()))
        for one, needs, head_needs in zip(text.definitions, text.needs, text.head_needs, strict=True):
            fits, head_fits = needs <= FITTING * limit, head_needs <= FITTING * limit
            self.judge_definition(one, placed, fits=fits, head_fits=head_fits)


@dataclass
class BrokenLaws:
    """How often each law of our chunkers is broken. All but the first, the number of chunks, must be 0."""

    chunks: int = 0
    over_budget: int = 0
    wrong_count: int = 0
    wrong_characters: int = 0
    wrong_bytes: int = 0
    wrong_lines: int = 0
    text_lost: int = 0

    def judge(self, chunker: TextChunker, text: str) -> None:
        """Chunk one text, and count the laws that are broken."""
        data = text.encode("utf-8", "surrogatepass")
        done = 0
        for chunk in chunker.chunk(text, source="name.py"):
            span, body = chunk.span, chunk.body
            size = count(chunk.text)
            self.chunks += 1
            self.over_budget += size > chunker.max_tokens
            self.wrong_count += size != chunk.token_count
            self.wrong_characters += text[span.start : span.end] != body
            self.wrong_bytes += data[span.start_byte : span.end_byte] != body.encode("utf-8", "surrogatepass")
            lines = 1 + _line_breaks(text, span.start), 1 + _line_breaks(text, span.end - 1)
            self.wrong_lines += (span.start_line, span.end_line) != lines
            self.text_lost += max(0, span.start - done)
            done = max(done, span.end)
        self.text_lost += len(text) - done

    def values(self) -> list[int]:
        """All counts, in the order of the fields."""
        return [getattr(self, one.name) for one in fields(self)]


def _line_breaks(text: str, end: int) -> int:
    """How many lines end before text[end]; a line ends with "\\n", "\\r\\n" or "\\r"."""
    return text.count("\n", 0, end) + text.count("\r", 0, end) - text.count("\r\n", 0, end + 1)
