"""Safe splits for pre-tokenizers that are no named grammar: count(text) == count(text[:cut]) + count(text[cut:]),
whatever follows.

    Digits, Whitespace         the quick| brown| fox 12
    Punctuation, ByteLevel     the quick| brown, fox| 12          never after punctuation: that may go with the space

Between a plain character (a letter or digit of ASCII) and white space. What cuts by single characters is skipped: it decides between two
neighbours. The first stage that does more has to cut there, always; the stages after it see pieces of one side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import regex

from bpe_engine.patterns import PATTERNS, Pattern
from bpe_engine.pipeline.characters import WHITE_SPACE
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.pre_tokenizers import (
    ByteLevel,
    Digits,
    Metaspace,
    PreTokenizer,
    Punctuation,
    Split,
    Whitespace,
    WhitespaceSplit,
)
from bpe_engine.pipeline.recognition import is_published

_BY_CHARACTER = ("isolated", "contiguous", "removed")
# White space that no grammar keeps with the word before it.
_OUTSIDE_WORDS = " \t\n\r"


class PieceCuts:
    """The cuts of some pre-tokenizers: before each of `separators`, after a plain character."""

    def __init__(self, separators: str) -> None:
        self.separators = separators
        cut = rf"(?<=[0-9A-Za-z])(?=[{separators}])"
        self._first = regex.compile(cut)
        self._last = regex.compile(f"(?r){cut}")

    @classmethod
    def of(cls, stages: tuple[PreTokenizer, ...]) -> Self | None:
        """The cuts of these stages; None if none are known.

        >>> cuts = PieceCuts.of((Punctuation(), ByteLevel(add_prefix_space=True)))
        >>> cuts and cuts.last("the fox, 12"), cuts and cuts.first("the fox, 12")
        (3, 3)
        """
        for stage in stages:
            match stage:
                case Digits():
                    continue
                case Punctuation(behaviour) if behaviour in _BY_CHARACTER:
                    continue
                case Whitespace() | WhitespaceSplit():
                    return cls(WHITE_SPACE)
                case Metaspace(split=True):
                    return cls(" ")
                case ByteLevel(add_prefix_space, True):
                    # A side that does not begin with a space would be given one.
                    return cls(" " if add_prefix_space else _OUTSIDE_WORDS)
                case Split(Expression(source), "isolated", False) if is_published(source):
                    return cls(_OUTSIDE_WORDS)
                case Pattern(name=name) if PATTERNS.get(name or "") == stage:
                    return cls(_OUTSIDE_WORDS)
                case _:
                    return None
        return None

    def last(self, text: str) -> int:
        """The last cut in `text`, in characters; 0 for none."""
        found = self._last.search(text)
        return found.start() if found else 0

    def first(self, text: str) -> int:
        """The first cut in `text`, in characters; 0 for none."""
        found = self._first.search(text)
        return found.start() if found else 0

    def all(self, text: str) -> Iterator[int]:
        """All cuts in `text`, in ascending order."""
        return (found.start() for found in self._first.finditer(text))
