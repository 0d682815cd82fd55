"""Vectors of an index in PostgreSQL, with the extension pgvector (0.5 or newer).

    Index.open(".chunker", store="pgvector:postgresql://me@localhost/search")      the password is taken from PGPASSWORD or ~/.pgpass

A table has the columns `key bytea` and `embedding vector(n)`. Search reads all rows and is exact; `PgTable.make_index`
creates an index of pgvector, with which search is fast and approximate. The extension must be installed in the
database, or the user must be allowed to install it. Needs psycopg and pgvector: pip install "bpe-chunker[pgvector]".
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from chunker.errors import MissingExtraError

try:
    import numpy as np
    import psycopg
    from pgvector.psycopg import register_vector
    from psycopg import sql
except ImportError as error:
    raise MissingExtraError(error.name or "psycopg or pgvector", "pgvector") from error
from chunker.index.errors import VectorStoreError
from chunker.index.vector_stores import VectorStore, VectorTable, without_password
from chunker.index.vectors import Vectors

__all__ = ["PgStore", "PgTable"]

# An empty URL: environment variables such as PGHOST and PGDATABASE name the server and the database.
DEFAULT = "postgresql://"
_SECONDS = 30


class PgStore(VectorStore):
    """Tables of a database.

    Args:
        place: The URL of the database.
    """

    def __init__(self, place: str = DEFAULT) -> None:
        self._place = place

    @property
    def spec(self) -> str:
        """The name by which an index finds the store again; without the password."""
        return without_password(f"pgvector:{self._place}")

    def create(self, table: str, dimensions: int) -> None:
        """See `VectorStore.create`."""
        with self._connected() as connection:
            statement = sql.SQL("CREATE TABLE IF NOT EXISTS {} (key bytea PRIMARY KEY, embedding vector({}) NOT NULL)")
            connection.execute(statement.format(sql.Identifier(table), sql.Literal(dimensions)))

    @contextlib.contextmanager
    def opened(self, table: str) -> Iterator[PgTable]:
        """See `VectorStore.opened`."""
        with self._connected() as connection:
            opened = PgTable(connection, table, self._shown)
            opened.check()
            yield opened

    def discard(self, table: str) -> None:
        """See `VectorStore.discard`."""
        with self._connected() as connection:
            connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(table)))

    @property
    def _shown(self) -> str:
        return without_password(self._place)

    @contextlib.contextmanager
    def _connected(self) -> Iterator[psycopg.Connection[Any]]:
        with _telling(self._shown):
            # Each statement is a commit of its own. The server acknowledges it after writing it to disk.
            connection = psycopg.connect(self._place, autocommit=True, connect_timeout=_SECONDS)
            with contextlib.closing(connection):
                if connection.execute("SELECT 1 FROM pg_extension WHERE extname = 'vector'").fetchone() is None:
                    connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
                register_vector(connection)
                yield connection

    def __repr__(self) -> str:
        return f"PgStore({self._shown!r})"


class PgTable(VectorTable):
    """Vectors by key, in a table of PostgreSQL. `PgStore.opened` makes it.

    Args:
        connection: A connection to the database.
        name: The name of the table.
        place: The URL of the database, without its password, for messages.
    """

    def __init__(self, connection: psycopg.Connection[Any], name: str, place: str) -> None:
        self._connection = connection
        self._name = name
        self._place = place

    def check(self) -> None:
        """Check that the table exists.

        Raises:
            VectorStoreError: There is no such table.
        """
        if self._asked("SELECT to_regclass(%s)", (f'"{self._name}"',), named=False)[0][0] is None:
            raise VectorStoreError(f"PostgreSQL at {self._place}: there is no table {self._name}")

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """See `VectorTable.put`; all vectors are written in one commit."""
        names = sql.Identifier(f"{self._name}_new"), sql.Identifier(self._name)
        with _telling(self._place), self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.execute(sql.SQL("CREATE TEMPORARY TABLE {} (LIKE {}) ON COMMIT DROP").format(*names))
            with cursor.copy(sql.SQL("COPY {} FROM STDIN WITH (FORMAT BINARY)").format(names[0])) as copy:
                copy.set_types(["bytea", "vector"])
                for key, vector in zip(keys, np.asarray(vectors, np.float32), strict=True):
                    copy.write_row((key, vector))
            merged = "INSERT INTO {} SELECT * FROM {} ON CONFLICT (key) DO UPDATE SET embedding = excluded.embedding"
            cursor.execute(sql.SQL(merged).format(names[1], names[0]))

    def drop(self, keys: Sequence[bytes]) -> None:
        """See `VectorTable.drop`."""
        with _telling(self._place):
            statement = sql.SQL("DELETE FROM {} WHERE key = ANY(%s)").format(sql.Identifier(self._name))
            self._connection.execute(statement, (list(keys),))

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """See `VectorTable.nearest`."""
        # The operator of pgvector returns the negative product, so the smallest value is the nearest.
        query = "SELECT key, -(embedding <#> %s) FROM {} ORDER BY embedding <#> %s LIMIT %s"
        rows = self._asked(query, (vector, vector, limit))
        return [bytes(key) for key, _ in rows], [float(score) for _, score in rows]

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """See `VectorTable.vectors`."""
        rows = self._asked("SELECT key, embedding FROM {} WHERE key = ANY(%s)", (list(keys),))
        return {bytes(key): np.asarray(_numbers(vector), np.float32) for key, vector in rows}

    def count(self) -> int:
        """Return the number of vectors."""
        return int(self._asked("SELECT count(*) FROM {}", ())[0][0])

    def make_index(self, kind: str = "hnsw") -> None:
        """Create a pgvector index of the vectors, of at most 2,000 numbers each. Search is then fast and approximate.

        Args:
            kind: "hnsw" or "ivfflat".

        Raises:
            VectorStoreError: PostgreSQL cannot be reached, or refuses.
        """
        with _telling(self._place):
            statement = sql.SQL("CREATE INDEX ON {} USING {} (embedding vector_ip_ops)")
            self._connection.execute(statement.format(sql.Identifier(self._name), sql.Identifier(kind)))

    def _asked(self, query: str, values: Sequence[object], *, named: bool = True) -> list[Any]:
        names = [sql.Identifier(self._name)] if named else []
        with _telling(self._place):
            rows: list[Any] = self._connection.execute(sql.SQL(query).format(*names), values, binary=True).fetchall()
        return rows


def _numbers(vector: Any) -> Any:  # noqa: ANN401  # an array, or the class that pgvector has for it since 0.4.2
    return vector.to_numpy() if hasattr(vector, "to_numpy") else vector


@contextlib.contextmanager
def _telling(place: str) -> Iterator[None]:
    """Raise errors of PostgreSQL as `VectorStoreError`."""
    try:
        yield
    except psycopg.Error as error:
        raise VectorStoreError(f"PostgreSQL at {place}: {str(error).strip()}") from error
