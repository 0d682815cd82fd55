"""Vectors of an index in Chroma: a folder of this machine, or a server.

    Index.open(".chunker", store="chroma:vectors")
    Index.open(".chunker", store="chroma:http://localhost:8000")

A record has the key as its id (32 hexadecimal digits) and the vector. Search uses Chroma's graph (HNSW), which is fast
and approximate: the breadth set here compares enough vectors to miss none among some thousand. Needs Chroma: pip
install "bpe-chunker[chroma]".
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from chunker.errors import MissingExtraError

try:
    import chromadb
    import numpy as np
    from chromadb.errors import ChromaError, NotFoundError
except ImportError as error:
    raise MissingExtraError(error.name or "chromadb", "chroma") from error
from chunker.index.errors import VectorStoreError
from chunker.index.vector_stores import VectorStore, VectorTable, hide_folder, without_password
from chunker.index.vectors import Vectors

__all__ = ["ChromaStore", "ChromaTable"]

DEFAULT = "chroma"
# Records per request: Chroma accepts some thousand.
_RECORDS = 1000
# The graph compares vectors by "1 - dot product"; the numbers set how many vectors it compares.
_GRAPH = {"space": "ip", "ef_construction": 200, "ef_search": 1000, "max_neighbors": 64}


class ChromaStore(VectorStore):
    """Collections of Chroma, in a folder or on a server.

    Args:
        place: A folder, or the URL of a server.
    """

    def __init__(self, place: str = DEFAULT) -> None:
        self._is_server = "://" in place
        self._place = place if self._is_server else os.path.realpath(place)

    @property
    def spec(self) -> str:
        """The name by which an index finds the store again."""
        return without_password(f"chroma:{self._place}")

    def create(self, table: str, dimensions: int) -> None:
        """See `VectorStore.create`."""
        if not self._is_server:
            hide_folder(self._place)
        with _telling(self._shown):
            self._client().get_or_create_collection(
                table, embedding_function=None, configuration={"hnsw": _GRAPH}, metadata={"dimensions": dimensions}
            )

    @contextlib.contextmanager
    def opened(self, table: str) -> Iterator[ChromaTable]:
        """See `VectorStore.opened`."""
        with _telling(self._shown):
            try:
                collection = self._client().get_collection(table, embedding_function=None)
            except (NotFoundError, ValueError) as error:
                raise VectorStoreError(f"Chroma at {self._shown}: there is no collection {table}") from error
        yield ChromaTable(collection, self._shown)

    def discard(self, table: str) -> None:
        """See `VectorStore.discard`."""
        with _telling(self._shown), contextlib.suppress(NotFoundError):
            self._client().delete_collection(table)

    @property
    def _shown(self) -> str:
        return without_password(self._place)

    def _client(self) -> Any:  # noqa: ANN401  # of a package without types
        # Clients of one folder share their open state.
        how = chromadb.Settings(anonymized_telemetry=False)
        if not self._is_server:
            return chromadb.PersistentClient(self._place, settings=how)
        url = urlsplit(self._place)
        ssl = url.scheme == "https"
        return chromadb.HttpClient(
            host=url.hostname or "localhost", port=url.port or (443 if ssl else 8000), ssl=ssl, settings=how
        )

    def __repr__(self) -> str:
        return f"ChromaStore({self._shown!r})"


class ChromaTable(VectorTable):
    """Vectors by key, in a collection of Chroma. `ChromaStore.opened` makes it.

    Args:
        collection: The collection.
        place: The folder or URL, without its password, for messages.
    """

    def __init__(self, collection: Any, place: str) -> None:  # noqa: ANN401  # of a package without types
        self._collection = collection
        self._place = place

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """See `VectorTable.put`."""
        with _telling(self._place):
            for start in range(0, len(keys), _RECORDS):
                part = slice(start, start + _RECORDS)
                rows = np.ascontiguousarray(vectors[part], np.float32)
                self._collection.upsert(ids=[key.hex() for key in keys[part]], embeddings=rows)

    def drop(self, keys: Sequence[bytes]) -> None:
        """See `VectorTable.drop`."""
        with _telling(self._place):
            for start in range(0, len(keys), _RECORDS):
                self._collection.delete(ids=[key.hex() for key in keys[start : start + _RECORDS]])

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """See `VectorTable.nearest`."""
        with _telling(self._place):
            there = self._collection.count()
            if not there:
                return [], []
            answer = self._collection.query(
                query_embeddings=[np.asarray(vector, np.float32)], n_results=min(limit, there), include=["distances"]
            )
        keys = [bytes.fromhex(name) for name in answer["ids"][0]]
        return keys, [1 - float(distance) for distance in answer["distances"][0]]

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """See `VectorTable.vectors`."""
        found: dict[bytes, Vectors] = {}
        with _telling(self._place):
            for start in range(0, len(keys), _RECORDS):
                names = [key.hex() for key in keys[start : start + _RECORDS]]
                answer = self._collection.get(ids=names, include=["embeddings"])
                for name, vector in zip(answer["ids"], answer["embeddings"], strict=True):
                    found[bytes.fromhex(name)] = np.asarray(vector, np.float32)
        return found

    def count(self) -> int:
        """Return the number of vectors."""
        with _telling(self._place):
            return int(self._collection.count())


@contextlib.contextmanager
def _telling(place: str) -> Iterator[None]:
    """Raise errors of Chroma as `VectorStoreError`."""
    try:
        yield
    except NotFoundError:
        raise
    except (ChromaError, OSError, ValueError, RuntimeError) as error:
        raise VectorStoreError(f"Chroma at {place}: {error}") from error
