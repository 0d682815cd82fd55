"""The pydantic models of chunks: fields with types and descriptions, from and to JSON.

    JSON -> ChunkFields -> Chunk        validated as a model, kept as a chunk
    Chunk -> ChunkFields -> JSON        by the serializer of the model

These models are built when a chunk is first validated, dumped, or used as a field of a pydantic model.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema, ValidationError, core_schema

from chunker.fields import told_names
from chunker.span import Span
from chunker.span_schema import adapter_of, constructed

__all__ = ["ChunkFields", "NodeFields", "adapter_of", "frozen_error", "schema_of", "told_as"]


class ChunkFields(BaseModel):
    """A piece of a text that fits a token budget."""

    model_config = ConfigDict(title="Chunk")

    body: str = Field(description="the slice of the input")
    context: str = Field(
        default="",
        description="the lines before the body: its breadcrumb, and lines of the text that it needs; may be empty",
    )
    token_count: int = Field(ge=0, description="tokens of `text`")
    span: Span
    kind: str = Field(
        description='the kind of text that begins at the start of the body: "function", "section", "paragraph", "line", ...'
    )
    language: str | None = Field(default=None, description='"python", "markdown", ..., None for plain text')
    index: int = Field(default=0, ge=0, description="the number of the chunk among those of its text, from 0")
    breadcrumb: tuple[str, ...] = Field(
        default=(), description="the names that enclose the new text of the chunk, outermost first"
    )
    source: str | None = Field(default=None, description="where the text comes from, usually a path")
    id: str = Field(
        description="a hash of the source, the offset of the body, and `text`; unique among the chunks of the same sources"
    )
    metadata: dict[str, Any] = Field(
        default_factory=dict, description="values of the caller, and what formats and readers found"
    )


class NodeFields(ChunkFields):
    """A chunk that knows its place among those of a hierarchy."""

    model_config = ConfigDict(title="ChunkNode")

    level: int = Field(ge=0, description="0 for the largest chunks")
    parent: str | None = Field(default=None, description="id of the chunk that contains it; None on level 0")
    children: tuple[str, ...] = Field(
        default=(), description="ids of the chunks inside it, in order; () on the last level"
    )
    previous: str | None = Field(default=None, description="id of the chunk before it on its level")
    next: str | None = Field(default=None, description="id of the chunk after it on its level")


@cache
def _told(model: type[ChunkFields]) -> type[BaseModel]:
    """Return the model with the fields and the values computed from them, in the order in which it is dumped."""
    fields: dict[str, Any] = {name: (field.annotation, field) for name, field in model.model_fields.items()}
    fields |= {
        "text": (str, Field(description="the text that counts: `context` and `body`")),
        "content_hash": (str, Field(description="a hash of `text` alone; equal for equal texts")),
        "note": (str | None, Field(description="a note of the format about the text")),
    }
    return create_model(
        model.__name__.removesuffix("Fields"),
        __config__=ConfigDict(title=model.model_config.get("title")),
        __doc__=model.__doc__,
        **{name: fields[name] for name in told_names(list(fields))},
    )


def schema_of(kind: type, fields: type[ChunkFields], handler: GetCoreSchemaHandler) -> CoreSchema:
    """Return the schema of a class of chunks: it accepts chunks as they are, and mappings of their fields."""

    def made(validated: ChunkFields) -> Any:  # noqa: ANN401  # a `kind`
        return kind(**{name: getattr(validated, name) for name in fields.model_fields})

    told = _told(fields)

    def dumped(chunk: Any) -> BaseModel:  # noqa: ANN401  # a `kind`
        return constructed(told, dict(chunk))

    from_fields = core_schema.no_info_after_validator_function(made, handler.generate_schema(fields))
    return core_schema.json_or_python_schema(
        json_schema=from_fields,
        python_schema=core_schema.union_schema(
            [core_schema.is_instance_schema(kind), from_fields], mode="left_to_right"
        ),
        serialization=core_schema.plain_serializer_function_ser_schema(
            dumped, return_schema=handler.generate_schema(told)
        ),
    )


def told_as(fields: type[ChunkFields], values: dict[str, Any]) -> BaseModel:
    """Return the model that pydantic dumps instead of a chunk, with these values."""
    return constructed(_told(fields), values)


def frozen_error(kind: type, name: str, value: object) -> ValidationError:
    """Return the error that pydantic raises if a field of a frozen model is set."""
    return ValidationError.from_exception_data(
        kind.__name__, [{"type": "frozen_instance", "loc": (name,), "input": value}]
    )
