r"""Split texts at your own separators, the best first, as LangChain's recursive splitter does.

    ["\n## ", "\n\n", " "]     # A\n\nsome words\n## B\n\nmore
                                   ^3  ^10      ^16  ^22            two of them are stronger than those between words

Unlike there, a span without separators that does not fit is cut further: at sentences, words and grapheme clusters.
"""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, count, pairwise
from operator import add
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from chunker.errors import OptionError
from chunker.formats import Outline, Strength
from chunker.formats.outline import Scopes
from chunker.formats.sketches import CompiledSketch, Inside, Sketch
from chunker.native import native

if TYPE_CHECKING:  # the module does not exist without a compiled core
    from chunker._native import Separators as PreparedSeparators
    from chunker._native import SeparatorSketch as NativeSeparators

Keep = Literal["start", "end"] | bool

_compiled = native()
# A character of a regular expression that stands for itself, and how often it is repeated.
_CHARACTER = re.compile(r"(?s:\\([^\da-zA-Z])|([^.^$*+?{\[\\|()]|\{(?![\d,])))(?:(\+)|\{(\d+)(?:(,)(\d*))?\})?")
# A string, and how often it occurs at least and at most, one after another.
_Run = tuple[str, int, int]


class SeparatorsFormat:
    r"""A format with boundaries at `separators`: strings or, with `regex`, regular expressions, the best first. "" ends
    the list.

    `keep`: True or "start" cuts before a separator, False or "end" after it. Raises `OptionError` for an invalid
    expression.

    >>> SeparatorsFormat(["\n\n", " "]).outline("a b\n\nc").boundaries
    ... # doctest: +NORMALIZE_WHITESPACE
    [Boundary(offset=0, strength=1000000, label='text'), Boundary(offset=1, strength=101, label='part'),
     Boundary(offset=3, strength=102, label='part')]
    """

    language: str | None = None

    def __init__(self, separators: Sequence[str], *, regex: bool = False, keep: Keep = True) -> None:
        used = list(dict.fromkeys(separators))
        if "" in used:
            del used[used.index("") :]
        self._cut_before = keep in {True, "start"}
        try:
            self._patterns = [re.compile(separator if regex else re.escape(separator)) for separator in used]
        except re.error as error:
            raise OptionError(f"separators must be regular expressions: {error.pattern!r}: {error}") from error
        self._runs = tuple(_runs(separator) if regex else ((separator, 1, 1),) for separator in used)
        self._expressions = [rank for rank, runs in enumerate(self._runs) if not runs]
        self._literals = [_literal(runs) for runs in self._runs]
        # An expression that matches at the end alone, such as LangChain's "$$" for LaTeX: `re` looks for it everywhere.
        self._ends = [regex and set(separator) == {"$"} for separator in used]
        # Units are not cut at the last separator, if it is a character, before a chunk overflows in them.
        self._finest = self._literals[-1] if used and len(self._literals[-1] or "") == 1 else None
        # The strength of each rank, the best first.
        self._by_rank = tuple(Strength.STRUCTURE + len(used) - rank for rank in range(len(used)))

    def outline(self, text: str) -> Outline:
        """Return the boundaries at the separators of `text`. Each expression reads the text once."""
        return self._outlined(text, self._find(text, len(self._patterns)))

    def sketch(self, text: str, size: int) -> Sketch:
        """Return the outline of `text` with closed units: units of at most `size` characters are not cut at the last
        separator, if that is one character.
        """
        if _compiled is not None and text:
            matched = {rank: list(self._places(text, 0, len(text), rank)) for rank in self._expressions}
            with suppress(UnicodeEncodeError):  # halves of surrogate pairs
                prepared = _prepared(_compiled, self._runs, self._by_rank, self._cut_before)
                native = _compiled.SeparatorSketch(text, prepared, matched, size)
                return _SeparatorSketch(native, lambda: self.specified_sketch(text, size))
        return self.specified_sketch(text, size)

    def specified_sketch(self, text: str, size: int) -> Sketch:
        """Return what `sketch` does, by its specification."""
        last = len(self._patterns)
        if not text or self._finest is None:
            return Sketch.of_outline(self.outline(text))
        found = self._find(text, last - 1)
        closed: list[int] = []
        for start, end in pairwise([0, *sorted(found), len(text)]):
            if end - start > size:
                found.update(dict.fromkeys(self._inside(text, start, end), last - 1))
            else:
                closed.append(start)
        outline = self._outlined(text, found)
        offsets, strength = [*outline.offsets, len(text)], self._by_rank[-1]

        def look(offset: int) -> Inside:
            places = self._inside(text, offset, offsets[bisect_right(offsets, offset)])
            return Inside(places, [strength] * len(places), ["part"] * len(places), ())

        return Sketch.of(
            (outline.offsets, outline.strengths, outline.labels), closed, look, lambda _: (), finest=outline.finest
        )

    def _inside(self, text: str, start: int, end: int) -> list[int]:
        """Return the cuts strictly inside text[start:end] at the last separator, a character."""
        places = list(self._places(text, start, end, len(self._patterns) - 1))
        return places[places[:1] == [start] : len(places) - (places[-1:] == [end])]

    def _outlined(self, text: str, found: dict[int, int]) -> Outline:
        if not text:
            return Outline([])
        offsets = sorted(found)
        strengths = [int(Strength.DOCUMENT), *map(self._by_rank.__getitem__, map(found.__getitem__, offsets))]
        offsets.insert(0, 0)
        labels = ["text", *["part"] * (len(offsets) - 1)]
        return Outline.of_columns(offsets, strengths, labels, finest=Strength.LINE)

    def _find(self, text: str, ranks: int) -> dict[int, int]:
        """Return the boundaries at separators of the first ranks, so many, with the best rank of each."""
        found: dict[int, int] = {}
        for rank in reversed(range(ranks)):
            found.update(dict.fromkeys(self._places(text, 0, len(text), rank), rank))
        found.pop(0, None)
        found.pop(len(text), None)
        return found

    def _places(self, text: str, start: int, end: int, rank: int) -> Iterable[int]:
        """Return the cuts inside text[start:end] at the separators of a rank, in order."""
        literal = self._literals[rank]
        if self._ends[rank]:
            return [end - 1] * text.endswith("\n", start, end) + [end]
        if not literal:
            matches = self._patterns[rank].finditer(text, start, end)
            return (match.start() if self._cut_before else match.end() for match in matches)
        parts = text[start:end].split(literal)
        parts.pop()
        first = start if self._cut_before else start + len(literal)
        return map(add, accumulate(map(len, parts)), count(first, len(literal)))

    def without_separator(self, text: str) -> str:
        r"""Remove the best separator at the end of `text`, if there is one.

        >>> SeparatorsFormat(["\n\n", "\n"]).without_separator("a\n\n")
        'a'
        """
        for pattern in self._patterns:
            # Do not search for the expression only at the end of the text: for a run of matches that takes quadratic
            # time.
            last = None
            for last in pattern.finditer(text):  # noqa: B007  # the last one is what is wanted
                pass
            if last is not None and last.start() < last.end() == len(text):
                return text[: last.start()]
        return text


class _SeparatorSketch(CompiledSketch):
    """A sketch of separators: its columns are those of the specification."""

    __slots__ = ("_specified",)

    def __init__(self, native: NativeSeparators, specified: Callable[[], Sketch]) -> None:
        self._nested = Scopes(())
        self.notes = {}
        self.finest = int(Strength.LINE)
        self.native = native
        self._specified = specified
        self._refine_with(lambda offset: specified().inside(offset), lambda _: ())

    def _columns(self) -> tuple[list[int], list[int], list[str], dict[int, int], dict[int, None]]:
        made = self._specified()
        return made.offsets, made.strengths, made.labels, made.heads, made.closed


@lru_cache(maxsize=32)
def _prepared(
    core: ModuleType,
    separators: tuple[tuple[_Run, ...], ...],
    strengths: tuple[int, ...],
    before: bool,  # noqa: FBT001  # a part of a key
) -> PreparedSeparators:
    """Return separators as the compiled core reads them, made once for many texts."""
    made: PreparedSeparators = core.Separators(separators, strengths, before)
    return made


def _runs(expression: str) -> tuple[_Run, ...]:
    r"""Return the strings, with the numbers of their repetitions, that a regular expression matches, if it is plain to
    see that as many repetitions as there are can be taken: what follows begins with another character. Otherwise ().

    >>> _runs("\n\\\\section{"), _runs("\n#{1,6} "), _runs("a+b?")
    ((('\n\\section{', 1, 1),), (('\n', 1, 1), ('#', 1, 6), (' ', 1, 1)), ())
    """
    runs: list[_Run] = []
    at = 0
    while at < len(expression):
        found = _CHARACTER.match(expression, at)
        if found is None:
            return ()
        escaped, plain, any_number, least, comma, most = found.groups()
        character = escaped or plain
        low = int(least or 1)
        high = sys.maxsize if any_number or (comma and not most) else int(most or low)
        if low == 0 or (runs and runs[-1][1:] != (1, 1) and runs[-1][0] == character):
            return ()
        if low == high == 1 and runs and runs[-1][1:] == (1, 1):
            runs[-1] = (runs[-1][0] + character, 1, 1)
        else:
            runs.append((character, low, high))
        at = found.end()
    return tuple(runs)


def _literal(runs: tuple[_Run, ...]) -> str | None:
    """Return the string that these runs are, if they are one."""
    return runs[0][0] if len(runs) == 1 and runs[0][1:] == (1, 1) else None
