"""The place of a chunk in its text."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Span(BaseModel):
    """The place of a chunk's body in its text, in three units.

    `text[start:end]` is the body. `text.encode()[start_byte:end_byte]` is the same in UTF-8 (a lone surrogate, which UTF-8 does not
    have, counts as the three bytes that the error handler "surrogatepass" writes). Lines count from 1 and both ends are inclusive;
    a line ends with "\\n", "\\r\\n" or a lone "\\r", and that ending belongs to it.
    """

    model_config = ConfigDict(frozen=True)

    start: int = Field(ge=0, description="first character")
    end: int = Field(ge=0, description="one after the last character")
    start_byte: int = Field(ge=0, description="first byte in UTF-8")
    end_byte: int = Field(ge=0, description="one after the last byte in UTF-8")
    start_line: int = Field(ge=1, description="line of the first character, counted from 1")
    end_line: int = Field(ge=1, description="line of the last character, counted from 1")
