"""The part of Weaviate's REST and GraphQL interfaces that the store speaks, on a local port: a stand-in, not the real thing."""

from __future__ import annotations

import json
import re
from typing import Any
from uuid import UUID

import numpy as np
from search_server import JsonHandler, StandIn

_NEAREST = re.compile(
    r"\{ Get \{ (\w+)\(nearVector: \{vector: (\[.*?\])\}, limit: (\d+)\) \{ _additional \{ id distance \} \} \} \}"
)
_BY_ID = re.compile(
    r'\{ Get \{ (\w+)\(where: \{path: \["id"\], operator: ContainsAny, valueText: (\[.*?\])\}, limit: (\d+)\) '
    r"\{ _additional \{ id vector \} \} \} \}"
)
_COUNT = re.compile(r"\{ Aggregate \{ (\w+) \{ meta \{ count \} \} \} \}")


class WeaviateServer(StandIn):
    """Collections by name, each its vectors by id."""

    def __init__(self) -> None:
        super().__init__(_Handler)
        self.collections: dict[str, dict[str, list[float]]] = {}


class _Handler(JsonHandler):
    server: WeaviateServer

    def found(self, path: str, body: bytes) -> tuple[int, Any]:
        """See `JsonHandler`."""
        asked = json.loads(body) if body else {}
        collections = self.server.collections
        match self.command, path.split("/"):
            case "POST", ["v1", "schema"]:
                if not re.fullmatch("[A-Z][_0-9A-Za-z]*", asked["class"]):
                    return 422, {"error": [{"message": "not a valid class name"}]}
                assert (asked["vectorizer"], asked["vectorIndexType"], asked["vectorIndexConfig"]) == (
                    *("none", "flat"),
                    {"distance": "dot"},
                )
                collections[asked["class"]] = {}
                return 200, asked
            case "GET", ["v1", "schema", name]:
                return (200, {"class": name}) if name in collections else (404, None)
            case "DELETE", ["v1", "schema", name]:
                return (200, None) if collections.pop(name, None) is not None else (400, {"error": []})
            case "POST", ["v1", "batch", "objects"]:
                return 200, [self._put(one) for one in asked["objects"]]
            case "DELETE", ["v1", "batch", "objects"]:
                kept, where = collections[asked["match"]["class"]], asked["match"]["where"]
                assert (where["path"], where["operator"]) == (["id"], "ContainsAny")
                matched = sum(kept.pop(name, None) is not None for name in where["valueTextArray"])
                return 200, {"results": {"matches": matched, "successful": matched, "failed": 0}}
            case "POST", ["v1", "graphql"]:
                try:
                    return 200, {"data": self._asked(asked["query"])}
                except (ValueError, KeyError) as error:
                    return 200, {"data": None, "errors": [{"message": str(error)}]}
        return 404, None

    def _put(self, one: dict[str, Any]) -> dict[str, Any]:
        kept = self.server.collections[one["class"]]
        assert str(UUID(one["id"])) == one["id"]
        if len({len(one["vector"]), *map(len, kept.values())}) > 1:
            errors = {"error": [{"message": "vector lengths don't match"}]}
            return {**one, "result": {"status": "FAILED", "errors": errors}}
        kept[one["id"]] = one["vector"]
        return {**one, "result": {"status": "SUCCESS"}}

    def _asked(self, query: str) -> dict[str, Any]:
        if found := _COUNT.fullmatch(query):
            return {"Aggregate": {found[1]: [{"meta": {"count": len(self.server.collections[found[1]])}}]}}
        if found := _BY_ID.fullmatch(query):
            kept = self.server.collections[found[1]]
            names = [name for name in json.loads(found[2]) if name in kept][: int(found[3])]
            return {"Get": {found[1]: [{"_additional": {"id": name, "vector": kept[name]}} for name in names]}}
        found = _NEAREST.fullmatch(query)
        if found is None:
            raise ValueError(f"Syntax Error GraphQL request {query[:200]}")
        wanted = np.asarray(json.loads(found[2]), np.float32)
        kept = self.server.collections[found[1]]
        near = sorted((-float(np.asarray(row, np.float32) @ wanted), name) for name, row in kept.items())
        told = [{"id": name, "distance": distance} for distance, name in near]
        return {"Get": {found[1]: [{"_additional": one} for one in told[: int(found[3])]]}}
