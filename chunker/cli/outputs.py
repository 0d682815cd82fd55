"""Write records to files: JSON Lines, a JSON array, CSV, Parquet, Arrow, by the ending of the file's name.

    {"source":"a.py","span":{"start":0},"metadata":{"rights":"ours"}}   a record, as a line of JSON jsonl, json as it is
    csv, parquet     source start   metadata                            a column a field; those of the span stand for themselves,
                     a.py   0       {"rights":"ours"}                   and the metadata and breadcrumbs are JSON

Records arrive as lines of JSON, from any process, and are written immediately; only Parquet collects some thousand
rows.
"""

from __future__ import annotations

import csv
import enum
import io
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

from chunker.errors import MissingExtraError
from chunker.fields import TABLE_COLUMNS


class FileFormat(enum.StrEnum):
    """The formats of results."""

    TABLE = "table"
    JSONL = "jsonl"
    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"
    ARROW = "arrow"


# The format that a file name extension chooses; names without one, devices and pipes get a table.
ENDINGS = {
    "": FileFormat.TABLE,
    ".txt": FileFormat.TABLE,
    ".jsonl": FileFormat.JSONL,
    ".ndjson": FileFormat.JSONL,
    ".json": FileFormat.JSON,
    ".csv": FileFormat.CSV,
    ".parquet": FileFormat.PARQUET,
    ".arrow": FileFormat.ARROW,
    ".feather": FileFormat.ARROW,
}
# Column -> whether it has whole numbers; all others have strings.
Columns = Mapping[str, bool]
CHUNKS: Columns = TABLE_COLUMNS
_ROWS = 4096


def format_of(path: str) -> FileFormat | None:
    """Return the format for the name of a file; None for an extension without one.

    >>> format_of("a/chunks.PARQUET"), format_of("report"), format_of("chunks.xlsx")
    (<FileFormat.PARQUET: 'parquet'>, <FileFormat.TABLE: 'table'>, None)
    """
    if Path(path).exists() and not Path(path).is_file():
        return FileFormat.TABLE
    return ENDINGS.get(Path(path).suffix.lower())


def require_packages(wanted: FileFormat) -> None:
    """Raise `MissingExtraError` if a package that the format needs is not installed."""
    if wanted in {FileFormat.PARQUET, FileFormat.ARROW}:
        try:
            import pyarrow.parquet  # noqa: F401, PLC0415  # slow to import, and for who asks for it
        except ImportError as error:
            raise MissingExtraError("pyarrow", "arrow") from error


def record_writer(wanted: FileFormat, stream: BinaryIO, columns: Columns) -> RecordWriter:
    """Return a writer of records in a format; `columns` are those of CSV and Parquet."""
    makers: dict[FileFormat, Callable[[], RecordWriter]] = {
        FileFormat.JSONL: lambda: RecordWriter(stream),
        FileFormat.JSON: lambda: _JsonArray(stream),
        FileFormat.CSV: lambda: _Csv(stream, columns),
        FileFormat.PARQUET: lambda: _Tables(stream, columns, FileFormat.PARQUET),
        FileFormat.ARROW: lambda: _Tables(stream, columns, FileFormat.ARROW),
    }
    return makers[wanted]()


class RecordWriter:
    """A context manager that writes records, as they are; the file is complete at its end."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, lines: bytes) -> None:
        """Write records, each a line of JSON that ends in a line feed."""
        self._stream.write(lines)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._end()

    def _end(self) -> None:
        """Write the end of the file."""


class _JsonArray(RecordWriter):
    _before = b"[\n"

    def write(self, lines: bytes) -> None:
        for line in lines.splitlines():  # splits bytes at line feeds only, and JSON has none inside
            self._stream.write(self._before + line)
            self._before = b",\n"

    def _end(self) -> None:
        self._stream.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")


class _Csv(RecordWriter):
    def __init__(self, stream: BinaryIO, columns: Columns) -> None:
        super().__init__(stream)
        self._columns = columns
        self._write_rows([dict(zip(columns, columns, strict=True))])

    def write(self, lines: bytes) -> None:
        self._write_rows(_rows(lines))

    def _write_rows(self, rows: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> None:
        page = io.StringIO(newline="")
        csv.DictWriter(page, self._columns, extrasaction="raise", lineterminator="\n").writerows(rows)
        self._stream.write(page.getvalue().encode())


class _Tables(RecordWriter):
    """Parquet, or a file of Arrow's interprocess format."""

    def __init__(self, stream: BinaryIO, columns: Columns, wanted: FileFormat) -> None:
        import pyarrow as pa  # noqa: PLC0415  # see require_packages
        import pyarrow.parquet as pq  # noqa: PLC0415

        super().__init__(stream)
        self._schema = pa.schema([(name, pa.int64() if whole else pa.string()) for name, whole in columns.items()])
        self._table = pa.Table
        parquet = wanted is FileFormat.PARQUET
        self._file = pq.ParquetWriter(stream, self._schema) if parquet else pa.ipc.new_file(stream, self._schema)
        self._waiting: list[dict[str, Any]] = []

    def write(self, lines: bytes) -> None:
        self._waiting += _rows(lines)
        if len(self._waiting) >= _ROWS:
            self._flush()

    def _flush(self) -> None:
        self._file.write_table(self._table.from_pylist(self._waiting, self._schema))
        self._waiting = []

    def _end(self) -> None:
        if self._waiting:
            self._flush()
        self._file.close()


def _rows(lines: bytes) -> Iterator[dict[str, Any]]:
    """Convert records to rows: the fields of the span become columns, lists and objects become JSON.

    >>> list(_rows(b'{"source":"a","span":{"start":0},"metadata":{"rights":"ours"}}'))
    [{'source': 'a', 'start': 0, 'metadata': '{"rights":"ours"}'}]
    """
    for line in lines.splitlines():
        row: dict[str, Any] = {}
        for name, value in json.loads(line).items():
            if name == "span":
                row |= value
            else:
                row[name] = (
                    json.dumps(value, ensure_ascii=False, separators=(",", ":"))
                    if isinstance(value, dict | list)
                    else value
                )
        yield row
