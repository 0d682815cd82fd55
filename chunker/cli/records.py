"""The output of the commands: one record a line as JSON, or a table for people.

Records are JSON objects in UTF-8, with their keys in a fixed order.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chunker.files.discovery import portable, printable

if TYPE_CHECKING:
    from chunker.files.documents import Document
    from chunker.models import Chunk

_NOTHING = "-"
_GAP = "   "
_RULE = "-"


@dataclass
class ChunkSummary:
    """How the chunks of one file, or of all files, use a budget of `max_tokens`; sizes are in tokens."""

    path: str
    max_tokens: int
    chunks: int = 0
    tokens: int = 0
    smallest: int | None = None
    largest: int | None = None

    @classmethod
    def of(cls, path: str, max_tokens: int, sizes: Sequence[int]) -> ChunkSummary:
        """Return the summary of chunks of these sizes."""
        smallest, largest = min(sizes, default=None), max(sizes, default=None)
        return cls(path, max_tokens, len(sizes), sum(sizes), smallest, largest)

    def add(self, other: ChunkSummary) -> None:
        """Add the chunks of another summary."""
        self.chunks += other.chunks
        self.tokens += other.tokens
        self.smallest = min(_known(self.smallest, other.smallest), default=None)
        self.largest = max(_known(self.largest, other.largest), default=None)

    def cells(self) -> list[str]:
        """Return its row of the table."""
        fill = f"{self.tokens / (self.chunks * self.max_tokens):.0%}" if self.chunks else _NOTHING
        sizes = [_number(self.smallest), _number(self.largest)]
        return [self.path, _number(self.chunks), _number(self.tokens), fill, *sizes]


CHUNK_COLUMNS = ("file", "chunks", "tokens", "mean fill", "smallest", "largest")


@dataclass
class Tally:
    """The sums of one file, of all files of a language, or of all; `lines` and `size` (bytes) and `tokens` add up."""

    files: int = 0
    lines: int = 0
    size: int = 0
    tokens: int = 0

    def add(self, other: Tally) -> None:
        """Add another tally."""
        self.files += other.files
        self.lines += other.lines
        self.size += other.size
        self.tokens += other.tokens

    def cells(self) -> list[str]:
        """Return its numbers for the table, in the order of `TALLY_COLUMNS`."""
        return [_number(self.files), _number(self.lines), _number(self.size), _number(self.tokens)]

    def record(self) -> dict[str, int]:
        """Return its numbers for JSON."""
        return {"files": self.files, "lines": self.lines, "bytes": self.size, "tokens": self.tokens}


TALLY_COLUMNS = ("files", "lines", "bytes", "tokens")


@dataclass(frozen=True)
class FileTally:
    """The tally of one file, and its language."""

    path: str
    language: str
    numbers: Tally

    def line(self) -> bytes:
        """Return its record as a line of JSON."""
        numbers = self.numbers.record()
        del numbers["files"]
        return json_line({"path": portable(self.path), "language": self.language, **numbers})


class Grouping(enum.StrEnum):
    """The meaning of one row of a table of tallies."""

    FILE = "file"
    LANGUAGE = "language"
    TOTAL = "total"


# The columns of records, and whether they have whole numbers.
TALLY_FIELDS = {
    Grouping.FILE: {"path": False, "language": False, "lines": True, "bytes": True, "tokens": True},
    Grouping.LANGUAGE: {"language": False, **dict.fromkeys(TALLY_COLUMNS, True)},
    Grouping.TOTAL: dict.fromkeys(TALLY_COLUMNS, True),
}


def tally_lines(files: Sequence[FileTally], by: Grouping) -> bytes:
    """Return the tallies as JSON, one record per line."""
    if by is Grouping.FILE:
        return b"".join(file.line() for file in files)
    if by is Grouping.LANGUAGE:
        return b"".join(json_line({"language": name, **numbers.record()}) for name, numbers in _languages(files))
    return json_line(_total(files).record())


def tally_table(files: Sequence[FileTally], by: Grouping) -> bytes:
    """Return the tallies as a table, with the total of all files as its last row."""
    total = _total(files).cells()
    if by is Grouping.FILE:
        columns = ("file", "language", *TALLY_COLUMNS[1:])
        rows = [[file.path, file.language, *file.numbers.cells()[1:]] for file in files]
        return render_table(columns, rows, ["total", "", *total[1:]], left=2)
    if by is Grouping.LANGUAGE:
        rows = [[name, *numbers.cells()] for name, numbers in _languages(files)]
        return render_table(("language", *TALLY_COLUMNS), rows, ["total", *total])
    return render_table(TALLY_COLUMNS, [], total, left=0)


def _total(files: Iterable[FileTally]) -> Tally:
    total = Tally()
    for file in files:
        total.add(file.numbers)
    return total


def _languages(files: Iterable[FileTally]) -> list[tuple[str, Tally]]:
    """Return the sum of each language, the one with the most tokens first."""
    sums: dict[str, Tally] = {}
    for file in files:
        sums.setdefault(file.language, Tally()).add(file.numbers)
    return sorted(sums.items(), key=lambda item: (-item[1].tokens, item[0]))


def _known(*values: int | None) -> list[int]:
    return [value for value in values if value is not None]


def _number(value: int | None) -> str:
    return _NOTHING if value is None else f"{value:,}"


def json_line(record: dict[str, Any]) -> bytes:
    """Return one record as a line."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def chunk_lines(document: Document, chunks: list[Chunk]) -> bytes:
    """The chunks of a file as lines, as `chunk_line` writes each."""
    # Imported late: tables and counts need no chunks.
    from chunker.growing.assembly import TextOrigin, shared_origin  # noqa: PLC0415
    from chunker.native import native  # noqa: PLC0415

    compiled, origin = native(), shared_origin(chunks)
    if compiled is None or origin is None or type(origin) is not TextOrigin:
        return b"".join(chunk_line(document, chunk) for chunk in chunks)
    columns = compiled.ChunkColumns()
    columns.add(origin.text, list(origin.pieces), origin.identity)
    first = chunks[0]
    rest = json_line({"language": first.language, "note": first.note, "metadata": _metadata(document, first)})
    lines: bytes = columns.lines(origin.breadcrumbs(), portable(document.path), rest[1:-1])
    return lines


def _metadata(document: Document, chunk: Chunk) -> dict[str, Any]:
    return chunk.metadata if document.encoding == "utf-8" else {**chunk.metadata, "encoding": document.encoding}


def chunk_line(document: Document, chunk: Chunk, *, cut: str | None = None) -> bytes:
    """Return one chunk as a line: its record with the path of the file as its source and, if requested, the reason why it ends.

    The span counts characters and lines of the file read as `encoding`, which the metadata name if it is not UTF-8. Its
    bytes are those of the file if that is UTF-8; of UTF-16 and UTF-32 they are those of the text in UTF-8.
    """
    record = chunk.record()
    record["source"] = portable(document.path)
    record["metadata"] = _metadata(document, chunk)
    if cut is not None:
        record["cut"] = cut
    return json_line(record)


def _width(cell: str) -> int:
    """The columns of the screen that a printable text takes: two for a Chinese character, none for a combining mark."""
    if cell.isascii():
        return len(cell)
    from rich.cells import cell_len  # noqa: PLC0415  # late: few tables need it

    return cell_len(cell)


def render_table(
    columns: Sequence[str], rows: Sequence[Sequence[str]], total: Sequence[str], *, left: int = 1
) -> bytes:
    """Return a table in UTF-8 with `total` as its last row; the first `left` columns are aligned left, numbers right.

    >>> print(render_table(("file", "tokens"), [("a.py", "1,200"), ("b/漢.py", "7")], ("total", "1,207")).decode())
    file      tokens
    ----------------
    a.py       1,200
    b/漢.py        7
    ----------------
    total      1,207
    <BLANKLINE>

    `rich.table` was tried: it takes a millisecond per row, more than counting a small file.
    """
    shown = [[printable(cell) for cell in row] for row in (columns, *rows, total)]
    sizes = [[_width(cell) for cell in row] for row in shown]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    lines = []
    for row, taken in zip(shown, sizes, strict=True):
        cells = []
        for index, (cell, size, width) in enumerate(zip(row, taken, widths, strict=True)):
            padding = " " * (width - size)
            cells.append(cell + padding if index < left else padding + cell)
        lines.append(_GAP.join(cells).rstrip())
    rule = _RULE * (sum(widths) + len(_GAP) * (len(widths) - 1))
    page = [lines[0], rule, *lines[1:-1], rule, lines[-1]] if rows else [lines[0], rule, lines[-1]]
    return ("\n".join(page) + "\n").encode("utf-8", "backslashreplace")
