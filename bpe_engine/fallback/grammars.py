"""The rules of the named patterns, alternative by alternative, over runs of character classes.

A grammar is a tuple of alternatives in the order of its pattern, and the first one that matches gives the end of the
pre-token:

    llama3     (?i:'s|'t|'re|'ve|'m|'ll|'d)      contraction("any")
               [^\\r\\n\\p{L}\\p{N}]?\\p{L}+           word(PREFIX, LETTER)
               \\p{N}{1,3}                         at_most(3, NUMBER)
                ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*          after_space(PUNCTUATION, tail=NEWLINE)
               \\s*[\\r\\n]+                         through_newline()
               \\s+(?!\\S)|\\s+                      white_space()

An alternative asks for the end of a run, or for the last character of a class before an offset; `class_runs.py`
answers. A set is written as the text between the brackets of a set in the `regex` package.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

import regex

from bpe_engine.patterns import CJK
from bpe_engine.text.unicode_classes import LONG_S

LETTER = r"\p{L}"
LETTER_OR_MARK = r"\p{L}\p{M}"
NUMBER = r"\p{N}"
DIGIT = "0-9"
SIGN = r"\p{P}\p{S}"
SPACE = r"\s"
NEWLINE = r"\r\n"
PUNCTUATION = rf"^\s{NUMBER}{LETTER}"
# The classes that may start a word of o200k, those that may end it, and those that may do both.
UPPER, LOWER, BOTH = r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}", r"\p{Ll}\p{Lm}\p{Lo}\p{M}", r"\p{Lm}\p{Lo}\p{M}"
# The one character that a word may include before its letters.
PREFIX = r"^\r\n\p{L}\p{N}"
ASCII_PUNCTUATION = r"!-/:-@\[-`\{-\~"
FALCON_CUT = r"\p{P}$+<=>\^~\|`"


class Runs(Protocol):
    """Protocol for a text that the alternatives are matched against. Offsets are characters; text from `limit` on is not read."""

    def character(self, place: int, /) -> str:
        """Return the stand-in of the character at an offset."""

    def end(self, members: str, place: int, limit: int) -> int:
        """Return the end of the run of the set at `place`, or `place` if its character is not in the set."""

    def last(self, members: str, place: int, limit: int) -> int:
        """Return the last offset in [place, limit) whose character is in the set, or `place - 1` if there is none."""

    def first_triple(self, place: int, limit: int) -> int:
        """Return the first offset in [place, limit - 2) where three ASCII digits start, or `limit` if there is none."""


class Alternative(NamedTuple):
    """An alternative of a pattern. `end(runs, place, limit)` returns the end of its match at `place`, or `place` if it does not match."""

    end: Callable[[Runs, int, int], int]
    sets: tuple[str, ...]
    """The sets whose runs the alternative asks for."""


# --- alternatives, each with the part of the pattern that it stands for; `X` is the set


def run(members: str) -> Alternative:
    """`X+`"""
    return Alternative(lambda runs, place, limit: runs.end(members, place, limit), (members,))


def at_most(count: int, members: str) -> Alternative:
    """`X{1,count}`"""
    return Alternative(lambda runs, place, limit: min(runs.end(members, place, limit), place + count), (members,))


def after_space(members: str, tail: str | None = None) -> Alternative:
    """` ?X+[tail]*`; the space is not in the set."""

    def end(runs: Runs, place: int, limit: int) -> int:
        start = _after_space(runs, place, limit)
        stop = runs.end(members, start, limit)
        if stop == start:
            return place
        return stop if tail is None or stop == limit else runs.end(tail, stop, limit)

    return Alternative(end, (members,) if tail is None else (members, tail))


def word(prefix: str, members: str, *, bare: bool = True) -> Alternative:
    """`[prefix]?X+`; without the question mark if not `bare`."""
    is_prefix = _matcher(prefix)

    def end(runs: Runs, place: int, limit: int) -> int:
        after = place + 1
        if after < limit and is_prefix(runs.character(place)) and (stop := runs.end(members, after, limit)) > after:
            return stop
        return runs.end(members, place, limit) if bare else place

    return Alternative(end, (members,))


def word_that_ends_low(upper: str, lower: str, both: str, *, with_contraction: bool) -> Alternative:
    """`[prefix]?[upper]*[lower]+` and a contraction.

    The upper run is greedy. If no lower run follows, it backtracks to its last character that is in both sets.
    """

    def stop(runs: Runs, place: int, limit: int) -> int:
        upper_end = runs.end(upper, place, limit)
        if upper_end < limit and (lower_end := runs.end(lower, upper_end, limit)) > upper_end:
            return lower_end
        return runs.last(both, place, upper_end) + 1

    return Alternative(_cased_word(stop, with_contraction=with_contraction), (upper, lower, both))


def word_that_begins_high(upper: str, *, with_contraction: bool) -> Alternative:
    """`[prefix]?[upper]+[lower]*` and a contraction. Tried after `word_that_ends_low` has failed, so nothing lower follows the upper run."""

    def stop(runs: Runs, place: int, limit: int) -> int:
        return runs.end(upper, place, limit)

    return Alternative(_cased_word(stop, with_contraction=with_contraction), (upper,))


Case = Literal["lower", "ascii", "any"]


def contraction(case: Case) -> Alternative:
    """`'s|'t|'re|'ve|'m|'ll|'d`; with "ascii" `'[sS]|'[tT]|...`; with "any" `(?i:'s|'t|...)`, in which U+017F also matches s."""
    return Alternative(lambda runs, place, limit: _contraction_end(runs, place, limit, case), ())


def to_the_end() -> Alternative:
    """`\\s++$`"""
    return Alternative(lambda runs, place, limit: limit if runs.end(SPACE, place, limit) == limit else place, (SPACE,))


def through_newline() -> Alternative:
    """`\\s*[\\r\\n]+`: up to the last newline of the white space. `\\s*[\\r\\n]` is the same."""
    return Alternative(
        lambda runs, place, limit: runs.last(NEWLINE, place, runs.end(SPACE, place, limit)) + 1, (SPACE, NEWLINE)
    )


def white_space(edges: str = "") -> Alternative:
    """`\\s+(?![^\\s edges])|\\s+`: the run without its last character if text follows that is no edge; otherwise the whole run.

    A run of one character is always matched whole.
    """
    is_edge = _matcher(edges)

    def end(runs: Runs, place: int, limit: int) -> int:
        stop = runs.end(SPACE, place, limit)
        return stop if stop == limit or stop - place < 2 or is_edge(runs.character(stop)) else stop - 1

    return Alternative(end, (SPACE,))


def left_over(members: str, word_members: str) -> Alternative:
    """`X+(?![word])`: the run without its last character if a word follows. A single X before a word was matched by an earlier alternative."""
    begins_word = _matcher(word_members)

    def end(runs: Runs, place: int, limit: int) -> int:
        stop = runs.end(members, place, limit)
        return stop - 1 if place + 1 < stop < limit and begins_word(runs.character(stop)) else stop

    return Alternative(end, (members,))


def triple() -> Alternative:
    """`[0-9]{3}`"""
    return Alternative(
        lambda runs, place, limit: place + 3 if runs.first_triple(place, limit) == place else place, (DIGIT,)
    )


def numbers_before_triple() -> Alternative:
    """` ?(?:(?![0-9]{3})\\p{N})+`"""

    def end(runs: Runs, place: int, limit: int) -> int:
        start = _after_space(runs, place, limit)
        stop = runs.first_triple(start, runs.end(NUMBER, start, limit))
        return stop if stop > start else place

    return Alternative(end, (NUMBER, DIGIT))


# --- helpers of the alternatives


def _matcher(members: str) -> Callable[[str], bool]:
    if not members:
        return lambda _: False
    match = regex.compile(f"(?V1)[{members}]").match
    return lambda character: match(character) is not None


def _after_space(runs: Runs, place: int, limit: int) -> int:
    return place + 1 if place + 1 < limit and runs.character(place) == " " else place


def _cased_word(stop: Callable[[Runs, int, int], int], *, with_contraction: bool) -> Callable[[Runs, int, int], int]:
    is_prefix = _matcher(PREFIX)

    def end(runs: Runs, place: int, limit: int) -> int:
        after = place + 1
        # A mark may be the prefix of a word, and also part of the word.
        starts = (after, place) if after < limit and is_prefix(runs.character(place)) else (place,)
        for start in starts:
            if (found := stop(runs, start, limit)) > start:
                return _contraction_end(runs, found, limit, "any") if with_contraction else found
        return place

    return end


_CONTRACTIONS = ("s", "d", "m", "t", "ll", "ve", "re")


def _contraction_end(runs: Runs, place: int, limit: int, case: Case) -> int:
    """Return the end of 's 't 're 've 'm 'll 'd at `place`, or `place` if there is none."""
    if place >= limit or runs.character(place) != "'":
        return place
    for letters in _CONTRACTIONS:
        end = place + 1 + len(letters)
        if end <= limit:
            found = "".join(map(runs.character, range(place + 1, end)))
            if case != "lower":
                found = found.lower()
            if case == "any":
                found = found.replace(LONG_S, "s")
            if found == letters:
                return end
    return place


# --- the grammars

_TAIL = (through_newline(), white_space())

_GPT2 = (
    contraction("lower"),
    after_space(LETTER),
    after_space(NUMBER),
    after_space(PUNCTUATION),
    white_space(),
)


def _cl100k(digits: int, letters: str = LETTER, case: Case = "any") -> tuple[Alternative, ...]:
    return (
        contraction(case),
        word(PREFIX, letters),
        at_most(digits, NUMBER),
        after_space(rf"^\s{NUMBER}{letters}", tail=NEWLINE),
    )


def _o200k(*, with_contraction: bool, digits: int, tail: str, but: str = "") -> tuple[Alternative, ...]:
    upper, lower, both = (f"{members}{but}" for members in (UPPER, LOWER, BOTH))
    return (
        word_that_ends_low(upper, lower, both, with_contraction=with_contraction),
        word_that_begins_high(upper, with_contraction=with_contraction),
        at_most(digits, NUMBER),
        after_space(PUNCTUATION, tail=tail),
        *_TAIL,
    )


def _deepseek(side: str) -> tuple[Alternative, Alternative]:
    """The alternatives of deepseek_v3 for a word and for a run of other characters, on one side of its second split (CJK or not)."""
    letters = rf"[{LETTER_OR_MARK}]{side}"
    return (
        word(rf"[^\r\n{NUMBER}{LETTER}{SIGN}]{side}", letters),
        left_over(rf"[^\s{NUMBER}{LETTER_OR_MARK}{SIGN}]{side}", letters),
    )


_OUTSIDE, _INSIDE = f"--[{CJK}]", f"&&[{CJK}]"
_WORD_OUTSIDE, _LEFT_OVER_OUTSIDE = _deepseek(_OUTSIDE)
_WORD_INSIDE, _LEFT_OVER_INSIDE = _deepseek(_INSIDE)

GRAMMARS: dict[str, tuple[Alternative, ...]] = {
    "r50k": _GPT2,
    "gpt2": _GPT2,
    "cl100k": (*_cl100k(digits=3), to_the_end(), *_TAIL),
    "llama3": (*_cl100k(digits=3), *_TAIL),
    "qwen2": (*_cl100k(digits=1), *_TAIL),
    "qwen35": (*_cl100k(digits=1, letters=LETTER_OR_MARK), *_TAIL),
    "llama3_ascii": (*_cl100k(digits=3, case="ascii"), *_TAIL),
    "qwen2_ascii": (*_cl100k(digits=1, case="ascii"), *_TAIL),
    "qwen35_ascii": (*_cl100k(digits=1, letters=LETTER_OR_MARK, case="ascii"), *_TAIL),
    "o200k": _o200k(with_contraction=True, digits=3, tail=r"\r\n/"),
    "tekken": _o200k(with_contraction=False, digits=1, tail=r"\r\n/"),
    "kimi_k2": (
        run(r"\p{Han}"),
        *_o200k(with_contraction=True, digits=3, tail=NEWLINE, but=r"&&[^\p{Han}]"),
    ),
    "starcoder": (
        contraction("lower"),
        after_space(LETTER),
        at_most(1, NUMBER),
        after_space(PUNCTUATION),
        white_space(edges=NUMBER),
    ),
    "falcon": (
        run(FALCON_CUT),
        after_space(LETTER),
        triple(),
        numbers_before_triple(),
        after_space(PUNCTUATION + FALCON_CUT),
        white_space(edges=FALCON_CUT),
    ),
    "deepseek_v3": (
        at_most(3, NUMBER),
        word(ASCII_PUNCTUATION, "A-Za-z", bare=False),
        _WORD_OUTSIDE,
        _WORD_INSIDE,
        after_space(f"[{SIGN}]{_OUTSIDE}", tail=NEWLINE),
        run(f"[{SIGN}]{_INSIDE}"),
        through_newline(),
        white_space(edges=NUMBER + CJK),
        _LEFT_OVER_OUTSIDE,
        _LEFT_OVER_INSIDE,
    ),
}
"""The alternatives of each named pattern, in its order."""
