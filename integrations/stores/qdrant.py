"""Vectors of an index in Qdrant: a server, or a folder of this machine.

    Index.open(".chunker", store="qdrant:http://localhost:6333")       the key is taken from QDRANT_API_KEY
    Index.open(".chunker", store="qdrant:vectors")                     a folder, for one process at a time and some ten thousand vectors

A point has the key as its id (a UUID of 16 bytes) and the vector, without payload. Search is exact; `QdrantStore(place,
exact=False)` uses the graph of the server, which is fast and approximate. Needs qdrant-client: pip install
"bpe-chunker[qdrant]".
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator, Sequence

from chunker.errors import MissingExtraError

try:
    import numpy as np
    from qdrant_client import QdrantClient, models
    from qdrant_client.http.exceptions import ApiException
except ImportError as error:
    raise MissingExtraError(error.name or "qdrant-client", "qdrant") from error
from chunker.index.errors import VectorStoreError
from chunker.index.vector_stores import VectorStore, VectorTable, hide_folder, without_password
from chunker.index.vectors import Vectors
from chunker.integrations.stores.shared_client import SharedClient

__all__ = ["QdrantStore", "QdrantTable"]

DEFAULT = "qdrant"
# The largest number of points per request: with 3,072 numbers each they stay below the 32 MB that a server accepts.
_POINTS = 256
_SECONDS = 60


class QdrantStore(VectorStore):
    """Collections of a Qdrant server, or of a folder.

    Args:
        place: The URL of the server, or a folder.
        exact: Compare a question with every vector; False uses the graph of the server, which is fast and approximate.
        api_key: The key for the server; by default the environment variable `QDRANT_API_KEY`.
    """

    def __init__(self, place: str = DEFAULT, *, exact: bool = True, api_key: str | None = None) -> None:
        self._is_server = "://" in place
        self._place = place if self._is_server else os.path.realpath(place)
        self._exact = exact
        self._api_key = api_key
        # A client locks its folder, so all threads share one.
        self._client = SharedClient(self._made, QdrantClient.close)

    @property
    def spec(self) -> str:
        """The name by which an index finds the store again."""
        return without_password(f"qdrant:{self._place}")

    def create(self, table: str, dimensions: int) -> None:
        """See `VectorStore.create`."""
        if not self._is_server:
            hide_folder(self._place)
        with self._client.used() as client, _telling(self._shown):
            if not client.collection_exists(table):
                # By the dot product: for cosines Qdrant normalizes the vectors, and would not return them as stored.
                how = models.VectorParams(size=dimensions, distance=models.Distance.DOT)
                client.create_collection(table, vectors_config=how)

    @contextlib.contextmanager
    def opened(self, table: str) -> Iterator[QdrantTable]:
        """See `VectorStore.opened`."""
        with self._client.used() as client:
            with _telling(self._shown):
                is_there = client.collection_exists(table)
            if not is_there:
                raise VectorStoreError(f"Qdrant at {self._shown}: there is no collection {table}")
            yield QdrantTable(client, table, self._shown, exact=self._exact if self._is_server else None)

    def discard(self, table: str) -> None:
        """See `VectorStore.discard`."""
        with self._client.used() as client, _telling(self._shown):
            client.delete_collection(table)

    @property
    def _shown(self) -> str:
        return without_password(self._place)

    def _made(self) -> QdrantClient:
        with _telling(self._shown):
            if not self._is_server:
                return QdrantClient(path=self._place)
            key = self._api_key or os.environ.get("QDRANT_API_KEY")
            return QdrantClient(url=self._place, api_key=key, timeout=_SECONDS)

    def __repr__(self) -> str:
        return f"QdrantStore({self._shown!r})"


class QdrantTable(VectorTable):
    """Vectors by key, in a collection of Qdrant. `QdrantStore.opened` makes it.

    Args:
        client: A client of the server or folder.
        name: The name of the collection.
        place: The URL or folder, without its password, for messages.
        exact: Whether search compares every vector; None for a folder, which always does.
    """

    def __init__(self, client: QdrantClient, name: str, place: str, *, exact: bool | None) -> None:
        self._client = client
        self._name = name
        self._place = place
        self._exact = exact

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """See `VectorTable.put`."""
        with _telling(self._place):
            for start in range(0, len(keys), _POINTS):
                part = slice(start, start + _POINTS)
                batch = models.Batch(ids=_identifiers(keys[part]), vectors=vectors[part].tolist())
                self._client.upsert(self._name, batch, wait=True)

    def drop(self, keys: Sequence[bytes]) -> None:
        """See `VectorTable.drop`."""
        if keys:
            with _telling(self._place):
                # By a condition: for a list, old versions raised if a folder did not have one of the points.
                these = models.Filter(must=[models.HasIdCondition(has_id=_identifiers(keys))])
                self._client.delete(self._name, models.FilterSelector(filter=these), wait=True)

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """See `VectorTable.nearest`."""
        # None for a folder, where search is exact in any case.
        how = None if self._exact is None else models.SearchParams(exact=self._exact)
        with _telling(self._place):
            answer = self._client.query_points(
                self._name, query=vector.tolist(), limit=limit, search_params=how, with_payload=False
            )
        return [uuid.UUID(str(point.id)).bytes for point in answer.points], [point.score for point in answer.points]

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """See `VectorTable.vectors`."""
        found: dict[bytes, Vectors] = {}
        with _telling(self._place):
            for start in range(0, len(keys), _POINTS):
                points = self._client.retrieve(
                    self._name, _identifiers(keys[start : start + _POINTS]), with_payload=False, with_vectors=True
                )
                for point in points:
                    found[uuid.UUID(str(point.id)).bytes] = np.asarray(point.vector, np.float32)
        return found

    def count(self) -> int:
        """Return the number of vectors."""
        with _telling(self._place):
            return int(self._client.count(self._name, exact=True).count)


def _identifiers(keys: Sequence[bytes]) -> list[models.ExtendedPointId]:
    return [str(uuid.UUID(bytes=key)) for key in keys]


@contextlib.contextmanager
def _telling(place: str) -> Iterator[None]:
    """Raise errors of Qdrant as `VectorStoreError`."""
    try:
        yield
    except (ApiException, OSError, ValueError, RuntimeError) as error:
        raise VectorStoreError(f"Qdrant at {place}: {error}") from error
