"""Protocol between the incremental encoders of a vocabulary and its engine, so that neither module imports the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from bpe_engine.engine import Engine
from bpe_engine.fallback.pieces import PieceCounts
from bpe_engine.fallback.pretokenizer import PreTokenizer
from bpe_engine.reference.dictionary import TokenDictionary


class IncrementalVocabulary(Engine, Protocol):
    """Protocol for an engine in Python whose texts are pre-tokens of one dictionary: `engine.VocabularyEngine`."""

    @property
    def dictionary(self) -> TokenDictionary:
        """The tokens in merge order."""

    @property
    def pretokenizer(self) -> PreTokenizer:
        """Splits a text into pre-tokens."""

    @property
    def piece_counts(self) -> PieceCounts:
        """The number of tokens of each pre-token."""

    def pieces(self, characters: str) -> Iterator[list[str]]:
        """Yield the pre-tokens of received text, block by block."""

    def count_characters(self, characters: str) -> int:
        """Return the `count` of received text."""
