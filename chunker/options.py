"""The options that all chunkers share."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, TypedDict

from chunker.context.breadcrumbs import ContextPart
from chunker.counting import AnyTokenizer
from chunker.growing.budget import OverlapBy

# "grow" fills chunk after chunk; "optimal" chooses all cuts of a text together.
Strategy = Literal["grow", "optimal"]


class Options(TypedDict, total=False):
    """The options of every chunker besides `max_tokens`; see `chunker.TextChunker`."""

    tokenizer: AnyTokenizer
    min_tokens: int | None
    desired_tokens: int | None
    overlap: int
    overlap_by: OverlapBy
    context: bool | Collection[ContextPart]
    strategy: Strategy
    reserve: int | None
