"""The arguments of the tools, as models whose descriptions agents read."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_TEXT_BYTES = 4 << 20
MOST_TEXTS = 200

Count = Annotated[int, Field(ge=0, le=10_000_000)]
Path = Annotated[str, Field(max_length=4096, description="A file, by its path from the roots: src/main.py")]
TokenizerName = Annotated[
    str, Field(max_length=1000, description="The tokenizer that counts; o200k_base is that of GPT-4o and GPT-5.")
]


class AskedItem(BaseModel):
    """One item of a prompt: a text, or a file of the roots."""

    model_config = ConfigDict(extra="forbid")

    text: str | None = Field(default=None, description="The text; or pass path.")
    path: Path | None = Field(default=None, description="A file, by its path from the roots; or pass text.")
    id: str | None = Field(
        default=None, max_length=1000, description="Its name in the report. Default: its path, or its number."
    )
    priority: float = Field(default=0, allow_inf_nan=False, description="Items with larger numbers stay longer.")
    required: bool = Field(default=False, description="Whether the prompt must contain it.")
    truncate: Literal["tail", "head", "middle"] | None = Field(
        default=None, description="The part to cut if it does not fit; null drops all of it."
    )
    truncate_at: Literal["token", "line", "sentence"] = "line"
    min_tokens: Count = Field(default=0, description="Drop it if fewer of its tokens fit.")
    max_tokens: Count | None = Field(default=None, description="Largest number of its tokens to include.")

    @model_validator(mode="after")
    def _one_of_two(self) -> AskedItem:
        if (self.text is None) == (self.path is None):
            raise ValueError("an item needs either text or path")
        return self
