"""The answers of the REST API, as models for its OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from chunker.integrations.service.operations import HIT_NAMES
from chunker.models import Chunk


class Answered(BaseModel):
    """The root of the models."""

    model_config = ConfigDict(extra="forbid")


class Refusal(Answered):
    """The answer to a refused request: what is wrong, and what to do."""

    error: str


class Counts(Answered):
    """The tokens of texts."""

    counts: Annotated[list[int], Field(description="The tokens of each text, in order.")]
    total: int


class RefusedFile(Answered):
    """A file that is not given out."""

    name: str
    why: str


class Files(Answered):
    """The files that may be read."""

    files: Annotated[list[str], Field(description="Their names.")]
    more: Annotated[bool, Field(description="Whether there are more.")]
    refused: list[RefusedFile]


class File(Answered):
    """A file."""

    name: str
    text: str


class Unmatched(Answered):
    """A condition of a search that no file in the index meets."""

    field: Literal["sources", "tags"]
    value: Annotated[str, Field(description="The source or tag, as it was given.")]
    nearest: Annotated[list[str], Field(description="The nearest ones that exist, the best first.")]


def chunk_schema() -> dict[str, Any]:
    """Return the JSON schema of a chunk in an answer: the form of `Chunk.record`, explained in
    docs/reference/chunk-fields.md.
    """
    schema = TypeAdapter(Chunk).json_schema(mode="serialization", ref_template="#/components/schemas/{model}")
    made = schema.pop("$defs", {})
    found = made.pop("Chunk", schema)
    found["properties"]["body"]["description"] += "; only where it is not `text`"
    found["required"] = [name for name in found["properties"] if name != "body"]
    found["title"] = "Chunk"
    found["description"] = "A part of a text that fits the budget."
    return {"Chunk": found, **made}


def hit_schema() -> dict[str, Any]:
    """Return the JSON schema of a hit: the fields of a chunk, and the fields that only hits have."""
    fields = chunk_schema()["Chunk"]["properties"]
    found = {name: fields[name] for name in HIT_NAMES if name in fields}
    number = {"type": ["number", "null"]}
    found |= {
        "score": {"type": "number", "description": "The points of the rules of the ranking."},
        "similarity": {**number, "description": "The cosine with the question; null if vectors were not searched."},
        "also": {"type": "array", "items": {"type": "string"}, "description": "Other places of the same text."},
        "cut": {"type": "boolean", "description": "Whether `text` ends early, because it is too long for an answer."},
    }
    return {
        "Hit": {
            "title": "Hit",
            "description": "A chunk that a search found.",
            "type": "object",
            "additionalProperties": False,
            "required": list(found),
            "properties": found,
        }
    }


def chunks_schema() -> dict[str, Any]:
    """Return the JSON schema of the answer with all chunks of a text."""
    return {
        "title": "Chunks",
        "description": "The chunks of a text.",
        "type": "object",
        "additionalProperties": False,
        "required": ["chunks", "tokens", "code"],
        "properties": {
            "chunks": {"type": "array", "items": {"$ref": "#/components/schemas/Chunk"}},
            "tokens": {"type": "integer", "description": "Tokens of all chunks together."},
            "code": {"type": "string", "description": "Python that makes the same chunks."},
        },
    }


def hits_schema() -> dict[str, Any]:
    """Return the JSON schema of the answer with the hits of a search."""
    return {
        "title": "Hits",
        "description": "The chunks that answer a question best, the best first.",
        "type": "object",
        "additionalProperties": False,
        "required": ["hits", "unmatched"],
        "properties": {
            "hits": {"type": "array", "items": {"$ref": "#/components/schemas/Hit"}},
            "unmatched": {
                "type": "array",
                "items": {"$ref": "#/components/schemas/Unmatched"},
                "description": "Those of the `sources` and `tags` that no file in the index has.",
            },
        },
    }
