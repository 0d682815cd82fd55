"""An index whose vectors are in a store: the order of writing, and the snapshots of readers.

    book    pending: k1 k2                embeddings: k1 k2
              |                             ^
    store     +-->  put k1 k2  -- ok -------+            killed in between: k1 and k2 are dropped by who writes next

`vector_stores` says what a store is.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from chunker.index.mending import MendingWriter
from chunker.index.schema import transaction
from chunker.index.settings import Settings
from chunker.index.settling import Settling
from chunker.index.vector_stores import VectorStore, VectorTable
from chunker.index.vectors import Vectors, checksum
from chunker.index.writing import SPARE

PENDING = "CREATE TABLE pending (key BLOB PRIMARY KEY) WITHOUT ROWID"
# Keys that go to a store at a time.
_KEYS = 900


@dataclass(frozen=True, slots=True)
class TableName:
    """The name of the table of one index. `generation` grows each time the index begins anew with another embedder."""

    identifier: str
    generation: int

    def __str__(self) -> str:
        return f"bpe_chunker_{self.identifier}_{self.generation}"

    @classmethod
    def new(cls) -> TableName:
        """A new, unique name."""
        return cls(secrets.token_hex(8), 0)


class StoredRows:
    """The vectors of a snapshot, read from the store; rows are numbers of the database."""

    def __init__(self, connection: sqlite3.Connection, table: VectorTable) -> None:
        self._connection = connection
        self._table = table

    def __len__(self) -> int:
        """The most vectors that the store may hold: those that are pending may have arrived."""
        return self._count("SELECT (SELECT count(*) FROM embeddings) + (SELECT count(*) FROM pending)")

    def __getitem__(self, row: int) -> Vectors:
        return self.take([row])[row]

    def best(self, query: Vectors, limit: int) -> tuple[NDArray[np.int64], Vectors]:
        """The rows with the largest dot product with `query`, at most `limit`, best first, and these products."""
        keys, scores = self._table.nearest(query, limit) if limit else ([], [])
        rows = dict(self._known("SELECT key, row FROM embeddings WHERE key IN ({})", keys))
        found = sorted(
            ((rows[key], score) for key, score in zip(keys, scores, strict=True) if key in rows),
            key=lambda one: (-one[1], one[0]),
        )
        return np.array([row for row, _ in found], np.int64), np.array([score for _, score in found], np.float32)

    def take(self, rows: Sequence[int]) -> dict[int, Vectors]:
        """Row -> vector, of those rows that have one."""
        keys = dict(self._known("SELECT key, row FROM embeddings WHERE row IN ({})", rows))
        return {keys[key]: vector for part in _parts(list(keys)) for key, vector in self._table.vectors(part).items()}

    def similarities(self, rows: Sequence[int], query: Vectors) -> dict[int, float]:
        """Row -> dot product with a vector, of those rows that have one."""
        return {row: float(np.dot(vector, query)) for row, vector in self.take(rows).items()}

    def surplus(self) -> int:
        """The number of vectors in the store that the database does not know."""
        return max(self._table.count() - len(self), 0)

    def wrong_sketches(self) -> int:
        """0: a store has no sketches."""
        return 0

    def _count(self, query: str) -> int:
        return int(self._connection.execute(query).fetchone()[0])

    def _known(self, query: str, values: Sequence[object]) -> Iterator[tuple[bytes, int]]:
        for part in _parts(values):
            yield from self._connection.execute(query.format(", ".join("?" * len(part))), list(part))


class StoreWriter(MendingWriter):
    """Changes an index whose vectors are in a store."""

    def __init__(
        self, folder: Path, connection: sqlite3.Connection, full_text: Settling, store: VectorStore, table: VectorTable
    ) -> None:
        super().__init__(folder, connection, full_text)
        self._store = store
        self._table = table

    def tidy(self) -> None:
        """Drop what a killed run left in the store, and the table of an earlier generation."""
        discarded = self._text_or_none("discarded")
        if discarded:
            self._store.discard(discarded)
            self._set("discarded", "")
        pending = [key for (key,) in self._connection.execute("SELECT key FROM pending")]
        for part in _parts(pending):
            self._table.drop(part)
            self._settle(part)

    def add_vectors(self, keys: Sequence[bytes], tokens: Sequence[int], vectors: Vectors) -> None:
        """Keep the vectors of keys that have none; when this returns, they are there for good."""
        with transaction(self._connection):
            self._connection.executemany("INSERT OR IGNORE INTO pending VALUES (?)", ((key,) for key in keys))
        for part in range(0, len(keys), _KEYS):
            self._table.put(keys[part : part + _KEYS], vectors[part : part + _KEYS])
        with transaction(self._connection):
            first = self._meta("rows")
            rows = [(key, first + number, checksum(vectors[number]), tokens[number]) for number, key in enumerate(keys)]
            self._connection.executemany(
                "INSERT INTO embeddings (key, row, checksum, tokens) VALUES (?, ?, ?, ?)", rows
            )
            self._connection.executemany("DELETE FROM pending WHERE key = ?", ((key,) for key in keys))
            self._set("rows", first + len(rows))

    def _lost(self, *, check: bool) -> set[int] | None:
        """The rows that the store has lost or changed; None without `check`, because only a check reads the store."""
        if not check:
            return None
        written = dict(self._connection.execute("SELECT row, checksum FROM embeddings WHERE row >= 0"))
        rows, found = list(written), StoredRows(self._connection, self._table)
        for part in range(0, len(rows), _KEYS):
            for row, vector in found.take(rows[part : part + _KEYS]).items():
                if checksum(vector) == written[row]:
                    del written[row]
        return set(written)

    def _without(self, lost: set[int]) -> None:
        """Note in the database that vectors are lost."""
        with transaction(self._connection):
            self._connection.executemany("UPDATE embeddings SET row = -id WHERE row = ?", ((row,) for row in lost))

    def _drop_waiting(self) -> None:
        """Forget embeddings that wait for a vector but have no place any more, in the store too."""
        which = "WHERE row < 0 AND places = 0"
        with transaction(self._connection):
            self._connection.execute(f"INSERT OR IGNORE INTO pending SELECT key FROM embeddings {which}")  # noqa: S608  # texts of ours
            self._connection.execute(f"DELETE FROM embeddings {which}")  # noqa: S608  # likewise
        self.tidy()

    def _keep_again(self, numbers: Sequence[int], vectors: Vectors, first: int) -> None:  # noqa: ARG002  # rows are numbers of the book
        """Put the vectors of some embeddings again."""
        ask = "SELECT key FROM embeddings WHERE id = ?"
        keys = [self._connection.execute(ask, (number,)).fetchone()[0] for number in numbers]
        for part in range(0, len(keys), _KEYS):
            self._table.put(keys[part : part + _KEYS], vectors[part : part + _KEYS])

    def drop_spare(self, *, everything: bool = False) -> int:
        """Drop the vectors without places if they are too many; how many went."""
        self._full_text.settle()
        spare, needed = self._spare_and_needed()
        if not spare or (spare <= needed + SPARE and not everything):
            return 0
        with transaction(self._connection):
            self._connection.execute("INSERT OR IGNORE INTO pending SELECT key FROM embeddings WHERE places = 0")
            self._connection.execute("DELETE FROM embeddings WHERE places = 0")
        self.tidy()
        return spare

    def _begin_anew(self) -> None:
        """Part of the commit that restarts the index with another embedder: forget all vectors, and name the table of the new ones."""
        name = table_name(self._connection)
        self._connection.execute("DELETE FROM embeddings")
        self._connection.execute("DELETE FROM pending")
        self._set("rows", 0)
        self._set("generation", name.generation + 1)
        self._set("discarded", str(name))

    def _prepare_anew(self, settings: Settings) -> None:
        """Create that table, before the commit of `_begin_anew`."""
        name = table_name(self._connection)
        self._store.create(str(TableName(name.identifier, name.generation + 1)), settings.dimensions)

    def _settle(self, keys: Iterable[bytes]) -> None:
        with transaction(self._connection):
            self._connection.executemany("DELETE FROM pending WHERE key = ?", ((key,) for key in keys))

    def _text_or_none(self, name: str) -> str:
        found = self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return "" if found is None else str(found[0])


def table_name(connection: sqlite3.Connection) -> TableName:
    """The name of the table that the database refers to."""
    ask = "SELECT value FROM meta WHERE name = ?"
    identifier, generation = (connection.execute(ask, (name,)).fetchone()[0] for name in ("store_id", "generation"))
    return TableName(str(identifier), int(generation))


def meta_of(store: VectorStore, name: TableName) -> dict[str, str]:
    """The notes of a new index about its store."""
    return {"store": json.dumps(store.spec), "store_id": name.identifier, "discarded": ""}


def _parts(values: Sequence[object]) -> Iterator[list[bytes]]:
    for start in range(0, len(values), _KEYS):
        yield list(values[start : start + _KEYS])  # type: ignore[arg-type]  # keys, or rows for a query
