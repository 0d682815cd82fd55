"""Prices of tokens and rules of prompt caches, by provider: data with a date and a source, because both change."""

from __future__ import annotations

import json
from importlib.resources import files

from pydantic import BaseModel, ConfigDict, Field, model_validator


class CacheRules(BaseModel):
    """Prices in dollars a million tokens, and the rules of a cache of prompt prefixes.

    Args:
        input: Price of tokens that are read anew.
        cached: Price of tokens that are read from the cache.
        write: Price of tokens that are read and written to the cache.
        output: Price of tokens that the model samples.
        min_tokens: The shortest prefix that is cached, in tokens.
        step: Beyond `min_tokens`, hits are rounded down to a multiple of this number of tokens.
        breakpoints: How many offsets of a prompt may be marked for the cache; 0 if all of it is cached without marks.
        look_back: How many messages before a mark the cache looks for a longer prefix; 0 for any number.
        seconds: How long a prefix is kept since its last use.
        as_of: The date of these facts.
        source: Their source.
        note: What the source leaves open, or which model it is.

    Examples:
        >>> PROVIDERS["gpt-4o"].hit(2006)
        1920
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, allow_inf_nan=False)
    cached: float = Field(ge=0, allow_inf_nan=False)
    write: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(ge=0, allow_inf_nan=False)
    min_tokens: int = Field(default=1024, ge=0)
    step: int = Field(default=1, ge=1)
    breakpoints: int = Field(default=0, ge=0)
    look_back: int = Field(default=0, ge=0)
    seconds: float = Field(default=300, ge=0)
    as_of: str = ""
    source: str = ""
    note: str = ""

    @model_validator(mode="after")
    def _is_a_cache(self) -> CacheRules:
        """Raise ValueError for prices that do not ascend from cached to read to written."""
        if not self.cached <= self.input <= self.write:
            raise ValueError(
                f"prices must ascend: cached {self.cached:g}, input {self.input:g}, write {self.write:g}; "
                "if writing costs nothing extra, write = input"
            )
        return self

    def hit(self, tokens: int) -> int:
        """How many tokens of a cached prefix are read from the cache.

        Args:
            tokens: The length of the prefix, in tokens.

        Returns:
            A number of tokens, at most `tokens`; 0 for a prefix that is too short to be cached.
        """
        return 0 if tokens < self.min_tokens else tokens - (tokens - self.min_tokens) % self.step


def _providers() -> dict[str, CacheRules]:
    text = files("chunker.prompt.planning").joinpath("providers.json").read_text("utf-8")
    return {name: CacheRules(**rules) for name, rules in json.loads(text).items()}


PROVIDERS: dict[str, CacheRules] = _providers()
"""The rules of prompt caches, by provider."""
