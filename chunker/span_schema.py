"""The pydantic model of spans, also used by the models of chunks. Built on first use."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema


class SpanFields(BaseModel):
    """The place of a chunk's body in its text: characters, bytes of UTF-8, and lines."""

    model_config = ConfigDict(title="Span")

    start: int = Field(ge=0, description="first character")
    end: int = Field(ge=0, description="one after the last character")
    start_byte: int = Field(ge=0, description="first byte in UTF-8")
    end_byte: int = Field(ge=0, description="one after the last byte in UTF-8")
    start_line: int = Field(ge=1, description="line of the first character, counted from 1")
    end_line: int = Field(ge=1, description="line of the last character, counted from 1")


def span_schema_of(kind: type, handler: GetCoreSchemaHandler) -> CoreSchema:
    """Return the schema of spans: it accepts spans as they are and mappings of their fields, and dumps spans as
    mappings.
    """

    def made(validated: SpanFields) -> Any:  # noqa: ANN401  # a `kind`
        return kind(**validated.__dict__)

    def dumped(span: Any) -> BaseModel:  # noqa: ANN401  # a `kind`
        return constructed(SpanFields, span._asdict())

    fields = handler.generate_schema(SpanFields)
    from_fields = core_schema.no_info_after_validator_function(made, fields)
    return core_schema.json_or_python_schema(
        json_schema=from_fields,
        python_schema=core_schema.union_schema(
            [core_schema.is_instance_schema(kind), from_fields], mode="left_to_right"
        ),
        serialization=core_schema.plain_serializer_function_ser_schema(dumped, return_schema=fields),
    )


_adapters: dict[type, TypeAdapter[Any]] = {}


def adapter_of(kind: type) -> TypeAdapter[Any]:
    """Return the adapter that validates and dumps instances of a class, one object per class."""
    adapter = _adapters.get(kind)
    if adapter is None:
        adapter = _adapters[kind] = TypeAdapter(kind)
    return adapter


def constructed(model: type[BaseModel], fields: dict[str, Any]) -> BaseModel:
    """Make a model with all of these fields, without validation: `model.model_construct` in a tenth of the time."""
    made = model.__new__(model)
    object.__setattr__(made, "__dict__", fields)
    object.__setattr__(made, "__pydantic_fields_set__", set(fields))
    object.__setattr__(made, "__pydantic_extra__", None)
    object.__setattr__(made, "__pydantic_private__", None)
    return made
