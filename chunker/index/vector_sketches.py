"""Sketches of vectors: a bit for each number, by which a search finds the nearest of many without reading them all.

    vector, 512 numbers: 2,048 bytes   ->   rotated at random   ->   its signs: 64 bytes

The smaller the angle of two vectors, the fewer of their signs differ (Charikar, 2002). A search counts the differing
bits of all sketches, and compares the vectors of the best exactly. The rotation is one of signs and Walsh-Hadamard
transforms (Ailon and Chazelle, 2006), the same everywhere.

    vectors-3.bits   | header: how many rows it has | block 0: word 0 of 16,384 rows, word 1, ... | block 1 | ...

The file is computed from the vectors, and extended when many rows have no sketch yet. Sketches are flushed to the disk
before the header counts them, and a search compares rows without a sketch exactly. So the file may lag behind, be cut
off at any point, or be missing.
"""

from __future__ import annotations

import os
import struct
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.float32]
Bits = NDArray[np.uint64]

_MAGIC = b"BPEBIT01"
_HEADER = struct.Struct("<8sQQ")
_HEADER_BYTES = 64
_BLOCK = 16_384
# Rows that are rotated at a time.
_ROTATED = 1024
_ROUNDED = 2


def sketches_path(vectors: Path) -> Path:
    """The file of the sketches of a file of vectors."""
    return vectors.with_suffix(".bits")


class Sketches:
    """The sketches of the first rows of a file of vectors."""

    def __init__(self, path: Path, dimensions: int) -> None:
        """Raises FileNotFoundError if there are none, or none of such vectors."""
        self._dimensions = dimensions
        words = _words(dimensions)
        with path.open("rb") as file:
            header = file.read(_HEADER_BYTES)
            size = os.fstat(file.fileno()).st_size - _HEADER_BYTES
            if len(header) < _HEADER_BYTES or _HEADER.unpack_from(header)[:2] != (_MAGIC, dimensions):
                raise FileNotFoundError(path)
            blocks = size // (words * _BLOCK * 8)
            self._rows = int(min(_HEADER.unpack_from(header)[2], blocks * _BLOCK))
            shape = (blocks, words, _BLOCK)
            self._blocks: Bits = (
                np.asarray(np.memmap(file, "<u8", "r", _HEADER_BYTES, shape)) if blocks else np.zeros(shape, np.uint64)
            )

    def __len__(self) -> int:
        return self._rows

    def wrong(self, rows: Rows) -> int:
        """The number of sketches that do not match their rows; a bit or two may differ by the rounding of another machine."""
        found = 0
        for start in range(0, min(self._rows, len(rows)), _ROTATED):
            end = min(start + _ROTATED, self._rows, len(rows))
            block, first = self._blocks[start // _BLOCK], start % _BLOCK
            differing = np.bitwise_count(sketches_of(rows[start:end]) ^ block[:, first : first + end - start].T)
            found += int(np.count_nonzero(differing.sum(axis=1) > _ROUNDED))
        return found

    def nearest(self, query: Rows, number: int) -> NDArray[np.int64]:
        """The rows that differ from a vector in the fewest bits, ascending: at least `number`, and all ties of the last."""
        asked = sketches_of(query[None])[0]
        differing = np.empty((len(self._blocks), _BLOCK), np.uint16)
        rows = np.zeros(64 * len(asked) + 1, np.int64)  # by how many bits differ
        for number_of_block, block in enumerate(self._blocks):
            bits = differing[number_of_block]
            np.add.reduce(np.bitwise_count(block ^ asked[:, None]), axis=0, dtype=np.uint16, out=bits)
            rows += np.bincount(bits[: max(self._rows - number_of_block * _BLOCK, 0)], minlength=len(rows))
        known = differing.reshape(-1)[: self._rows]
        if number >= len(known):
            return np.arange(len(known))
        most = np.searchsorted(np.cumsum(rows), number)
        return np.flatnonzero(known <= most)


def sketched_rows(vectors: Path, dimensions: int) -> int:
    """The number of rows of a file of vectors that have a sketch."""
    found = opened(vectors, dimensions)
    return 0 if found is None else len(found)


def opened(vectors: Path, dimensions: int) -> Sketches | None:
    """The sketches of a file of vectors, if it has some."""
    try:
        return Sketches(sketches_path(vectors), dimensions)
    except FileNotFoundError:
        return None


def extend(path: Path, rows: Rows) -> None:
    """Add the sketches of the rows that have none yet."""
    dimensions = rows.shape[1]
    try:
        first = len(Sketches(path, dimensions))
    except FileNotFoundError:
        path.write_bytes(_HEADER.pack(_MAGIC, dimensions, 0).ljust(_HEADER_BYTES, b"\0"))
        first = 0
    size = _words(dimensions) * _BLOCK * 8
    with path.open("r+b") as file:
        for number in range(first // _BLOCK, -(-len(rows) // _BLOCK)):
            start = number * _BLOCK
            block = np.zeros((_words(dimensions), _BLOCK), "<u8")
            for at in range(start, min(start + _BLOCK, len(rows)), _ROTATED):
                part = sketches_of(rows[at : min(at + _ROTATED, start + _BLOCK)])
                block[:, at - start : at - start + len(part)] = part.T
            file.seek(_HEADER_BYTES + number * size)
            file.write(block.tobytes())
        file.flush()
        os.fsync(file.fileno())
        file.seek(0)
        file.write(_HEADER.pack(_MAGIC, dimensions, len(rows)))
        file.flush()
        os.fsync(file.fileno())


def sketches_of(rows: Rows) -> Bits:
    """The sketches of vectors, a row of 64-bit words each."""
    left, right, signs = _rotation(rows.shape[1])
    turned: Rows = np.zeros((len(rows), len(left), len(right)), np.float32)
    turned.reshape(len(rows), -1)[:, : rows.shape[1]] = rows
    for sign in signs:
        turned = np.matmul(left, np.matmul(turned * sign, right))
    return np.packbits(turned.reshape(len(rows), -1) > 0, axis=1).view("<u8")


@lru_cache(8)
def _rotation(dimensions: int) -> tuple[Rows, Rows, list[Rows]]:
    """Two Walsh-Hadamard matrices, whose Kronecker product is that of all dimensions, and the random signs of both rounds."""
    bits = _words(dimensions) * 64
    half = 1 << (bits.bit_length() // 2)
    left, right = _hadamard(bits // half), _hadamard(half)
    random = mixed(np.arange(2 * bits, dtype=np.uint64)) >> np.uint64(63)
    signs = np.where(random, np.float32(1), np.float32(-1)).reshape(2, len(left), len(right))
    return left, right, list(signs)


def _hadamard(size: int) -> Rows:
    numbers = np.arange(size, dtype=np.uint64)
    return np.where(np.bitwise_count(numbers[:, None] & numbers) & 1, np.float32(-1), np.float32(1))


def _words(dimensions: int) -> int:
    """The number of 64-bit words of a sketch, which has a bit for each dimension, rounded up to a power of two."""
    return max(1 << (dimensions - 1).bit_length(), 64) // 64


def mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64 (Steele et al., 2014): values that differ little come out far apart."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
