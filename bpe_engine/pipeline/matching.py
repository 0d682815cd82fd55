"""Match the expressions of tokenizer files with the `regex` package: for the Python engine, and for expressions that the core does not support."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from bpe_engine.errors import PatternError
from bpe_engine.pipeline.expressions import WORD, Expression, escaped
from bpe_engine.pipeline.oniguruma import Translation
from bpe_engine.pipeline.stand_ins import StandIns
from bpe_engine.text.patience import Patience, check_repetitions, spans_of

Match = tuple[int, int, bool]
"""Start and end in characters, and whether the span is a match or the gap between two matches."""


def with_gaps(matches: Iterable[tuple[int, int]], end: int) -> list[Match]:
    """Return matches and the gaps before, between and after them, up to `end`, in characters.

    >>> with_gaps([(1, 2), (2, 3)], 4)
    [(0, 1, False), (1, 2, True), (2, 3, True), (3, 4, False)]
    """
    spans: list[Match] = []
    place = 0
    for start, stop in matches:
        if start > place:
            spans.append((place, start, False))
        spans.append((start, stop, True))
        place = stop
    if place < end:
        spans.append((place, end, False))
    return spans


class RustExpression(Expression):
    """An expression of this package that stands for one of Rust's; it is valid for `regex`, and needs only the right Unicode version."""


class Matcher:
    """A compiled expression. Immutable except for its caches; threads may share it."""

    def __init__(self, pattern: str | Expression) -> None:
        if not (pattern if isinstance(pattern, str) else pattern.source):
            raise PatternError("an empty pattern matches everywhere, which is not supported")
        import regex  # noqa: PLC0415 - 40 ms, and the compiled core never needs it

        self._table: StandIns | None = None
        if isinstance(pattern, str):
            self._regex = regex.compile(escaped(pattern))
        elif isinstance(pattern, RustExpression):
            self._regex, self._table = regex.compile(pattern.source), StandIns([])
        else:
            check_repetitions(pattern.source)
            translation = Translation(pattern.source)
            try:
                self._regex = regex.compile("(?V1)" + translation.result)
            except regex.error as error:
                raise PatternError(f"pattern {pattern.source!r} does not compile: {error}") from error
            self._table = StandIns(translation.explicit)

    def spans(self, text: str) -> list[Match]:
        """Return the matches and the gaps between them, in order; together they are the whole text.

        Raises EncodingError if the search takes too long.

        >>> matcher(Expression("[0-9]")).spans("a12")
        [(0, 1, False), (1, 2, True), (2, 3, True)]
        """
        seen = text if self._table is None or text.isascii() else text.translate(self._table)
        found = spans_of(self._regex, seen)
        if any(start == end for start, end in found):
            found = self._with_empty_ones(seen)
        return with_gaps(found, len(text))

    def _with_empty_ones(self, text: str) -> list[tuple[int, int]]:
        """Return the matches as Oniguruma's iterator does: it skips an empty match right after another match, and searches on one character later."""
        found: list[tuple[int, int]] = []
        place = 0
        patience = Patience(self._regex, text)
        while place <= len(text):
            patience.check()
            try:
                match = self._regex.search(text, place, timeout=patience.seconds)
            except TimeoutError:
                raise patience.lost() from None
            if match is None:
                break
            start, end = match.span()
            if start == end and found and found[-1][1] == end:
                place += 1
                continue
            found.append((start, end))
            place = end
        return found


@cache
def matcher(pattern: str | Expression) -> Matcher:
    """Return the matcher of a pattern, made once.

    Raises PatternError if the pattern does not compile, or may have another meaning under `regex`.
    """
    return Matcher(pattern)


@cache
def _words() -> Matcher:
    return matcher(RustExpression(f"(?V1)[{WORD}]"))


def is_word(character: str) -> bool:
    """Whether a character is part of a word, for the flag `single_word` of an added token.

    >>> is_word("a"), is_word("\u200d"), is_word("-")
    (True, True, False)
    """
    return _words().spans(character)[0][2]
