"""The fields of a report: what becomes of each item and section, and of the budget."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Status = Literal["kept", "truncated", "dropped"]
# Why an item is not in the prompt, or not whole.
Reason = Literal["budget", "section", "minimum", "maximum", "group", "duplicate", "strict", "empty"]


class ItemReport(BaseModel):
    """The outcome for one item.

    Attributes:
        id: Its name.
        section: The names of the sections around it, such as "context/files"; "" for none.
        status: "kept", "truncated" or "dropped".
        reason: Why it is not in the prompt, or not whole.
        tokens_before: Tokens of its text alone.
        tokens: Tokens of the part that is kept, alone.
        kept: Spans of the part that is kept, in characters.
        step: Its number in the order in which items were put in; None if it was not.
        added: Tokens by which the prompt grew: with separators, headers and frames.
    """

    model_config = ConfigDict(frozen=True)

    id: str
    section: str = Field(description='names of the sections around it, such as "context/files"; "" for none')
    status: Status
    reason: Reason | None = Field(default=None, description="why it is not in the prompt, or was cut")
    tokens_before: int = Field(description="tokens of its text alone")
    tokens: int = Field(description="tokens of what is kept, alone")
    kept: tuple[tuple[int, int], ...] = Field(default=(), description="which characters of it are kept")
    step: int | None = Field(default=None, description="its position in the order of filling; None if it was not added")
    added: int = Field(
        default=0, description="tokens that the prompt grew by when it was put in: with separators, headers and frames"
    )


class SectionReport(BaseModel):
    """The use of the budget of one section, in tokens.

    Attributes:
        name: The name of the section.
        given: Its share, and what the sections before it left.
        used: Tokens of the items in it.
        passed_on: Tokens that it left to the sections after it.
    """

    model_config = ConfigDict(frozen=True)

    name: str
    given: int = Field(description="what it could use: its share, and the surplus of earlier sections")
    used: int
    passed_on: int = Field(default=0, description="what it passed on to later sections")


class ReportFields(BaseModel):
    """The fields of a `Report`, which documents them."""

    model_config = ConfigDict(frozen=True)

    budget: int
    reserve: int
    token_count: int
    stable_tokens: int = Field(description="tokens of the stable items at the start, which a provider's cache may hold")
    separator_tokens: int = Field(
        description="tokens that belong to no item: separators, headers and frames, minus what joins saved"
    )
    items: tuple[ItemReport, ...]
    sections: tuple[SectionReport, ...]
