"""The named pre-tokenization grammars, as patterns for the `regex` package."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bpe_engine.errors import PatternError


@dataclass(frozen=True)
class Pattern:
    """A pre-tokenization pattern.

    `source` is in the syntax of the `regex` package. With `behaviour="match"` the matches are the pre-tokens and what lies
    between two matches is dropped, as tiktoken does; with `"split"` the matches and the stretches between them all are
    pre-tokens, as `Split(behavior="isolated")` of Hugging Face does. `name` is set for the grammars of this module.
    """

    source: str
    behaviour: Literal["match", "split"] = "match"
    name: str | None = None

    def __post_init__(self) -> None:
        if self.behaviour not in ("match", "split"):
            raise PatternError(f'behaviour is "match" or "split", not {self.behaviour!r}')


R50K = Pattern(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s", name="r50k")

CL100K = Pattern(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    name="cl100k",
)

O200K = Pattern(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    name="o200k",
)

PATTERNS: dict[str, Pattern] = {"r50k": R50K, "cl100k": CL100K, "o200k": O200K}
