"""The part of the protocol of Elasticsearch and OpenSearch that the store speaks, on a local port: a stand-in, not the real thing."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

import numpy as np


class StandIn(ThreadingHTTPServer):
    """A server of JSON on a free port, which notes who asked."""

    daemon_threads = True

    def __init__(self, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.seen: list[str | None] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class SearchServer(StandIn):
    """Indices by name, each a mapping and its vectors."""

    def __init__(self, *, opensearch: bool) -> None:
        super().__init__(_SearchHandler)
        self.opensearch = opensearch
        self.indices: dict[str, tuple[dict[str, Any], dict[str, list[float]]]] = {}


Server = TypeVar("Server", bound=StandIn)


@contextmanager
def served(made: Server) -> Iterator[Server]:
    """The server, for as long as the context lasts."""
    with made as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class JsonHandler(BaseHTTPRequestHandler):
    """Answers each request with what `found` makes of it."""

    server: StandIn

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.seen.append(self.headers.get("Authorization"))
        with self.server.lock:
            status, found = self.found(self.path.lstrip("/").partition("?")[0], body)
        data = b"" if self.command == "HEAD" else json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _answer  # noqa: N815  # names of http.server

    def found(self, path: str, body: bytes) -> tuple[int, Any]:
        """The status and the answer."""
        raise NotImplementedError


class _SearchHandler(JsonHandler):
    server: SearchServer

    def found(self, path: str, body: bytes) -> tuple[int, Any]:
        """See `JsonHandler`."""
        if not path:
            return 200, {
                "version": {"number": "9", **({"distribution": "opensearch"} if self.server.opensearch else {})}
            }
        name, _, action = path.partition("/")
        if self.command == "PUT":
            properties = json.loads(body)["mappings"]["properties"]["vector"]
            kinds = ("knn_vector", "dimension") if self.server.opensearch else ("dense_vector", "dims")
            if properties["type"] != kinds[0] or not re.fullmatch("[a-z0-9_]+", name):
                return 400, {"error": "illegal"}
            self.server.indices[name] = ({"dims": properties[kinds[1]]}, {})
            return 200, {"acknowledged": True}
        if name not in self.server.indices:
            return 404, {"error": "index_not_found_exception"}
        mapping, vectors = self.server.indices[name]
        match self.command, action:
            case "HEAD", "":
                return 200, {}
            case "DELETE", "":
                del self.server.indices[name]
                return 200, {"acknowledged": True}
            case "POST", "_bulk":
                return 200, {"items": list(self._done(body, mapping, vectors))}
            case "POST", "_mget":
                ids = json.loads(body)["ids"]
                docs = [{"_id": one, "found": one in vectors} for one in ids]
                return 200, {
                    "docs": [
                        one | ({"_source": {"vector": vectors[one["_id"]]}} if one["found"] else {}) for one in docs
                    ]
                }
            case "GET", "_count":
                return 200, {"count": len(vectors)}
            case "POST", "_search":
                return 200, self._hits(json.loads(body), vectors)
        return 400, {"error": f"no such request: {self.command} {path}"}

    def _done(self, body: bytes, mapping: dict[str, Any], vectors: dict[str, list[float]]) -> Iterator[dict[str, Any]]:
        lines = iter(body.decode().splitlines())
        for line in lines:
            [(verb, what)] = json.loads(line).items()
            if verb == "delete":
                there = vectors.pop(what["_id"], None) is not None
                yield {"delete": {"status": 200 if there else 404}}
                continue
            row = json.loads(next(lines))["vector"]
            if len(row) != mapping["dims"]:
                yield {"index": {"status": 400, "error": "wrong number of dimensions"}}
                continue
            vectors[what["_id"]] = row
            yield {"index": {"status": 201}}

    def _hits(self, asked: dict[str, Any], vectors: dict[str, list[float]]) -> dict[str, Any]:
        script = asked["query"]["script_score"]["script"]
        opensearch = self.server.opensearch
        query = script["params"]["query_value" if opensearch else "query"]
        assert script["source"] == (
            "knn_score" if opensearch else "Math.max(dotProduct(params.query, 'vector') + 1.0, 0.0)"
        )
        scored: list[dict[str, Any]] = []
        for name, row in vectors.items():
            product = float(np.asarray(row) @ np.asarray(query))
            negative = opensearch and product < 0
            scored.append({"_id": name, "_score": 1 / (1 - product) if negative else max(product + 1, 0)})
        scored.sort(key=lambda hit: -hit["_score"])
        return {"hits": {"hits": scored[: asked["size"]]}}
