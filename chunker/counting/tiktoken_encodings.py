"""Encodings of tiktoken: load the same vocabulary into our engine, which gives the same counts and counts while a text
grows.

This works for the patterns that the engine knows, which covers every published encoding. An encoding with another
pattern counts by itself.
"""

from __future__ import annotations

import sys
from typing import Any

from bpe_engine import Tokenizer, Vocabulary
from bpe_engine.patterns import PATTERNS
from chunker.counting.counters import RecountingCounter
from chunker.counting.protocols import TokenCounter

_EMBEDDED = ("o200k_base", "cl100k_base")


def is_tiktoken(tokenizer: object) -> bool:
    """Whether this is a `tiktoken.Encoding`. Imports nothing: the package of such an object is imported already."""
    package = sys.modules.get("tiktoken")
    return package is not None and isinstance(tokenizer, package.Encoding)


def tiktoken_counter(encoding: Any) -> TokenCounter:  # noqa: ANN401  # the package is not a dependency
    """Return a counter with the counts `len(encoding.encode_ordinary(text))`."""
    # The package has no other access to the ranks, except one token at a time, and none to the pattern.
    ranks, source = getattr(encoding, "_mergeable_ranks", None), getattr(encoding, "_pat_str", None)
    pattern = next((known for known in PATTERNS.values() if known.source == source), None)
    if ranks is None or pattern is None or pattern.behaviour != "match":
        return RecountingCounter(_Ordinary(encoding))
    for name in _EMBEDDED:
        ours = Tokenizer.load(name)
        same = len(ranks) == len(ours.vocabulary.ranks) and ours.vocabulary.pattern == pattern
        if same and dict(ours.vocabulary.ranks) == ranks:
            return ours
    return Tokenizer(Vocabulary.from_ranks(ranks, name=encoding.name, pattern=pattern))


class _Ordinary:
    """Counts the tokens of a text by an encoding of tiktoken."""

    def __init__(self, encoding: Any) -> None:  # noqa: ANN401  # the package is not a dependency
        self.encoding = encoding

    def __call__(self, text: str) -> int:
        return len(self.encoding.encode_ordinary(text))

    def __repr__(self) -> str:
        return repr(self.encoding)
