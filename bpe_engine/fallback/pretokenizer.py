"""Split text into pre-tokens with the `regex` package, and find those that appended text cannot move.

A pre-token is *settled* if its span stays the same whatever is appended. For each named pattern a constant is enough:
all but the last `LOOKBACK` pre-tokens of a text are settled.

    1   the last one is open: a run may grow; white space at the end of the text is one pre-token, but gives its last
        character to the text that follows. cl100k; falcon, where " 12" becomes " " | "123".
    2   the last two are open: "'" | "l" becomes "'ll" (r50k, gpt2, starcoder); "it" | "'l" becomes "it'll" and "A中" | "A"
        becomes "A中Ab" (o200k and its kin); "\\n" | "  " becomes one run when another line break follows (all others).

For a custom pattern, `(?:pattern)(?!)` is matched with `partial=True`. It can never match, so the search tries every
way in which the pattern could match, and reports a partial match as soon as one of them reaches the end of the text.
Without such a report, more text cannot matter. (A partial match of the pattern alone is no test: it prefers a complete
match.)

Not here: the same results without reading the whole pre-token; see `class_runs.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Protocol

import regex

from bpe_engine.errors import PatternError
from bpe_engine.patterns import PATTERNS, Pattern
from bpe_engine.pipeline.stand_ins import StandIns, ranges_named_in
from bpe_engine.text.patience import check_repetitions, spans_of
from bpe_engine.text.unicode_classes import stand_ins

Span = tuple[int, int]

# Seconds. Trying every way in which a pattern can match may take exponential time; after this time the pre-token is
# taken as open.
PATIENCE = 0.05

LOOKBACK = dict.fromkeys(PATTERNS, 2) | {"cl100k": 1, "falcon": 1}

# An open pre-token that ends with one of these characters may become shorter when text is appended: " 12" becomes " " |
# "123" under falcon, and under deepseek_v3 a run of characters outside of all its classes loses its last one to a word.
GIVEN_BACK = dict.fromkeys(PATTERNS, r"\s") | {"falcon": r"[\s0-9]", "deepseek_v3": r"[^\p{L}\p{M}\p{N}\p{P}\p{S}]"}


class PreTokenizer(Protocol):
    """Protocol of a pre-tokenization grammar, as the encoders need it. Offsets are characters."""

    looks_back: bool
    """True if a match can depend on the text before it: then no part of a text can be split by itself."""

    def spans(self, text: str) -> list[Span]:
        """Return the pre-tokens of `text`, in order, each as (start, end) in characters."""

    def open_count(self, text: str, spans: list[Span]) -> int:
        """Return the number of open pre-tokens: the last ones of `spans`, which appended text may move. All others are settled.

        The number may exceed `len(spans)`: then some pre-tokens before `text` are open, too.
        """


def pretokenizer_for(pattern: Pattern | None) -> PreTokenizer:
    """Return the pre-tokenizer of a pattern; None makes the whole text one pre-token.

    Raises PatternError if the `regex` package does not accept the pattern.
    """
    if pattern is None:
        return WholeText()
    for name, named in PATTERNS.items():
        if pattern.source == named.source:  # by its expression, whatever its name
            return NamedPattern(name)
    return CustomPattern(pattern)


class WholeText:
    """No pre-tokenization: one pre-token, never settled."""

    looks_back = False

    def spans(self, text: str) -> list[Span]:
        """
        >>> WholeText().spans("ab c"), WholeText().spans("")
        ([(0, 4)], [])
        """
        return [(0, len(text))] if text else []

    def open_count(self, text: str, spans: list[Span]) -> int:  # noqa: ARG002 - the protocol's
        """Return 1, or 0 for an empty text: the one pre-token may always grow."""
        return len(spans)


class NamedPattern:
    """One of the grammars of `bpe_engine.patterns`, whose matches leave no gap between them."""

    looks_back = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._regex = compiled(PATTERNS[name].source)
        self.lookback = LOOKBACK[self.name]
        self._given_back = compiled(GIVEN_BACK[self.name])

    def spans(self, text: str) -> list[Span]:
        """
        >>> NamedPattern("o200k").spans("it's 2 am")
        [(0, 4), (4, 5), (5, 6), (6, 9)]
        """
        return [match.span() for match in self._regex.finditer(stand_ins(text))]

    def split(self, text: str) -> list[str]:
        """Return the pre-tokens of `text` as strings.

        >>> NamedPattern("cl100k").split("it's 2 am")
        ['it', "'s", ' ', '2', ' am']
        """
        if text.isascii():
            return self._regex.findall(text)
        return [text[start:end] for start, end in self.spans(text)]

    def open_count(self, text: str, spans: list[Span]) -> int:  # noqa: ARG002 - the protocol's
        """Return `lookback`, a constant of the pattern."""
        return self.lookback

    def may_shrink(self, last: str) -> bool:
        """Whether the end of an open pre-token may move to the left when text is appended; `last` is its last character.

        >>> NamedPattern("llama3").may_shrink("2"), NamedPattern("falcon").may_shrink("2")
        (False, True)
        """
        return self._given_back.match(stand_ins(last)) is not None


class CustomPattern:
    """A custom pattern, with match or split behaviour. A search that takes too long raises EncodingError (`bpe_engine/text/patience.py`)."""

    def __init__(self, pattern: Pattern) -> None:
        self._regex = compiled(pattern.source)
        # The line end closes a comment at the end of a verbose pattern.
        end_of_comment = "\n" if self._regex.flags & regex.VERBOSE else ""
        self._touches_end = compiled(f"(?:{pattern.source}{end_of_comment})(?!)")
        self._split = pattern.behaviour == "split"
        self._has_dollar = "$" in pattern.source
        self._stand_ins = StandIns(ranges_named_in(pattern.source), strict=False)
        self.looks_back = _looks_back(pattern.source)

    def spans(self, text: str) -> list[Span]:
        """
        >>> CustomPattern(Pattern(",")).spans("a,b"), CustomPattern(Pattern(",", "split")).spans("a,b")
        ([(1, 2)], [(0, 1), (1, 2), (2, 3)])
        """
        matches = [(start, end) for start, end in spans_of(self._regex, self._seen(text)) if end > start]
        return list(_with_gaps(matches, len(text))) if self._split else matches

    def open_count(self, text: str, spans: list[Span]) -> int:
        """
        >>> words = CustomPattern(Pattern(r"\\w+|\\s"))
        >>> words.open_count("one two", words.spans("one two")), words.open_count("one two ", words.spans("one two "))
        (2, 1)
        """
        text = self._seen(text)
        first_open = self._first_open_place(text)
        if self._has_dollar and text.endswith("\n"):
            # "$" has matched before the final "\n", which is not reported as a partial match. Without the "\n" it is
            # reported.
            first_open = min(first_open, self._first_open_place(text[:-1]))
        # A span that ends just there is open, too: it may be a gap, which grows if nothing matches after all.
        return sum(1 for _, end in spans if end >= first_open)

    def _seen(self, text: str) -> str:
        """Return the text in which each character has the class that it has in Unicode 16, whatever `regex` knows of it;
        except for characters that the pattern names.
        """
        return text if text.isascii() else text.translate(self._stand_ins)

    def _first_open_place(self, text: str) -> int:
        """Return the first offset from which the search for a match reaches the end of the text."""
        place = 0
        try:
            while place < len(text) and self._touches_end.match(text, place, partial=True, timeout=PATIENCE) is None:
                match = self._regex.match(text, place, timeout=PATIENCE)
                place = max(place + 1, match.end() if match else 0)
        except TimeoutError:
            return place  # unknown, so it is taken as open
        return place


@cache
def compiled(source: str) -> regex.Pattern[str]:
    """Return the compiled pattern. Raises PatternError, with the place of the error, if it does not compile."""
    check_repetitions(source)
    try:
        return regex.compile(source)
    except regex.error as error:
        raise PatternError(f"pattern {source!r} does not compile: {error}") from error


def _with_gaps(matches: list[Span], length: int) -> Iterator[Span]:
    """
    >>> list(_with_gaps([(1, 2), (2, 3)], 5))
    [(0, 1), (1, 2), (2, 3), (3, 5)]
    """
    position = 0
    for start, end in matches:
        if start > position:
            yield position, start
        yield start, end
        position = end
    if position < length:
        yield position, length


_LOOKS_BACK = regex.compile(
    r"\(\?<[=!]"  # lookbehind
    r"|\\[bBAGKmM<>]"  # word boundaries, start of text, end of the last match, \K
    r"|\^"  # start of text or line
    r"|\(\?[a-zA-Z]*r"  # searching backwards
)
_ESCAPES_AND_SETS = regex.compile(r"\\[^bBAGKmM<>]|\[\^?\]?(?:\\.|[^\]\\])*\]", regex.DOTALL)


def _looks_back(source: str) -> bool:
    """Whether a match may depend on the text before it.

    >>> _looks_back(r"[^\\r\\n]+|\\s+(?!\\S)"), _looks_back(r"\\bword|."), _looks_back(r"(?<=a)b")
    (False, True, True)
    """
    return _LOOKS_BACK.search(_ESCAPES_AND_SETS.sub("", source)) is not None
