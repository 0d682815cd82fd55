"""Safe splits for pre-tokenizers other than the named grammars: count(text) == count(text[:cut]) + count(text[cut:]),
whatever text follows.

    Digits, Whitespace         the quick| brown| fox 12
    Punctuation, ByteLevel     the quick| brown, fox| 12          never after punctuation, which may belong to the space

Each split is between a plain character (an ASCII letter or digit) and white space. Stages that cut by single characters
are skipped, because they look at two neighbours only. The first stage that does more must always cut there; the stages
after it see pieces of one side.
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
# White space that no grammar keeps in the pre-token of the word before it.
_OUTSIDE_WORDS = " \t\n\r"


class PieceCuts:
    """The safe splits of some pre-tokenizers: between a plain character and one of `separators`."""

    def __init__(self, separators: str) -> None:
        self.separators = separators
        cut = rf"(?<=[0-9A-Za-z])(?=[{separators}])"
        self._first = regex.compile(cut)
        self._last = regex.compile(f"(?r){cut}")

    @classmethod
    def of(cls, stages: tuple[PreTokenizer, ...]) -> Self | None:
        """Return the safe splits of these stages, or None if none are known.

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
                    # A side that does not start with a space would get one.
                    return cls(" " if add_prefix_space else _OUTSIDE_WORDS)
                case Split(Expression(source), "isolated", False) if is_published(source):
                    return cls(_OUTSIDE_WORDS)
                case Pattern(name=name) if PATTERNS.get(name or "") == stage:
                    return cls(_OUTSIDE_WORDS)
                case _:
                    return None
        return None

    def last(self, text: str) -> int:
        """Return the offset of the last split in `text`, in characters; 0 if there is none."""
        found = self._last.search(text)
        return found.start() if found else 0

    def first(self, text: str) -> int:
        """Return the offset of the first split in `text`, in characters; 0 if there is none."""
        found = self._first.search(text)
        return found.start() if found else 0

    def all(self, text: str) -> Iterator[int]:
        """Return the offsets of all splits in `text`, ascending, in characters."""
        return (found.start() for found in self._first.finditer(text))
