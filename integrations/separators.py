r"""Split texts at your own separators, the best first, as LangChain's recursive splitter does.

    ["\n## ", "\n\n", " "]     # A\n\nsome words\n## B\n\nmore
                                   ^3  ^10      ^16  ^22            two of them are stronger than the one between words

Unlike there, the separators do not have the last word: a stretch that has none of them and does not fit is cut at sentences, words and
grapheme clusters.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import accumulate, count, pairwise
from operator import add
from typing import Literal

from chunker.errors import OptionError
from chunker.formats import Outline, Strength
from chunker.formats.sketches import Inside, Sketch
from chunker.native import native

Keep = Literal["start", "end"] | bool

_compiled = native()


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
        # Separators up to here are looked for in the whole text: where one of several characters begins may depend on what is before it.
        single = [len(separator) == 1 and not regex for separator in used]
        self._whole = max((rank + 1 for rank, is_single in enumerate(single) if not is_single), default=0)
        # The finer ones, all of one character, and the strengths of these.
        finer = dict.fromkeys(used[self._whole :])
        self._finer = re.compile(f"[{re.escape(''.join(finer))}]" if finer else "(?!)")
        try:
            self._literals = [None if regex else separator for separator in used]
            self._patterns = [re.compile(separator if regex else re.escape(separator)) for separator in used]
        except re.error as error:
            raise OptionError(f"separators must be regular expressions: {error.pattern!r}: {error}") from error
        # Of each rank, the best first.
        self._by_rank = [Strength.STRUCTURE + len(used) - rank for rank in range(len(used))]
        self._strengths = {separator: self._by_rank[used.index(separator)] for separator in finer}

    def outline(self, text: str) -> Outline:
        """The separators of `text`. As fast as the expressions are: each looks at the text once."""
        return self._outlined(text, self._find(text, 0, len(text), 0, len(self._patterns)))

    def sketch(self, text: str, size: int) -> Sketch:
        """The outline of `text`, with closed units: inside of those of at most `size` characters no separator of one character is looked for, unless there are stronger ones
        of several.
        """
        if not text:
            return Sketch.of_outline(Outline([]))
        found = self._find(text, 0, len(text), 0, self._whole)
        closed: list[int] = []
        for rank in range(self._whole, len(self._patterns)):
            # What is still too long is looked into, one separator after the other.
            offsets = [0, *sorted(found), len(text)]
            closed = []
            for start, end in pairwise(offsets):
                if end - start > size:
                    found.update(self._find(text, start, end, rank, rank + 1))
                else:
                    closed.append(start)
        outline = self._outlined(text, found)
        ends = dict(pairwise([*outline.offsets, len(text)])) if closed else {}

        def look(offset: int) -> Inside:
            places = [match.start() for match in self._finer.finditer(text, offset, ends[offset])]
            strengths = [self._strengths[text[place]] for place in places]
            if not self._cut_before:
                places = [place + 1 for place in places]
            # What stands at the ends of a unit is no boundary inside it.
            first, last = bisect_right(places, offset), bisect_left(places, ends[offset])
            places, strengths = places[first:last], strengths[first:last]
            return Inside(places, strengths, ["part"] * len(places), ())

        return Sketch.of(
            (outline.offsets, outline.strengths, outline.labels), closed, look, lambda _: (), finest=outline.finest
        )

    def _outlined(self, text: str, found: dict[int, int]) -> Outline:
        if not text:
            return Outline([])
        offsets = sorted(found)
        strengths = [int(Strength.DOCUMENT), *map(self._by_rank.__getitem__, map(found.__getitem__, offsets))]
        offsets.insert(0, 0)
        labels = ["text", *["part"] * (len(offsets) - 1)]
        return Outline.of_columns(offsets, strengths, labels, finest=Strength.LINE)

    def _find(self, text: str, start: int, end: int, first: int, last: int) -> dict[int, int]:
        """The boundaries inside text[start:end] at separators of these ranks, and the best rank of each."""
        found: dict[int, int] = {}
        for rank in reversed(range(first, last)):
            found.update(dict.fromkeys(self._places(text, start, end, rank), rank))
        found.pop(start, None)
        found.pop(end, None)
        return found

    def _places(self, text: str, start: int, end: int, rank: int) -> Iterable[int]:
        """The cuts inside text[start:end] at the separators of a rank, in order."""
        literal = self._literals[rank]
        if not literal:
            matches = self._patterns[rank].finditer(text, start, end)
            return (match.start() if self._cut_before else match.end() for match in matches)
        # All of them in one call, without an object of a match for each.
        if _compiled is not None and end - start == len(text):
            with suppress(UnicodeEncodeError):  # halves of surrogate pairs
                found = _compiled.occurrences(text, literal)
                return found if self._cut_before else [place + len(literal) for place in found]
        parts = text[start:end].split(literal)
        parts.pop()
        first = start if self._cut_before else start + len(literal)
        return map(add, accumulate(map(len, parts)), count(first, len(literal)))

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
