"""The OpenAPI document of the REST API, made from the models of its requests and answers.

    document(offered)["paths"]["/api/chunk"]["post"]["requestBody"] ...

Served at /openapi.json; /docs shows it for people (`reading.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from chunker.formats.registry import format_names
from chunker.integrations.serve.answers import (
    Counts,
    File,
    Files,
    Refusal,
    Unmatched,
    chunk_schema,
    chunks_schema,
    hit_schema,
    hits_schema,
)
from chunker.integrations.serve.bodies import Asked, AskedCount, AskedCut, AskedExport, AskedFile, AskedSearch
from chunker.version import installed_version

_SCHEMA = "#/components/schemas/"
_JSON = "application/json"
FILE_TYPES = {
    "jsonl": "application/jsonl",
    "json": _JSON,
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "arrow": "application/vnd.apache.arrow.file",
}
_STATUSES = {
    "401": "The token is missing or wrong.",
    "403": "The request comes from another site, through a browser.",
    "404": "There is no file of this name, or no index is served.",
    "408": "The request took too long to arrive.",
    "413": "The text, or the answer, is too large.",
    "415": "The body is not application/json.",
    "422": "A field is missing, unknown or wrong, or options do not go together; or the file may not be read.",
    "500": "A text needed more time or memory than a request may take.",
    "503": "Too many requests are waiting.",
}


_USUAL = tuple(status for status in _STATUSES if status != "404")


@dataclass(frozen=True)
class Endpoint:
    """A path of the API. `answers`: the name of a schema, or None for a file; `example`: a valid body."""

    name: str
    summary: str
    description: str
    asks: type[BaseModel]
    answers: str | None
    example: dict[str, Any]
    needs: str = ""
    statuses: tuple[str, ...] = _USUAL


_EXAMPLE = {"text": "# Guide\n\nSome words.\n\n## More\n\nOther words.\n", "name": "guide.md", "max_tokens": 16}
ENDPOINTS = (
    Endpoint(
        "chunk",
        "Cut a text into chunks",
        "All chunks of a text, exactly within the budget, with the fields that records have everywhere; and the Python that makes the same ones.",
        AskedCut,
        "Chunks",
        {**_EXAMPLE, "context": True},
    ),
    Endpoint(
        "export",
        "Cut a text into a file of chunks",
        "The chunks as `chunker chunk --output` writes them: JSON Lines, a JSON array, CSV, Parquet or Arrow. The last two need pyarrow on the server.",
        AskedExport,
        None,
        {**_EXAMPLE, "file_format": "csv"},
    ),
    Endpoint(
        "count",
        "Count tokens",
        "The number of tokens of each text, exactly as the model counts.",
        AskedCount,
        "Counts",
        {"texts": ["Hello, world", ""]},
    ),
    Endpoint(
        "files",
        "List the files",
        "The names of the files that may be read, and those that may not, with the reason.",
        Asked,
        "Files",
        {},
        needs="folders: `chunker serve FOLDER`",
    ),
    Endpoint(
        "file",
        "Read a file",
        "The text of one of the files that are listed.",
        AskedFile,
        "File",
        {"name": "README.md"},
        needs="folders: `chunker serve FOLDER`",
        statuses=tuple(_STATUSES),
    ),
    Endpoint(
        "search",
        "Search the index",
        "The chunks that answer a question best.",
        AskedSearch,
        "Hits",
        {"query": "open a file"},
        needs="an index: `chunker serve --index .chunker`",
        statuses=tuple(_STATUSES),
    ),
)


def document(tokenizers: list[str], *, needs_token: bool) -> dict[str, Any]:
    """Return the document in the form of OpenAPI 3.1.

    Args:
        tokenizers: The names of the tokenizers that are offered.
        needs_token: Whether requests must carry a token.
    """
    asked: list[type[BaseModel]] = [AskedCut, AskedExport, AskedCount, Asked, AskedFile, AskedSearch]
    answered: list[type[BaseModel]] = [Counts, Files, File, Refusal, Unmatched]
    _, made = models_json_schema(
        [*((model, "validation") for model in asked), *((model, "serialization") for model in answered)],
        ref_template=_SCHEMA + "{model}",
    )
    schemas = {**made["$defs"], **chunk_schema(), **hit_schema(), "Chunks": chunks_schema(), "Hits": hits_schema()}
    for schema in schemas.values():
        properties = schema.get("properties", {})
        if schema.get("title", "").startswith("Asked") and "tokenizer" in properties:
            properties["tokenizer"]["enum"] = tokenizers
        if schema.get("title", "").startswith("Asked") and "language" in properties:
            properties["language"]["enum"] = ["auto", *format_names()]
    told: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "bpe-chunker",
            "version": installed_version() or "0",
            "summary": "Chunks that fit a token budget exactly.",
            "description": "Every request is a POST of a JSON object, and every refusal an object with `error`, which says what is wrong and what to do. "
            "Unknown fields are refused.",
        },
        "servers": [{"url": "/"}],
        "paths": {f"/api/{one.name}": {"post": _operation(one)} for one in ENDPOINTS},
        "components": {"schemas": dict(sorted(schemas.items()))},
    }
    if needs_token:
        told["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        told["security"] = [{"token": []}]
    return told


def _operation(one: Endpoint) -> dict[str, Any]:
    needs = f" Needs {one.needs}." if one.needs else ""
    body = {"schema": {"$ref": _SCHEMA + one.asks.__name__}, "example": one.example}
    if one.answers is None:
        content = {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FILE_TYPES.values()}
    else:
        content = {_JSON: {"schema": {"$ref": _SCHEMA + one.answers}}}
    refusal = {_JSON: {"schema": {"$ref": _SCHEMA + "Refusal"}}}
    refusals = {status: {"description": _STATUSES[status], "content": refusal} for status in one.statuses}
    return {
        "operationId": one.name,
        "summary": one.summary,
        "description": one.description + needs,
        "requestBody": {"required": True, "content": {_JSON: body}},
        "responses": {"200": {"description": one.summary, "content": content}, **refusals},
    }
