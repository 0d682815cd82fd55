"""Vectors in one file of float32 rows that only grows, mapped into memory for searches.

    vectors-3.f32   | header, 64 bytes | row 0 | row 1 | ... | row n-1 | rows of a run that was killed
                                                                       ^ the database says how many rows there are

Rows are flushed to the disk before the database commits to them, so each row that it knows of is there. Rows that a
killed run left after its last commit are overwritten. A row never changes, so a reader is not disturbed by later
commits. Rows that nothing needs are dropped when the file is written anew under the next number (`rewritten`); readers
of the old file keep it.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chunker.index.errors import DamagedIndexError
from chunker.index.vector_sketches import Sketches

Vectors = NDArray[np.float32]
"""Vectors, one a row."""

HEADER_BYTES = 64
_MAGIC = b"BPEVEC01"
_HEADER = struct.Struct("<8sII")
# The advice in messages about missing rows.
MENDED = "the next sync (`chunker index PATHS`) embeds damaged texts again"
# Rows that a search or a copy reads at a time, to need little memory beside the file.
BLOCK_ROWS = 8192
_NEAR_ROWS = 256
# Rows that are compared exactly once their sketches are near: at least COMPARED, and so many for each hit. Sketches are
# used only where they save three quarters of the rows.
COMPARED = 4096
_COMPARED_EACH = 8
_LEAST_SAVED = 4


def vectors_path(folder: Path, generation: int) -> Path:
    """The file of the rows of this generation."""
    return folder / f"vectors-{generation}.f32"


def checksum(row: Vectors) -> int:
    """The CRC-32 of the bytes of a row."""
    return zlib.crc32(np.ascontiguousarray(row, "<f4").tobytes())


def create(path: Path, dimensions: int, generation: int) -> None:
    """Make a file without rows."""
    with path.open("wb") as file:
        file.write(_HEADER.pack(_MAGIC, dimensions, generation).ljust(HEADER_BYTES, b"\0"))
        _flush(file.fileno())


def write_rows(path: Path, first: int, rows: Vectors) -> None:
    """Write rows from number `first` on, and wait until they are on the disk."""
    with path.open("r+b") as file:
        file.seek(HEADER_BYTES + first * rows.shape[1] * 4)
        file.write(np.ascontiguousarray(rows, "<f4").tobytes())
        file.truncate()
        _flush(file.fileno())


def map_rows(path: Path, dimensions: int, rows: int) -> Vectors:
    """The first `rows` rows, as a view of the file. Raises `DamagedIndexError` if it has no such rows, and FileNotFoundError."""
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
        size = os.fstat(file.fileno()).st_size
        if len(header) < HEADER_BYTES or _HEADER.unpack_from(header)[:2] != (_MAGIC, dimensions):
            raise DamagedIndexError(f"{path.name} does not begin as vectors of {dimensions} dimensions; {MENDED}")
        if size < HEADER_BYTES + rows * dimensions * 4:
            raise DamagedIndexError(f"{path.name} is too short for its {rows:,} vectors; {MENDED}")
        if rows == 0:
            return np.zeros((0, dimensions), np.float32)
        # As a plain array: each slice of a memmap costs microseconds.
        return np.asarray(np.memmap(file, "<f4", "r", HEADER_BYTES, (rows, dimensions)))


def rows_there(path: Path, dimensions: int) -> int | None:
    """The number of whole rows in a file; None if it is not there, or does not begin as vectors of so many dimensions."""
    try:
        map_rows(path, dimensions, 0)
        return (path.stat().st_size - HEADER_BYTES) // (dimensions * 4)
    except (DamagedIndexError, FileNotFoundError):
        return None


def rewritten(source: Vectors, kept: Iterable[int], path: Path, generation: int) -> None:
    """Write the rows `kept`, in their order, to a new file, and wait until it is on the disk."""
    create(path, source.shape[1], generation)
    with path.open("ab") as file:
        for numbers in _blocks(kept):
            file.write(np.ascontiguousarray(source[numbers], "<f4").tobytes())
        file.flush()
        _flush(file.fileno())


def _blocks(numbers: Iterable[int]) -> Iterator[list[int]]:
    block: list[int] = []
    for number in numbers:
        block.append(number)
        if len(block) == BLOCK_ROWS:
            yield block
            block = []
    if block:
        yield block


def best_rows(rows: Vectors, query: Vectors, limit: int) -> tuple[NDArray[np.int64], Vectors]:
    """The numbers of the `limit` rows with the largest dot product with `query`, best first, and these products. Exact.

    Of equal ones the lower number is first. Reads each row once; O(rows x dimensions).
    """
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), BLOCK_ROWS):
        np.dot(rows[start : start + BLOCK_ROWS], query, out=scores[start : start + BLOCK_ROWS])
    best = _largest(scores, limit)
    return best, scores[best]


def products(rows: Vectors, numbers: NDArray[np.int64], query: Vectors) -> Vectors:
    """The dot products of some rows with a vector. The rows are brought together a few at a time, in memory that the processor keeps near."""
    scores = np.empty(len(numbers), np.float32)
    near = np.empty((_NEAR_ROWS, rows.shape[1]), np.float32)
    for start in range(0, len(numbers), _NEAR_ROWS):
        part = numbers[start : start + _NEAR_ROWS]
        # Without "clip" numpy would go by a copy of its own.
        np.take(rows, part, axis=0, out=near[: len(part)], mode="clip")
        np.dot(near[: len(part)], query, out=scores[start : start + len(part)])
    return scores


def _largest(scores: Vectors, limit: int) -> NDArray[np.int64]:
    """The numbers of the largest scores, best first; of equal ones the lower number is first."""
    if limit < len(scores):
        threshold = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        numbers = np.flatnonzero(scores >= threshold)
    else:
        numbers = np.arange(len(scores))
    return numbers[np.lexsort((numbers, -scores[numbers]))[:limit]]


class MappedRows:
    """The rows of a snapshot, in the file. Where there are many, only rows with near `sketches`, or without one, are compared exactly."""

    def __init__(self, rows: Vectors, sketches: Sketches | None = None) -> None:
        self._rows = rows
        self._sketches = sketches

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, row: int) -> Vectors:
        vector: Vectors = self._rows[row]
        return vector

    def best(self, query: Vectors, limit: int) -> tuple[NDArray[np.int64], Vectors]:
        """See `best_rows`. Exact for few rows, and for a large part of all."""
        compared = max(COMPARED, _COMPARED_EACH * limit)
        sketched = 0 if self._sketches is None else min(len(self._sketches), len(self._rows))
        if self._sketches is None or sketched < compared * _LEAST_SAVED:
            return best_rows(self._rows, query, limit)
        near = self._sketches.nearest(query, compared)
        numbers = np.concatenate([near[near < sketched], np.arange(sketched, len(self._rows))])
        scores = products(self._rows, numbers, query)
        best = _largest(scores, limit)
        return numbers[best], scores[best]

    def take(self, rows: Sequence[int]) -> dict[int, Vectors]:
        """Row -> vector, of those rows that exist."""
        return {row: self._rows[row] for row in rows if 0 <= row < len(self._rows)}

    def similarities(self, rows: Sequence[int], query: Vectors) -> dict[int, float]:
        """Row -> dot product with a vector, of those rows that exist."""
        there = [row for row in rows if 0 <= row < len(self._rows)]
        return dict(zip(there, products(self._rows, np.array(there, np.int64), query).tolist(), strict=True))

    def surplus(self) -> int:
        """The number of vectors that the database does not know: none, for a snapshot has no rows of a killed run."""
        return 0

    def wrong_sketches(self) -> int:
        """The number of sketches that do not match their rows."""
        return 0 if self._sketches is None else self._sketches.wrong(self._rows)


def unit_rows(rows: Vectors) -> Vectors:
    """The rows with length 1; rows of zeros stay what they are."""
    lengths = np.linalg.norm(rows.astype(np.float64), axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)


def _flush(handle: int) -> None:
    os.fsync(handle)
