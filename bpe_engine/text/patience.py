r"""Limits for untrusted files and texts: the time of an expression, and the length of a text.

    (a|aa)+$  in "aaaa...b"            tries every way to split the letters: exponentially many
    a -> aa   forty times              2^40 letters

An expression of the `regex` package may search for `SECONDS`, plus `SECONDS_A_CHARACTER` for each character of the
text. That is 50,000 characters a second; sensible expressions are ten to a hundred times as fast. Nested groups may
repeat `MOST_REPETITIONS` times in all. Stages may make a text `GROWTH` times as long, plus `GROWTH_OF_ANY` characters:
the longest of the Unicode forms makes 18 characters of one.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING

from bpe_engine.errors import EncodingError, PatternError

if TYPE_CHECKING:
    import regex

SECONDS = 5.0
SECONDS_A_CHARACTER = 2e-5
GROWTH = 64
GROWTH_OF_ANY = 1 << 14
MOST_REPETITIONS = 1000

# An escape, a set, and the start or end of a group.
_PARTS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(|\)(?:\{(?P<least>\d{1,9}))?", re.DOTALL)


class Patience:
    """The time limit for searching one text, starting now."""

    def __init__(self, pattern: regex.Pattern[str], text: str) -> None:
        self.seconds = SECONDS + len(text) * SECONDS_A_CHARACTER
        """The limit for one match, in seconds of processor time, which `regex` counts."""
        self._pattern = pattern
        self._text = text
        self._end = time.monotonic() + self.seconds

    def check(self) -> None:
        """Raise EncodingError if the time is over. Many matches may each stay below the limit for one."""
        if time.monotonic() > self._end:
            raise self.lost()

    def lost(self) -> EncodingError:
        """Return the error for a search that takes too long."""
        return EncodingError(
            f"searching {len(self._text)} characters for {self._pattern.pattern!r:.80} takes more than {self.seconds:.3g} seconds"
        )


def spans_of(pattern: regex.Pattern[str], text: str) -> list[tuple[int, int]]:
    """Return the start and end of each match, in characters. Raises EncodingError if the search takes too long.

    >>> import regex
    >>> spans_of(regex.compile("a+"), "aaba")
    [(0, 2), (3, 4)]
    """
    patience = Patience(pattern, text)
    spans = []
    try:
        for match in pattern.finditer(text, timeout=patience.seconds):
            spans.append(match.span())
            patience.check()
    except TimeoutError:
        raise patience.lost() from None
    return spans


def check_repetitions(source: str) -> None:
    """Raise PatternError for nested groups that repeat too often, because `regex` writes each repetition out.

    >>> check_repetitions("(?:(?:ab){9}){9}")
    >>> check_repetitions("(?:(?:(?:ab){99}){99}){99}")
    Traceback (most recent call last):
    bpe_engine.errors.PatternError: pattern '(?:(?:(?:ab){99}){99}){99}': nested groups repeat more than 1000 times
    """
    written_out = [1]
    for found in _PARTS.finditer(source):
        if found[0] == "(":
            written_out.append(1)
        elif found[0].startswith(")") and len(written_out) > 1:
            inner = written_out.pop() * max(int(found["least"] or 1), 1)
            written_out[-1] = max(written_out[-1], inner)
            if inner > MOST_REPETITIONS:
                raise PatternError(f"pattern {source!r:.200}: nested groups repeat more than {MOST_REPETITIONS} times")


def check_growth(length: int, original: int, what: str) -> None:
    """Raise EncodingError if a text of `original` characters has grown to too large a `length`; `what` names the stages that did it."""
    most = original * GROWTH + GROWTH_OF_ANY
    if length > most:
        raise EncodingError(f"{what} make more than {most} characters of {original}")
