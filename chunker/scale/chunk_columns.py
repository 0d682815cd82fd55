"""Chunks of many texts as Arrow columns: compiled code writes the buffers, without a Python object per chunk.

    text, pieces     "# A\\n...", [(0, 900, "", 212, "section"), ...]
    columns          text     offsets 0 900 1800 ..., bytes "# A\\n..."
                     start    0 900 ...
                     id       offsets 0 32 64 ..., bytes "62c1..."

`chunk_columns()` returns `CompiledColumns`, or without a compiled core `PythonColumns`, with equal results.
"""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa

from chunker.fields import content_hash_of, id_of
from chunker.growing.assembly import new_texts_of
from chunker.growing.compiled import ChunkMaker, CompiledChunks
from chunker.growing.spans import SpanMeter
from chunker.native import native

# The columns made from a text and its pieces, and their types. None: the type in which texts are returned.
COLUMNS: dict[str, pa.DataType | None] = {
    "text": None,
    "body": None,
    "context": None,
    "token_count": pa.int32(),
    "start": pa.int64(),
    "end": pa.int64(),
    "start_byte": pa.int64(),
    "end_byte": pa.int64(),
    "start_line": pa.int64(),
    "end_line": pa.int64(),
    "index": pa.int64(),
    "kind": pa.string(),
    "id": pa.string(),
    "content_hash": pa.string(),
}


class ChunkRows(Protocol):
    """Protocol of a collector of the chunks of several texts, one text after the other."""

    def add(self, text: str, maker: ChunkMaker, identity: bytes) -> list[int]:
        """Add the chunks that are made of a text, or none if an error is raised; `identity` is the common beginning of the
        hashes of their ids. Return where the new text of each begins, after its overlap.
        """
        ...

    def arrays(self, wide: pa.DataType) -> dict[str, pa.Array]:
        """Take the columns out. Texts have the type `wide`: string or large_string."""
        ...


def chunk_columns(size: int = 0) -> ChunkRows:
    """Return columns without rows; `size` is about the number of bytes that the texts will have."""
    compiled = native()
    return PythonColumns() if compiled is None else CompiledColumns(compiled.ChunkColumns(size))


class CompiledColumns:
    """See `ChunkRows`."""

    def __init__(self, columns: Any) -> None:  # noqa: ANN401  # a class of the compiled module
        self._columns = columns
        self._rows = 0

    def add(self, text: str, maker: ChunkMaker, identity: bytes) -> list[int]:
        """See `ChunkRows`."""
        if isinstance(maker, CompiledChunks):
            fresh = maker.put_into(self._columns, identity)
        else:  # of Python: a chunker of another class may make its chunks itself
            pieces = list(maker.pieces())
            self._columns.add(text, pieces, identity)
            fresh = list(new_texts_of(pieces))
        self._rows += len(fresh)
        return fresh

    def arrays(self, wide: pa.DataType) -> dict[str, pa.Array]:
        """See `ChunkRows`."""
        buffers = self._columns.take(pa.types.is_large_string(wide))
        rows, self._rows = self._rows, 0
        return {
            name: pa.Array.from_buffers(wide if kind is None else kind, rows, [None, *map(pa.py_buffer, buffers[name])])
            for name, kind in COLUMNS.items()
        }


class PythonColumns:
    """See `ChunkRows`."""

    def __init__(self) -> None:
        self._rows: list[tuple[Any, ...]] = []

    def add(self, text: str, maker: ChunkMaker, identity: bytes) -> list[int]:
        """See `ChunkRows`."""
        pieces = list(maker.pieces())
        measure = SpanMeter(text).measure
        for index, (start, end, context, tokens, label) in enumerate(pieces):
            body = text[start:end]
            whole = context + body
            self._rows.append(
                (
                    *(whole, body, context, tokens, start, end, *measure(start, end)),
                    *(index, label, id_of(identity, start, whole), content_hash_of(whole)),
                )
            )
        return list(new_texts_of(pieces))

    def arrays(self, wide: pa.DataType) -> dict[str, pa.Array]:
        """See `ChunkRows`."""
        values = zip(*self._rows, strict=True) if self._rows else ((),) * len(COLUMNS)
        return {
            name: pa.array(column, wide if kind is None else kind)
            for (name, kind), column in zip(COLUMNS.items(), values, strict=True)
        }
