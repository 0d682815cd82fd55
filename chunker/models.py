"""What a chunker returns: chunks, and where they stand in the text.

Both models are frozen, compare by value, hash, pickle, and go to JSON and back with pydantic's `model_dump_json` / `model_validate_json`.
"""

from __future__ import annotations

import hashlib

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
        description="a hash of the source, of where the body begins, and of `text`: no other chunk of the same sources has it"
    )
    metadata: dict[str, str] = Field(
        default_factory=dict, description='"source" if it was given, and the notes of the parser'
    )

    @computed_field  # type: ignore[prop-decorator]  # mypy does not support decorators on top of @property
    @property
    def text(self) -> str:
        """What the budget was spent on: `context` then `body`."""
        return self.context + self.body

    @computed_field  # type: ignore[prop-decorator]  # see text
    @property
    def content_hash(self) -> str:
        """A hash of `text` alone, in 32 hexadecimal digits: chunks with the same text have the same, wherever they stand."""
        return content_hash_of(self.text)

    def __hash__(self) -> int:
        # The metadata are a dict, which has no hash; equal chunks have equal ids.
        return hash(self.id)


def content_hash_of(text: str) -> str:
    """32 hexadecimal digits that depend on a text alone.

    >>> content_hash_of("The same line.")
    '62c166bbf0ab24fe20338585a65a9cbe'
    """
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
