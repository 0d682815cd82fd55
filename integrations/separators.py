r"""Split texts at your own separators, the best first, as LangChain's recursive splitter does.

    ["\n## ", "\n\n", " "]     # A\n\nsome words\n## B\n\nmore
                                   ^3  ^10      ^16  ^22            two of them are stronger than the one between words

Unlike there, the separators do not have the last word: a stretch that has none of them and does not fit is cut at sentences, words and
grapheme clusters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from chunker.errors import OptionError
from chunker.formats import Outline, Strength

Keep = Literal["start", "end"] | bool


class SeparatorsFormat:
    r"""Boundaries at `separators`, strings or, with `regex`, regular expressions; the best first. "" ends the list.

    `keep`: True or "start" cuts before a separator, False or "end" behind it. Raises `OptionError` for an expression that is none.

    >>> SeparatorsFormat(["\n\n", " "]).outline("a b\n\nc").boundaries
    ... # doctest: +NORMALIZE_WHITESPACE
    [Boundary(offset=0, strength=1000000, label='text'), Boundary(offset=1, strength=101, label='part'),
     Boundary(offset=3, strength=102, label='part')]
    """

    language: str | None = None

    def __init__(self, separators: Sequence[str], *, regex: bool = False, keep: Keep = True) -> None:
        used = list(separators)
        if "" in used:
            del used[used.index("") :]
        self._cut_before = keep in {True, "start"}
        try:
            self._patterns = [re.compile(separator if regex else re.escape(separator)) for separator in used]
        except re.error as error:
            raise OptionError(f"separators must be regular expressions: {error.pattern!r}: {error}") from error

    def outline(self, text: str) -> Outline:
        """The separators of `text`. As fast as the expressions are: each looks at the text once."""
        if not text:
            return Outline([])
        found: dict[int, int] = {}
        for rank, pattern in enumerate(self._patterns):
            for offset in self._offsets(pattern, text):
                found.setdefault(offset, rank)
        found.pop(0, None)
        found.pop(len(text), None)
        offsets = [0, *sorted(found)]
        best = Strength.STRUCTURE + len(self._patterns)
        strengths = [int(Strength.DOCUMENT), *(best - found[offset] for offset in offsets[1:])]
        labels = ["text", *["part"] * (len(offsets) - 1)]
        return Outline.of_columns(offsets, strengths, labels, finest=Strength.LINE)

    def _offsets(self, pattern: re.Pattern[str], text: str) -> Iterator[int]:
        return (match.start() if self._cut_before else match.end() for match in pattern.finditer(text))

    def without_separator(self, text: str) -> str:
        r"""`text` without the best separator that it ends with.

        >>> SeparatorsFormat(["\n\n", "\n"]).without_separator("a\n\n")
        'a'
        """
        for pattern in self._patterns:
            # Not by a search for the expression at the very end, which takes the square of a run that it could begin anywhere in.
            last = None
            for last in pattern.finditer(text):  # noqa: B007  # the last one is what is wanted
                pass
            if last is not None and last.start() < last.end() == len(text):
                return text[: last.start()]
        return text
