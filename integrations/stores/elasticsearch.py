"""Vectors of an index in Elasticsearch or OpenSearch: a server, accessed over HTTP without an additional package.

    Index.open(".chunker", store="elasticsearch:http://localhost:9200")      also OpenSearch: the server says which one it is
    Index.open(".chunker", store="elasticsearch:https://me@search.example")  the password is taken from ELASTICSEARCH_PASSWORD

A document has the key as its id (32 hexadecimal digits) and the vector. Search compares every vector, by a script that
computes the dot product, not by the approximate graph. It returns at most 10,000 results, the default limit of the
server. Needs only numpy: pip install "bpe-chunker[index]".
"""

from __future__ import annotations

import base64
import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

from chunker.integrations.requirements import missing

try:
    import numpy as np
except ModuleNotFoundError as error:
    raise missing(error, "index") from error

from chunker.index.errors import VectorStoreError
from chunker.index.vector_stores import VectorStore, VectorTable, without_password
from chunker.index.vectors import Vectors
from chunker.integrations.stores.json_server import JsonServer, require_url

__all__ = ["ElasticsearchStore", "ElasticsearchTable"]

# Documents per request, and the largest number of results of a search.
_DOCUMENTS = 500
_MOST = 10_000


class ElasticsearchStore(VectorStore):
    """Indices of Elasticsearch or OpenSearch.

    Args:
        place: The URL of the server, with a user if it requires one.
        password: The password of the user; by default the one in the URL, or the environment variable
            `ELASTICSEARCH_PASSWORD`.
        api_key: A key of Elasticsearch, instead of user and password; by default the environment variable
            `ELASTICSEARCH_API_KEY`.

    Raises:
        OptionError: The place is not an HTTP URL.
    """

    def __init__(
        self, place: str = "http://localhost:9200", *, password: str | None = None, api_key: str | None = None
    ) -> None:
        require_url(place, "Elasticsearch", "http://localhost:9200")
        self._place = place
        self._password = password
        self._api_key = api_key

    @property
    def spec(self) -> str:
        """The name by which an index finds the store again."""
        return f"elasticsearch:{without_password(self._place)}"

    def create(self, table: str, dimensions: int) -> None:
        """See `VectorStore.create`."""
        server = self._server()
        if server.ask("HEAD", table, missing=True) is None:
            kind = "knn_vector" if server.is_opensearch else "dense_vector"
            size = "dimension" if server.is_opensearch else "dims"
            vector = {"type": kind, size: dimensions} | ({} if server.is_opensearch else {"index": False})
            server.ask("PUT", table, {"mappings": {"dynamic": False, "properties": {"vector": vector}}})

    @contextlib.contextmanager
    def opened(self, table: str) -> Iterator[ElasticsearchTable]:
        """See `VectorStore.opened`."""
        server = self._server()
        if server.ask("HEAD", table, missing=True) is None:
            raise VectorStoreError(f"{server.name} at {server.shown}: there is no index {table}")
        yield ElasticsearchTable(server, table)

    def discard(self, table: str) -> None:
        """See `VectorStore.discard`."""
        self._server().ask("DELETE", table, missing=True)

    def _server(self) -> Server:
        return Server(self._place, self._password, self._api_key)

    def __repr__(self) -> str:
        return f"ElasticsearchStore({without_password(self._place)!r})"


class Server(JsonServer):
    """A client for a server of Elasticsearch or OpenSearch.

    Args:
        place: Its URL.
        password: The password of the user in the URL, if the URL has none.
        api_key: A key instead of user and password.
    """

    def __init__(self, place: str, password: str | None, api_key: str | None) -> None:
        url = urlsplit(place)
        headers = {}
        key = api_key or os.environ.get("ELASTICSEARCH_API_KEY")
        if url.username:
            secret = password or url.password or os.environ.get("ELASTICSEARCH_PASSWORD", "")
            pair = base64.b64encode(f"{url.username}:{secret}".encode()).decode()
            headers["Authorization"] = f"Basic {pair}"
        elif key:
            headers["Authorization"] = f"ApiKey {key}"
        super().__init__("Elasticsearch", place, headers)
        about = self.ask("GET", "") or {}
        self.is_opensearch = about.get("version", {}).get("distribution") == "opensearch"
        if self.is_opensearch:
            self.name = "OpenSearch"


class ElasticsearchTable(VectorTable):
    """Vectors by key, in an index of Elasticsearch or OpenSearch. `ElasticsearchStore.opened` makes it.

    Args:
        server: The server.
        name: The name of the index.
    """

    def __init__(self, server: Server, name: str) -> None:
        self._server = server
        self._name = name

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """See `VectorTable.put`."""
        rows = vectors.tolist()
        self._bulk([({"index": {"_id": key.hex()}}, {"vector": row}) for key, row in zip(keys, rows, strict=True)])

    def drop(self, keys: Sequence[bytes]) -> None:
        """See `VectorTable.drop`."""
        self._bulk([({"delete": {"_id": key.hex()}},) for key in keys])

    def _bulk(self, actions: Sequence[tuple[Any, ...]]) -> None:
        for start in range(0, len(actions), _DOCUMENTS):
            lines = [line for action in actions[start : start + _DOCUMENTS] for line in action]
            answer = self._server.ask("POST", f"{self._name}/_bulk?refresh=true", lines) or {}
            for item in answer.get("items", ()):
                [(verb, done)] = item.items()
                if done.get("status", 200) >= 300 and not (verb == "delete" and done["status"] == 404):
                    raise VectorStoreError(f"{self._server.name} at {self._server.shown}: {verb}: {done.get('error')}")

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """See `VectorTable.nearest`."""
        query = np.asarray(vector, np.float32).tolist()
        if self._server.is_opensearch:
            asked = {"field": "vector", "query_value": query, "space_type": "innerproduct"}
            script: dict[str, Any] = {"lang": "knn", "source": "knn_score", "params": asked}
        else:
            # Scores must not be negative; products of vectors of length 1 are at least -1, except for rounding.
            script = {"source": "Math.max(dotProduct(params.query, 'vector') + 1.0, 0.0)", "params": {"query": query}}
        body = {
            "size": min(limit, _MOST),
            "_source": False,
            "query": {"script_score": {"query": {"match_all": {}}, "script": script}},
        }
        answer = self._server.ask("POST", f"{self._name}/_search", body) or {}
        hits = answer["hits"]["hits"]
        return [bytes.fromhex(hit["_id"]) for hit in hits], [self._product(float(hit["_score"])) for hit in hits]

    def _product(self, score: float) -> float:
        """Convert a score to the dot product. OpenSearch maps negative products to 1 / (1 - product)."""
        return 1 - 1 / score if self._server.is_opensearch and score < 1 else score - 1

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """See `VectorTable.vectors`."""
        found: dict[bytes, Vectors] = {}
        for start in range(0, len(keys), _DOCUMENTS):
            names = [key.hex() for key in keys[start : start + _DOCUMENTS]]
            answer = self._server.ask("POST", f"{self._name}/_mget", {"ids": names}) or {}
            for document in answer["docs"]:
                if document.get("found"):
                    found[bytes.fromhex(document["_id"])] = np.asarray(document["_source"]["vector"], np.float32)
        return found

    def count(self) -> int:
        """Return the number of vectors."""
        return int((self._server.ask("GET", f"{self._name}/_count") or {})["count"])
