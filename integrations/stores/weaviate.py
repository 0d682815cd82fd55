"""Vectors of an index in Weaviate: a server, accessed over its REST and GraphQL interfaces without an additional
package.

    Index.open(".chunker", store="weaviate:http://localhost:8080")      the key is taken from WEAVIATE_API_KEY

An object has the key as its id, in the form of a UUID, and the vector. Search compares every vector (an index "flat"),
and returns at most 10,000 results, the default limit of the server. Needs only numpy: pip install "bpe-chunker[index]".
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

from chunker.integrations.requirements import missing

try:
    import numpy as np
except ModuleNotFoundError as error:
    raise missing(error, "index") from error

from chunker.index.errors import VectorStoreError
from chunker.index.vector_stores import VectorStore, VectorTable, without_password
from chunker.index.vectors import Vectors
from chunker.integrations.stores.json_server import JsonServer, require_url

__all__ = ["WeaviateStore", "WeaviateTable"]

# Objects per request, and the largest number of results of a search.
_OBJECTS = 500
_MOST = 10_000


class WeaviateStore(VectorStore):
    """Collections of Weaviate.

    Args:
        place: The URL of the server.
        api_key: The key for the server; by default the environment variable `WEAVIATE_API_KEY`.

    Raises:
        OptionError: The place is not an HTTP URL.
    """

    def __init__(self, place: str = "http://localhost:8080", *, api_key: str | None = None) -> None:
        require_url(place, "Weaviate", "http://localhost:8080")
        self._place = place
        self._api_key = api_key

    @property
    def spec(self) -> str:
        """The name by which an index finds the store again."""
        return f"weaviate:{without_password(self._place)}"

    def create(self, table: str, dimensions: int) -> None:  # noqa: ARG002  # the first vector decides
        """See `VectorStore.create`."""
        server = self._server()
        if server.ask("GET", f"v1/schema/{_named(table)}", missing=True) is None:
            index = {"vectorIndexType": "flat", "vectorIndexConfig": {"distance": "dot"}}
            server.ask("POST", "v1/schema", {"class": _named(table), "vectorizer": "none", "properties": [], **index})

    @contextlib.contextmanager
    def opened(self, table: str) -> Iterator[WeaviateTable]:
        """See `VectorStore.opened`."""
        server = self._server()
        if server.ask("GET", f"v1/schema/{_named(table)}", missing=True) is None:
            raise VectorStoreError(f"Weaviate at {server.shown}: there is no collection {_named(table)}")
        yield WeaviateTable(server, _named(table))

    def discard(self, table: str) -> None:
        """See `VectorStore.discard`."""
        server = self._server()
        if server.ask("GET", f"v1/schema/{_named(table)}", missing=True) is not None:
            server.ask("DELETE", f"v1/schema/{_named(table)}", missing=True)

    def _server(self) -> JsonServer:
        key = self._api_key or os.environ.get("WEAVIATE_API_KEY")
        return JsonServer("Weaviate", self._place, {"Authorization": f"Bearer {key}"} if key else {})

    def __repr__(self) -> str:
        return f"WeaviateStore({without_password(self._place)!r})"


class WeaviateTable(VectorTable):
    """Vectors by key, in a collection of Weaviate. `WeaviateStore.opened` makes it.

    Args:
        server: The server.
        name: The name of the collection.
    """

    def __init__(self, server: JsonServer, name: str) -> None:
        self._server = server
        self._name = name

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """See `VectorTable.put`."""
        rows = vectors.tolist()
        for start in range(0, len(keys), _OBJECTS):
            pairs = zip(keys[start : start + _OBJECTS], rows[start : start + _OBJECTS], strict=True)
            objects = [{"class": self._name, "id": _id_of(key), "vector": row, "properties": {}} for key, row in pairs]
            for done in self._server.ask("POST", "v1/batch/objects", {"objects": objects}):
                errors = (done.get("result") or {}).get("errors")
                if errors:
                    raise VectorStoreError(f"Weaviate at {self._server.shown}: {json.dumps(errors)}")

    def drop(self, keys: Sequence[bytes]) -> None:
        """See `VectorTable.drop`."""
        for start in range(0, len(keys), _OBJECTS):
            names = [_id_of(key) for key in keys[start : start + _OBJECTS]]
            where = {"path": ["id"], "operator": "ContainsAny", "valueTextArray": names}
            done = self._server.ask("DELETE", "v1/batch/objects", {"match": {"class": self._name, "where": where}})
            if (done.get("results") or {}).get("failed"):
                raise VectorStoreError(
                    f"Weaviate at {self._server.shown}: {done['results']['failed']} objects were not deleted"
                )

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """See `VectorTable.nearest`."""
        query = json.dumps(np.asarray(vector, np.float32).tolist())
        found = self._asked(
            f"Get {{ {self._name}(nearVector: {{vector: {query}}}, limit: {min(limit, _MOST)}) {{ _additional {{ id distance }} }} }}"
        )
        told = [item["_additional"] for item in found["Get"][self._name]]
        # The distance "dot" is the negative product.
        return [UUID(one["id"]).bytes for one in told], [-float(one["distance"]) for one in told]

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """See `VectorTable.vectors`."""
        vectors: dict[bytes, Vectors] = {}
        for start in range(0, len(keys), _OBJECTS):
            names = json.dumps([_id_of(key) for key in keys[start : start + _OBJECTS]])
            where = f'{{path: ["id"], operator: ContainsAny, valueText: {names}}}'
            found = self._asked(
                f"Get {{ {self._name}(where: {where}, limit: {_OBJECTS}) {{ _additional {{ id vector }} }} }}"
            )
            for item in found["Get"][self._name]:
                told = item["_additional"]
                vectors[UUID(told["id"]).bytes] = np.asarray(told["vector"], np.float32)
        return vectors

    def count(self) -> int:
        """Return the number of vectors."""
        found = self._asked(f"Aggregate {{ {self._name} {{ meta {{ count }} }} }}")
        return int(found["Aggregate"][self._name][0]["meta"]["count"])

    def _asked(self, query: str) -> dict[str, Any]:
        """Return the answer to a GraphQL query. Raises `VectorStoreError` for errors that come with a success
        status.
        """
        answer = self._server.ask("POST", "v1/graphql", {"query": f"{{ {query} }}"})
        if answer.get("errors"):
            raise VectorStoreError(f"Weaviate at {self._server.shown}: {json.dumps(answer['errors'])[:500]}")
        found: dict[str, Any] = answer["data"]
        return found


def _named(table: str) -> str:
    """Return the name of a collection, which must begin with a capital letter.

    >>> _named("bpe_chunker_1")
    'Bpe_chunker_1'
    """
    return table[:1].upper() + table[1:]


def _id_of(key: bytes) -> str:
    """Format a key as a UUID.

    >>> _id_of(bytes(16))
    '00000000-0000-0000-0000-000000000000'
    """
    return str(UUID(bytes=key))
