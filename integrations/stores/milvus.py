"""Vectors of an index in Milvus: a file of this machine (Milvus Lite), or a server.

    Index.open(".chunker", store="milvus:vectors.db")                  a file, for one process at a time
    Index.open(".chunker", store="milvus:http://localhost:19530")      the token is taken from MILVUS_TOKEN

An entity has the key (32 hexadecimal digits) and the vector. Search compares every vector (an index FLAT), and returns
at most 16,384 results. Needs pymilvus, and milvus-lite for files: pip install "bpe-chunker[milvus]".
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from chunker.errors import MissingExtraError

try:
    import numpy as np
    from pymilvus import DataType, MilvusClient
    from pymilvus.exceptions import MilvusException
except ImportError as error:
    raise MissingExtraError(error.name or "pymilvus", "milvus") from error
from chunker.index.errors import VectorStoreError
from chunker.index.vector_stores import VectorStore, VectorTable, hide_folder, without_password
from chunker.index.vectors import Vectors
from chunker.integrations.stores.shared_client import SharedClient

__all__ = ["MilvusStore", "MilvusTable"]

DEFAULT = "milvus/vectors.db"
# Entities per request, and the largest number of results of a search.
_ENTITIES = 500
_MOST = 16_384
# The number of stores in this process that have a file open.
_OPEN: Counter[str] = Counter()
_LOCK = threading.Lock()


class MilvusStore(VectorStore):
    """Collections of Milvus, in a file or on a server.

    Args:
        place: A file whose name ends with .db, or the URL of a server.
        token: The token for the server; by default the environment variable `MILVUS_TOKEN`.
    """

    def __init__(self, place: str = DEFAULT, *, token: str | None = None) -> None:
        self._is_server = "://" in place
        named = place if self._is_server or place.endswith(".db") else os.path.join(place, "vectors.db")  # noqa: PTH118  # it may be a URL
        self._place = named if self._is_server else os.path.realpath(named)
        self._token = token
        # A file allows only one client, which all threads share.
        self._client = SharedClient(self._made, self._closed)

    @property
    def spec(self) -> str:
        """The name by which an index finds the store again."""
        return without_password(f"milvus:{self._place}")

    def create(self, table: str, dimensions: int) -> None:
        """See `VectorStore.create`."""
        if not self._is_server:
            hide_folder(str(Path(self._place).parent))
        with self._client.used() as client, _telling(self._shown):
            if client.has_collection(table):
                return
            schema = MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
            schema.add_field("key", DataType.VARCHAR, is_primary=True, max_length=32)
            schema.add_field("vector", DataType.FLOAT_VECTOR, dim=dimensions)
            how = client.prepare_index_params()
            how.add_index("vector", index_type="FLAT", metric_type="IP")
            client.create_collection(table, schema=schema, index_params=how, consistency_level="Strong")

    @contextlib.contextmanager
    def opened(self, table: str) -> Iterator[MilvusTable]:
        """See `VectorStore.opened`."""
        with self._client.used() as client:
            with _telling(self._shown):
                is_there = client.has_collection(table)
                if is_there:
                    client.load_collection(table)
            if not is_there:
                raise VectorStoreError(f"Milvus at {self._shown}: there is no collection {table}")
            yield MilvusTable(client, table, self._shown)

    def discard(self, table: str) -> None:
        """See `VectorStore.discard`."""
        with self._client.used() as client, _telling(self._shown):
            if client.has_collection(table):
                client.drop_collection(table)

    @property
    def _shown(self) -> str:
        return without_password(self._place)

    def _made(self) -> MilvusClient:
        with _telling(self._shown):
            if self._is_server:
                return MilvusClient(self._place, token=self._token or os.environ.get("MILVUS_TOKEN", ""))
            with _LOCK:
                _OPEN[self._place] += 1
            try:
                return MilvusClient(self._place)
            except BaseException:
                _let_go(self._place)
                raise

    def _closed(self, client: MilvusClient) -> None:
        client.close()
        if not self._is_server:
            _let_go(self._place)

    def __repr__(self) -> str:
        return f"MilvusStore({self._shown!r})"


class MilvusTable(VectorTable):
    """Vectors by key, in a collection of Milvus. `MilvusStore.opened` makes it.

    Args:
        client: A client of the server or file.
        name: The name of the collection.
        place: The URL or file, without its password, for messages.
    """

    def __init__(self, client: MilvusClient, name: str, place: str) -> None:
        self._client = client
        self._name = name
        self._place = place

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """See `VectorTable.put`."""
        with _telling(self._place):
            for start in range(0, len(keys), _ENTITIES):
                part = slice(start, start + _ENTITIES)
                rows = zip(keys[part], vectors[part].tolist(), strict=True)
                self._client.upsert(self._name, [{"key": key.hex(), "vector": row} for key, row in rows])
            self._client.flush(self._name)

    def drop(self, keys: Sequence[bytes]) -> None:
        """See `VectorTable.drop`."""
        with _telling(self._place):
            for start in range(0, len(keys), _ENTITIES):
                self._client.delete(self._name, ids=[key.hex() for key in keys[start : start + _ENTITIES]])

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """See `VectorTable.nearest`."""
        with _telling(self._place):
            [found] = self._client.search(
                self._name,
                [np.asarray(vector, np.float32).tolist()],
                limit=min(limit, _MOST),
                search_params={"metric_type": "IP"},
                output_fields=["key"],
            )
        return [bytes.fromhex(one["entity"]["key"]) for one in found], [float(one["distance"]) for one in found]

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """See `VectorTable.vectors`."""
        found: dict[bytes, Vectors] = {}
        with _telling(self._place):
            for start in range(0, len(keys), _ENTITIES):
                names = [key.hex() for key in keys[start : start + _ENTITIES]]
                for one in self._client.get(self._name, ids=names, output_fields=["key", "vector"]):
                    found[bytes.fromhex(one["key"])] = np.asarray(one["vector"], np.float32)
        return found

    def count(self) -> int:
        """Return the number of vectors."""
        with _telling(self._place):
            return int(self._client.query(self._name, filter="", output_fields=["count(*)"])[0]["count(*)"])


def _let_go(place: str) -> None:
    """Close a file that no store of this process uses any more: otherwise Milvus Lite would keep it open until the
    process ends.
    """
    with _LOCK:
        _OPEN[place] -= 1
        if _OPEN[place] > 0:
            return
        try:
            from milvus_lite.server_manager import server_manager_instance  # noqa: PLC0415  # only files need it
        except ImportError:  # of an older version, which is a program of its own
            return
        server_manager_instance.release_server(place)


@contextlib.contextmanager
def _telling(place: str) -> Iterator[None]:
    """Raise errors of Milvus as `VectorStoreError`."""
    try:
        yield
    except (MilvusException, OSError, ValueError, RuntimeError) as error:
        raise VectorStoreError(f"Milvus at {place}: {error}") from error
