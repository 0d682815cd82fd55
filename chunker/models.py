"""What a chunker returns: chunks, and where they stand in the text.

Both models are frozen, compare by value, pickle, and go to JSON and back with pydantic's `model_dump_json` / `model_validate_json`.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, computed_field


class Span(BaseModel):
    """Where a chunk's body stands in its text, in three units.

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


class Chunk(BaseModel):
    """A piece of a text that fits a token budget.

    `token_count` is exactly what the tokenizer counts for `text`, and `text` is `context + body`: the breadcrumb, if it was asked
    for, then the slice of the input that `span` describes.
    """

    model_config = ConfigDict(frozen=True)

    body: str = Field(description="the slice of the input")
    context: str = Field(
        default="",
        description="the lines that stand before the body: its breadcrumb, and lines of the text it needs; or empty",
    )
    token_count: int = Field(ge=0, description="tokens of `text`")
    span: Span
    kind: str = Field(
        description='what begins at the start of the body: "function", "section", "paragraph", "line", ...'
    )
    language: str | None = Field(default=None, description='"python", "markdown", ..., None for plain text')
    id: str = Field(
        description="a hash of `text`; depends on nothing else, except that repeats of one text in one input are numbered"
    )
    metadata: dict[str, str] = Field(
        default_factory=dict, description='"source" if it was given, and the notes of the parser'
    )

    @computed_field  # type: ignore[prop-decorator]  # mypy does not support decorators on top of @property
    @property
    def text(self) -> str:
        """What the budget was spent on: `context` then `body`."""
        return self.context + self.body
