"""A vector store of your own: vectors of an index in one SQLite file.

    python examples/sqlite_store.py

A package that names `SqliteStore` under the entry point group `bpe_chunker.stores` as `sqlite` makes this work from
anywhere:

    chunker index . --store sqlite:vectors.db

Search reads all vectors, so this is for some ten thousand of them. Needs numpy: pip install "bpe-chunker[index]".
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from chunker.index import Index, Vectors, VectorStoreError

_DTYPE = np.dtype("<f4")  # the same bytes on every machine


@contextmanager
def _told(action: str) -> Iterator[None]:
    """Every failure is a `VectorStoreError`, which names the action that failed."""
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        raise VectorStoreError(f"SQLite: cannot {action}: {error}") from error


def _quoted(table: str) -> str:
    return '"' + table.replace('"', '""') + '"'


class SqliteTable:
    """The vectors of one index in a table of SQLite. A commit is on the disk, so what was put is there for good."""

    def __init__(self, connection: sqlite3.Connection, table: str) -> None:
        self._connection = connection
        self._table = _quoted(table)

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors; a key that was there gets the new one."""
        rows = [(key, row.tobytes()) for key, row in zip(keys, vectors.astype(_DTYPE), strict=True)]
        with _told("put vectors"), self._connection:
            self._connection.executemany(f"INSERT OR REPLACE INTO {self._table} VALUES (?, ?)", rows)  # noqa: S608  # a quoted name

    def drop(self, keys: Sequence[bytes]) -> None:
        """Remove vectors, where there are any."""
        with _told("drop vectors"), self._connection:
            self._connection.executemany(f"DELETE FROM {self._table} WHERE key = ?", [(key,) for key in keys])  # noqa: S608  # a quoted name

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """The keys of the largest dot products with a vector, best first, and the products."""
        with _told("search"):
            found = self._connection.execute(f"SELECT key, vector FROM {self._table} ORDER BY key").fetchall()  # noqa: S608  # a quoted name
        if not found:
            return [], []
        products = np.frombuffer(b"".join(row for _, row in found), _DTYPE).reshape(len(found), -1) @ vector
        best = np.argsort(-products, kind="stable")[:limit]
        return [found[row][0] for row in best], [float(products[row]) for row in best]

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors of those keys that have one, bit by bit as they were put."""
        ask = f"SELECT vector FROM {self._table} WHERE key = ?"  # noqa: S608  # a quoted name
        with _told("read vectors"):
            found = ((key, self._connection.execute(ask, (key,)).fetchone()) for key in keys)
            return {key: np.frombuffer(row[0], _DTYPE).astype(np.float32) for key, row in found if row is not None}

    def count(self) -> int:
        """The number of vectors."""
        with _told("count"):
            return int(self._connection.execute(f"SELECT count(*) FROM {self._table}").fetchone()[0])  # noqa: S608  # a quoted name


class SqliteStore:
    """Tables in one SQLite file. Each `opened` has a connection of its own, so threads may share a store."""

    def __init__(self, place: str = "vectors.db") -> None:
        self._path = Path(place).expanduser().resolve()
        # Absolute: the index is opened from other folders, too.
        self.spec = f"sqlite:{self._path}"

    def create(self, table: str, dimensions: int) -> None:
        """Make a table without vectors; nothing if it is there."""
        columns = f"key BLOB PRIMARY KEY, vector BLOB NOT NULL CHECK (length(vector) = {_DTYPE.itemsize * dimensions})"
        with self._connected(f"create a table in {self._path}") as connection:
            connection.execute(f"CREATE TABLE IF NOT EXISTS {_quoted(table)} ({columns}) WITHOUT ROWID")

    @contextmanager
    def opened(self, table: str) -> Iterator[SqliteTable]:
        """A table, for as long as the context lasts."""
        with self._connected(f"open a table of {self._path}") as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            if (table,) not in names:
                raise VectorStoreError(f"SQLite: {self._path} has no table {table}")
            yield SqliteTable(connection, table)

    def discard(self, table: str) -> None:
        """Remove a table with all its vectors, if it is there."""
        with self._connected("discard a table") as connection:
            connection.execute(f"DROP TABLE IF EXISTS {_quoted(table)}")

    @contextmanager
    def _connected(self, action: str) -> Iterator[sqlite3.Connection]:
        with _told(action), closing(sqlite3.connect(self._path, timeout=30)) as connection:
            yield connection


def main() -> None:
    """Index three notes, with their vectors in SQLite, and search them."""
    with tempfile.TemporaryDirectory() as name:
        notes = Path(name) / "notes"
        notes.mkdir()
        for word in ("apple", "badger", "candle"):
            (notes / f"{word}.txt").write_text(f"The {word} is described here.\n", encoding="utf-8")
        index = Index.open(Path(name) / "index", root=notes, store=SqliteStore(f"{name}/vectors.db"))
        print(f"{index.sync(notes).computed} vectors in SQLite")
        for hit in index.search("badgers", limit=1, by="vectors"):
            print(f"{hit.source}: {hit.body.strip()}")


if __name__ == "__main__":
    main()
