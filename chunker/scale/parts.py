"""List, read and write the parts of a corpus, on a disk or in object storage.

    s3://bucket/corpus/2024/a.parquet        FileSystem.from_uri: files, S3, Google Cloud Storage, Azure, HDFS
    memory://corpus/b.jsonl.gz               any other URL: through fsspec, if that knows it

Files whose names begin with "." or "_" are not parts, as in Spark and Hive. A part of any size is read in tables of a
limited number of rows.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, get_args

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from chunker.arguments import require
from chunker.errors import MissingExtraError, OptionError
from chunker.scale.errors import PartError
from chunker.scale.json_lines import line_tables, schema_of_lines

Output = Literal["parquet", "jsonl"]
OUTPUTS: tuple[str, ...] = get_args(Output)

_PARQUET = (".parquet", ".pq")
_LINES = tuple(f"{name}{packed}" for name in (".jsonl", ".ndjson", ".json") for packed in ("", ".gz", ".zst", ".bz2"))
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# A row group is written when it has this many bytes: small row groups make a file slow to read.
_GROUP_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """A file of a corpus: its name below the root of the corpus, its size in bytes, and its time of modification in
    nanoseconds (0 if unknown).
    """

    name: str
    size: int
    modified: int


class Location:
    """A folder or a single file in a file system. Pickled as its URL or path."""

    def __init__(self, url: str | os.PathLike[str]) -> None:
        require(url, (str, os.PathLike), "a source or target", "a path or a URL")
        self.url = os.fspath(url)
        self.files, self.root = _filesystem(self.url)

    def __reduce__(self) -> tuple[Any, ...]:
        return Location, (self.url,)

    def path(self, name: str) -> str:
        """Return the path of the file of this name, for `files`."""
        return f"{self.root.rstrip('/')}/{name}" if name else self.root

    def parts(self) -> list[CorpusPart]:
        """Return the parts below the folder, sorted by name; one part without a name if this is a file. Raises
        `PartError`.
        """
        try:
            root = self.files.get_file_info(self.root)
            if root.type == pa.fs.FileType.File:
                return [CorpusPart("", root.size or 0, root.mtime_ns or 0)]
            if root.type == pa.fs.FileType.NotFound:
                raise PartError(f"{self.url}: there is nothing here")
            found = self.files.get_file_info(pa.fs.FileSelector(self.root, recursive=True))
        except OSError as error:
            raise PartError(f"{self.url}: {error}") from error
        names = {_below(self.root, file.path): file for file in found if file.type == pa.fs.FileType.File}
        return [
            CorpusPart(name, file.size or 0, file.mtime_ns or 0)
            for name, file in sorted(names.items())
            if _is_part(name)
        ]

    def remove(self, pattern: re.Pattern[str], folder: str) -> None:
        """Remove the files of a folder whose names match `pattern`."""
        selector = pa.fs.FileSelector(self.path(folder), allow_not_found=True)
        for file in self.files.get_file_info(selector):
            if pattern.fullmatch(file.base_name):
                self.files.delete_file(file.path)

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write a file, completely or not at all."""
        self._make_folder(name)
        temporary = self.path(f"{name}.partial")
        with self.files.open_output_stream(temporary) as stream:
            stream.write(content)
        self.files.move(temporary, self.path(name))

    def _make_folder(self, name: str) -> None:
        self.files.create_dir(self.path(name.rpartition("/")[0]), recursive=True)

    def put(self, temporary: str, name: str) -> None:
        """Rename a finished temporary file."""
        self.files.move(self.path(temporary), self.path(name))

    def writer(self, name: str, schema: pa.Schema, output: Output) -> PartWriter:
        """Return a writer of tables with this schema."""
        self._make_folder(name)
        return PartWriter(self.files.open_output_stream(self.path(name)), schema, output)


def read_tables(place: Location, part: CorpusPart, rows: int) -> Iterator[pa.Table]:
    """Yield the tables of a part, each of at most `rows` rows. Raises `PartError`."""
    path = place.path(part.name)
    told = part.name or place.url
    try:
        if path.lower().endswith(_PARQUET):
            with place.files.open_input_file(path) as file:
                parquet = pq.ParquetFile(file)
                if not parquet.metadata.num_rows:
                    yield parquet.schema_arrow.empty_table()
                # Without threads: for more speed, use more workers.
                for batch in parquet.iter_batches(batch_size=rows, use_threads=False):
                    yield pa.Table.from_batches([batch])
        elif path.lower().endswith(_LINES):
            # Read the file twice: even the last line may add a column or change the type of one.
            with place.files.open_input_stream(path, compression="detect") as stream:
                schema = schema_of_lines(stream, told)
            with place.files.open_input_stream(path, compression="detect") as stream:
                yield from line_tables(stream, told, rows, schema)
        else:
            raise PartError(f"{told}: its name ends with none of {', '.join((*_PARQUET, *_LINES))}")
    except (OSError, pa.ArrowException) as error:
        raise PartError(f"{told}: {error}") from error


class PartWriter:
    """Writes tables to a stream: as parquet in row groups, or as JSON Lines. A context manager."""

    def __init__(self, stream: Any, schema: pa.Schema, output: Output) -> None:  # noqa: ANN401  # a stream of Arrow
        self._stream = stream
        self._parquet = pq.ParquetWriter(stream, schema, compression="zstd") if output == "parquet" else None
        self._waiting: list[pa.Table] = []
        self._bytes = 0

    def write(self, table: pa.Table) -> None:
        """Add the rows of a table."""
        if self._parquet is None:
            for row in table.to_pylist():
                self._stream.write(json.dumps(row, ensure_ascii=False, default=_as_json).encode() + b"\n")
            return
        self._waiting.append(table)
        self._bytes += table.nbytes
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the remaining rows and complete the file."""
        if self._parquet is not None:
            self._flush()
            self._parquet.close()
        self._stream.close()

    def _flush(self) -> None:
        if self._waiting and self._parquet is not None:
            self._parquet.write_table(pa.concat_tables(self._waiting))
        self._waiting, self._bytes = [], 0


def _filesystem(url: str) -> tuple[Any, str]:
    """Return the file system of a URL or path, and the path in it."""
    if not _URL.match(url):
        return pa.fs.LocalFileSystem(), os.path.realpath(url).replace(os.sep, "/")
    try:
        files, path = pa.fs.FileSystem.from_uri(url)
        return files, path
    except pa.ArrowInvalid as error:
        try:
            import fsspec.core  # noqa: PLC0415  # only for URLs that Arrow does not know
        except ImportError:
            raise MissingExtraError("fsspec", "arrow") from error
        try:
            found, path = fsspec.core.url_to_fs(url)
        except (ValueError, ImportError) as reason:
            raise OptionError(f"{url}: {reason}") from reason
        return pa.fs.PyFileSystem(pa.fs.FSSpecHandler(found)), path
    except OSError as error:
        raise PartError(f"{url}: {error}") from error


def _below(root: str, path: str) -> str:
    return path.lstrip("/").removeprefix(root.strip("/") + "/")


def _is_part(name: str) -> bool:
    hidden = any(step.startswith((".", "_")) for step in name.split("/"))
    return not hidden and name.lower().endswith((*_PARQUET, *_LINES))


def _as_json(value: object) -> str:
    """Convert a value that JSON lacks (a date, a decimal, bytes) to a string."""
    return value.hex() if isinstance(value, bytes) else str(value)
