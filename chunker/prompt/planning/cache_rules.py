"""Prices of tokens and rules of caches, by provider: data, with a date and a source, for both change."""

from __future__ import annotations

import json
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field


class CacheRules(BaseModel):
    """Prices in dollars a million tokens, and the rules of a cache of prefixes.

    `input`, `cached`, `write`, `output`: of tokens read anew, read from the cache, read and written to it, and sampled. `min_tokens`: the shortest
    prefix that is kept; `step`: hits are cut to a multiple of this beyond it; `breakpoints`: how many places of a prompt may be marked, 0 where all
    of it is kept without marks; `look_back`: how many messages before a mark a longer prefix of before is looked for, 0 for any number; `seconds`: how
    long a prefix is kept, since its last use if `refreshes`, else since it was written. `as_of`, `source`: when this was so, and who says it.

    >>> PROVIDERS["gpt-4o"].hit(2006)
    1920
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0)
    cached: float = Field(ge=0)
    write: float = Field(ge=0)
    output: float = Field(ge=0)
    min_tokens: int = Field(default=1024, ge=0)
    step: int = Field(default=1, ge=1)
    breakpoints: int = Field(default=0, ge=0)
    look_back: int = Field(default=0, ge=0)
    seconds: float = Field(default=300, ge=0)
    refreshes: bool = True
    as_of: str = ""
    source: str = ""

    def hit(self, tokens: int) -> int:
        """How many tokens of a prefix that is kept are read from the cache."""
        return 0 if tokens < self.min_tokens else tokens - (tokens - self.min_tokens) % self.step


def _providers() -> dict[str, CacheRules]:
    text = files("chunker.prompt.planning").joinpath("providers.json").read_text("utf-8")
    return {name: CacheRules(**rules) for name, rules in json.loads(text).items()}


PROVIDERS: dict[str, CacheRules] = _providers()
