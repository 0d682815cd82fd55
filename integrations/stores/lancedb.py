"""Vectors of an index in LanceDB: a folder, or object storage; no server.

    Index.open(".chunker", store="lancedb:vectors")
    Index.open(".chunker", store="lancedb:s3://bucket/vectors")

A table has the columns `key` (16 bytes, as 32 hexadecimal digits) and `vector` (float32). Search reads all vectors and
is exact; after `make_index` it reads only some of them and is approximate. Needs LanceDB: pip install
"bpe-chunker[lancedb]".
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from chunker.errors import MissingExtraError

try:
    import lancedb
    import numpy as np
    import pyarrow as pa
except ImportError as error:
    raise MissingExtraError(error.name or "lancedb", "lancedb") from error
from chunker.index.errors import VectorStoreError
from chunker.index.vector_stores import VectorStore, VectorTable, hide_folder
from chunker.index.vectors import Vectors

__all__ = ["LanceStore", "LanceTable"]

DEFAULT = "lancedb"
# The largest number of keys in one condition.
_KEYS = 500
# Each write creates a fragment and a version. Above this number fragments are merged, and old versions removed.
_FRAGMENTS = 64
_OLD = timedelta(minutes=10)


class LanceStore(VectorStore):
    """Tables in LanceDB.

    Args:
        place: A folder, or the URL of object storage.
    """

    def __init__(self, place: str = DEFAULT) -> None:
        self._place = place if "://" in place else os.path.realpath(place)

    @property
    def spec(self) -> str:
        """The name by which an index finds the store again."""
        return f"lancedb:{self._place}"

    def create(self, table: str, dimensions: int) -> None:
        """See `VectorStore.create`."""
        if "://" not in self._place:
            hide_folder(self._place)
        schema = pa.schema([pa.field("key", pa.string()), pa.field("vector", pa.list_(pa.float32(), dimensions))])
        with _telling(self._place):
            _connected(self._place).create_table(table, schema=schema, exist_ok=True)

    @contextlib.contextmanager
    def opened(self, table: str) -> Iterator[LanceTable]:
        """See `VectorStore.opened`."""
        with _telling(self._place):
            opened = _connected(self._place).open_table(table)
        yield LanceTable(opened, self._place)

    def discard(self, table: str) -> None:
        """See `VectorStore.discard`."""
        with _telling(self._place):
            _connected(self._place).drop_table(table, ignore_missing=True)

    def __repr__(self) -> str:
        return f"LanceStore({self._place!r})"


class LanceTable(VectorTable):
    """Vectors by key, in a table of LanceDB. `LanceStore.opened` makes it.

    Args:
        table: The table.
        place: The folder or URL, for messages.
    """

    def __init__(self, table: Any, place: str) -> None:  # noqa: ANN401  # LanceDB has no public type for all of its tables
        self._table = table
        self._place = place

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """See `VectorTable.put`."""
        schema = self._table.schema
        kind = schema.field("vector").type
        values = pa.FixedSizeListArray.from_arrays(
            pa.array(np.ascontiguousarray(vectors, np.float32).ravel()), type=kind
        )
        rows = pa.table([pa.array([key.hex() for key in keys]), values], schema=schema)
        with _telling(self._place):
            merge = self._table.merge_insert("key").when_matched_update_all().when_not_matched_insert_all()
            merge.execute(rows)
            if self._table.stats()["fragment_stats"]["num_fragments"] > _FRAGMENTS:
                self._table.optimize(cleanup_older_than=_OLD)

    def drop(self, keys: Sequence[bytes]) -> None:
        """See `VectorTable.drop`."""
        with _telling(self._place):
            for condition in _conditions(keys):
                self._table.delete(condition)

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """See `VectorTable.nearest`."""
        with _telling(self._place):
            query = self._table.search(np.asarray(vector, np.float32)).distance_type("dot").select(["key", "_distance"])
            found = query.limit(limit).to_arrow()
        # The distance of LanceDB is 1 - the product.
        return [bytes.fromhex(key) for key in found["key"].to_pylist()], [
            1 - far for far in found["_distance"].to_pylist()
        ]

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """See `VectorTable.vectors`."""
        found: dict[bytes, Vectors] = {}
        with _telling(self._place):
            for condition in _conditions(keys):
                rows = self._table.search().where(condition).limit(_KEYS).to_arrow()
                for key, vector in zip(rows["key"].to_pylist(), rows["vector"], strict=True):
                    found[bytes.fromhex(key)] = vector.values.to_numpy()
        return found

    def count(self) -> int:
        """Return the number of vectors."""
        with _telling(self._place):
            return int(self._table.count_rows())

    def make_index(self, **options: Any) -> None:  # noqa: ANN401  # those of LanceDB
        """Create a LanceDB index of the vectors. Search is then fast for millions of them, and approximate.

        Args:
            options: Those of LanceDB's `create_index`.

        Raises:
            VectorStoreError: LanceDB cannot be reached, or refuses.
        """
        with _telling(self._place):
            self._table.create_index(metric="dot", vector_column_name="vector", **options)


def _connected(place: str) -> Any:  # noqa: ANN401  # LanceDB has no public type for all of its connections
    return lancedb.connect(place)


def _conditions(keys: Sequence[bytes]) -> Iterator[str]:
    for start in range(0, len(keys), _KEYS):
        yield f"key IN ({', '.join(repr(key.hex()) for key in keys[start : start + _KEYS])})"


@contextlib.contextmanager
def _telling(place: str) -> Iterator[None]:
    """Raise errors of LanceDB as `VectorStoreError`."""
    try:
        yield
    except (OSError, ValueError, RuntimeError, pa.ArrowException) as error:
        raise VectorStoreError(f"LanceDB at {place}: {error}") from error
