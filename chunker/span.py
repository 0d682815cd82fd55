"""Span: the offsets of a chunk in its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Self

if TYPE_CHECKING:  # the model of spans is built only if spans are validated, or dumped as JSON
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


class Span(NamedTuple):
    """The span of a chunk's body in its text: in characters, bytes and lines.

    `text[start:end]` is the body. `text.encode()[start_byte:end_byte]` is the body in UTF-8 (a lone surrogate, which
    UTF-8 does not have, counts as the three bytes that the error handler "surrogatepass" writes). Lines count from 1
    and both ends are inclusive; a line ends with "\\n", "\\r\\n" or a lone "\\r", which belongs to the line.

    Args:
        start: The first character.
        end: The offset after the last character.
        start_byte: The first byte in UTF-8.
        end_byte: The offset after the last byte in UTF-8.
        start_line: The line of the first character, from 1.
        end_line: The line of the last character, from 1.
    """

    start: int
    end: int
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int

    def model_dump(self) -> dict[str, int]:
        """Return the fields as a dict."""
        return self._asdict()

    def model_dump_json(self) -> str:
        """Return the fields as a JSON object."""
        return "{" + ",".join(f'"{name}":{value}' for name, value in zip(self._fields, self, strict=True)) + "}"

    @classmethod
    def model_validate(cls, value: Mapping[str, Any] | Self) -> Self:
        """Make a span from a mapping of its fields.

        Args:
            value: The mapping, or a span.

        Returns:
            A span of the class that this is called on.

        Raises:
            ValidationError: A field is missing or wrong; pydantic's error.
        """
        from chunker.span_schema import adapter_of  # noqa: PLC0415  # see above

        made: Self = adapter_of(cls).validate_python(value)
        return made

    @classmethod
    def model_validate_json(cls, value: str | bytes | bytearray) -> Self:
        """Make a span from JSON.

        Args:
            value: A JSON object with its fields.

        Returns:
            A span of the class that this is called on.

        Raises:
            ValidationError: The value is not JSON, or a field is missing or wrong; pydantic's error.
        """
        from chunker.span_schema import adapter_of  # noqa: PLC0415  # see above

        made: Self = adapter_of(cls).validate_json(value)
        return made

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        from chunker.span_schema import span_schema_of  # noqa: PLC0415  # see above

        return span_schema_of(cls, handler)
