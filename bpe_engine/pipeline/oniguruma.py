r"""Regular expressions of Oniguruma, which Hugging Face `tokenizers` uses, for the `regex` package; and where they match.

Most of both languages is the same. Where it is not:

    Oniguruma          regex                            why
    ^  $               (?:\A|(?<=\n)(?!\Z))  (?=\n|\Z)    lines, always
    \w                 a set                            not all numbers are in it
    a{1,3}+            (?:a{1,3})+                      repeats, where regex would not give back
    [a&&[b-z]]         the same, under (?V1)
    \p{L}              the same, of a text whose characters are those of Unicode 16: see `_Table`

What is not known to mean the same is refused, with its place: back references, \b, \h, \G, POSIX brackets, (?m), absent operators and so on.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from bpe_engine.errors import EncodingError, PatternError
from bpe_engine.pipeline.expressions import Expression, escaped
from bpe_engine.text.patience import Patience, check_repetitions, spans_of
from bpe_engine.text.unicode_classes import STAND_IN_OF_CLASS, ranges

if TYPE_CHECKING:
    import regex

Match = tuple[int, int, bool]
"""Start and end in characters, and whether it is a match or what lies between two."""

_CATEGORIES = (
    *(
        "L",
        "Lu",
        "Ll",
        "Lt",
        "Lm",
        "Lo",
        "M",
        "Mn",
        "Mc",
        "Me",
        "N",
        "Nd",
        "Nl",
        "No",
        "P",
        "Pc",
        "Pd",
        "Ps",
        "Pe",
        "Pi",
        "Pf",
        "Po",
    ),
    *("S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl", "Zp", "Cc", "Cf"),
)
_SCRIPTS = (
    *(
        "Arabic",
        "Armenian",
        "Bengali",
        "Bopomofo",
        "Cyrillic",
        "Devanagari",
        "Ethiopic",
        "Georgian",
        "Greek",
        "Gujarati",
        "Gurmukhi",
    ),
    *(
        "Han",
        "Hangul",
        "Hebrew",
        "Hiragana",
        "Kannada",
        "Katakana",
        "Khmer",
        "Lao",
        "Latin",
        "Malayalam",
        "Mongolian",
        "Myanmar",
    ),
    *("Oriya", "Sinhala", "Tamil", "Telugu", "Thai", "Tibetan"),
)
PROPERTIES = {name.lower(): name for name in (*_CATEGORIES, *_SCRIPTS)} | {
    "letter": "L", "number": "N", "mark": "M", "punctuation": "P", "symbol": "S",
    "lowercase_letter": "Ll", "uppercase_letter": "Lu", "decimal_number": "Nd",
}  # fmt: skip
r"""Name in \p{...}, in small letters -> its name in `regex`."""

_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
# Six numbers of Latin-1 are parts of words by themselves, and are not in a set.
_LATIN = r"\xb2\xb3\xb9\xbc-\xbe"
_IN_SETS = {"s": r"\s", "S": r"\S", "d": r"\p{Nd}", "D": r"\P{Nd}", "w": f"[{_WORD}]", "W": f"[^{_WORD}]"}
_CLASSES = _IN_SETS | {"w": f"[{_WORD}{_LATIN}]", "W": f"[^{_WORD}{_LATIN}]"}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_GROUPS = ("(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:")
# In small letters; where case is ignored one character stands for two of these: "ß", "ﬁ".
_LIGATURES = ("ss", "ff", "fi", "fl", "st")
_MOST_NESTED = 50


class RustExpression(Expression):
    """One of our own in place of one of Rust's regular expressions, which `regex` takes as it is, but for the version of Unicode."""


class Matcher:
    """A compiled expression. Immutable, but for what it remembers; shared by threads."""

    def __init__(self, pattern: str | Expression) -> None:
        if not (pattern if isinstance(pattern, str) else pattern.source):
            raise PatternError("an empty pattern matches everywhere, which is not supported")
        import regex  # noqa: PLC0415 - 40 ms, and the compiled core never needs it

        self._table: _Table | None = None
        if isinstance(pattern, str):
            self._regex = regex.compile(escaped(pattern))
        elif isinstance(pattern, RustExpression):
            self._regex, self._table = regex.compile(pattern.source), _Table([])
        else:
            check_repetitions(pattern.source)
            translation = _Translation(pattern.source)
            try:
                self._regex = regex.compile("(?V1)" + translation.result)
            except regex.error as error:
                raise PatternError(f"pattern {pattern.source!r} does not compile: {error}") from error
            self._table = _Table(translation.explicit)

    def spans(self, text: str) -> list[Match]:
        """The matches and the stretches between them, in order; they make up the whole text.

        Raises EncodingError where the search takes too long.

        >>> matcher(Expression("[0-9]")).spans("a12")
        [(0, 1, False), (1, 2, True), (2, 3, True)]
        """
        seen = text if self._table is None or text.isascii() else text.translate(self._table)
        found = spans_of(self._regex, seen)
        if any(start == end for start, end in found):
            found = self._with_empty_ones(seen)
        spans = []
        place = 0
        for start, end in found:
            if start > place:
                spans.append((place, start, False))
            spans.append((start, end, True))
            place = end
        if place < len(text):
            spans.append((place, len(text), False))
        return spans

    def _with_empty_ones(self, text: str) -> list[tuple[int, int]]:
        """The matches as Oniguruma's iterator gives them: an empty one after another match is left out, and the search goes on after it."""
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
    """The matcher of a pattern. Raises PatternError where it does not compile, or is not known to mean the same under `regex`."""
    return Matcher(pattern)


def translated(source: str) -> str:
    """An expression of Oniguruma for the `regex` package, without a look at its version of Unicode. Raises PatternError as `matcher`."""
    return "(?V1)" + _Translation(source).result


# A character of a word, as Rust's regular expressions have it.
WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d"


@cache
def _words() -> Matcher:
    return matcher(RustExpression(f"(?V1)[{WORD}]"))


def is_word(character: str) -> bool:
    """Whether a character is part of a word, for the flag `single_word` of an added token.

    >>> is_word("a"), is_word("\u200d"), is_word("-")
    (True, True, False)
    """
    return _words().spans(character)[0][2]


class _Table(dict[int, int]):
    """Code point -> one with the same class in Unicode 16 and in the version that `regex` follows: itself, as a rule. Filled as needed.

    `explicit` are the ranges of code points that the pattern names; the other one is in none that this one is not in.
    """

    def __init__(self, explicit: list[tuple[int, int]]) -> None:
        super().__init__()
        self._explicit = explicit

    def __missing__(self, point: int) -> int:
        self[point] = found = self._stand_in(point)
        return found

    def _stand_in(self, point: int) -> int:
        wanted = _class_in_16(point)
        if wanted == _class_in_regex(point):
            return point
        others = [0xFDD0, 0x1FFFE, 0x10FFFF] if wanted == "-" else [ord(STAND_IN_OF_CLASS[wanted])]
        for other in others:
            if all((first <= point <= last) == (first <= other <= last) for first, last in self._explicit):
                return other
        raise EncodingError(f"U+{point:04X} has changed its class since Unicode 16, and the pattern names it")


def _class_in_16(point: int) -> str:
    found = ranges()[bisect_right(_firsts(), point) - 1]
    return found.category + " Han" * found.han


@cache
def _firsts() -> list[int]:
    return [first for first, _, _ in ranges()]


@cache
def _class_pattern() -> regex.Pattern[str]:
    import regex  # noqa: PLC0415 - 40 ms, and the compiled core never needs it

    kinds = ("Lu", "Ll", "Lt", "Lm", "Lo", "M", "N", "P", "S")
    return regex.compile("|".join(rf"(?P<{kind}>\p{{{kind}}})" for kind in kinds) + r"|(?P<White_Space>\s)|(?s:.)")


def _class_in_regex(point: int) -> str:
    import regex  # noqa: PLC0415 - 40 ms, and the compiled core never needs it

    character = chr(point)
    found = _class_pattern().match(character)
    category = (found.lastgroup if found else None) or "-"
    han = category not in ("-", "White_Space") and regex.match(r"\p{Han}", character) is not None
    return category + " Han" * han


class _Translation:
    """One pattern, read from left to right."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._place = 0
        self.explicit: list[tuple[int, int]] = []
        self._ignores_case: list[bool] = [False]
        self._literals = ""
        self._out: list[str] = []
        self._atom = 0  # the start of the last atom in `_out`
        opened: list[int] = []
        while self._place < len(source):
            self._step(opened)
        if opened:
            raise self._refused("an open group", len(source))
        self.result = "".join(self._out)

    def _refused(self, what: str, place: int | None = None) -> PatternError:
        at = self._place if place is None else place
        return PatternError(f"pattern {self._source!r:.200}: {what} at character {at} is not supported")

    def _step(self, opened: list[int]) -> None:
        source, character = self._source, self._source[self._place]
        if character == "(":
            kind = next((group for group in _GROUPS if source.startswith(group, self._place)), None)
            if kind is None and source.startswith("(?", self._place):
                raise self._refused(f"the group {source[self._place : self._place + 4]!r}")
            if len(opened) >= _MOST_NESTED:
                raise self._refused(f"a group inside {_MOST_NESTED} others")
            opened.append(len(self._out))
            self._ignores_case.append(self._ignores_case[-1] or kind == "(?i:")
            self._out.append(kind or "(?:")
            self._place += len(kind or "(")
            self._literals = ""
        elif character == ")":
            if not opened:
                raise self._refused("a closing parenthesis")
            self._atom = opened.pop()
            self._ignores_case.pop()
            self._out.append(")")
            self._place += 1
            self._literals = ""
        elif character in "*+?{" and (character != "{" or self._interval()):
            self._quantifier()
        elif character == "|":
            self._put("|", 1)
            self._literals = ""
        elif character in "^$.":
            self._put({"^": r"(?:\A|(?<=\n)(?!\Z))", "$": r"(?=\n|\Z)", ".": r"[^\n]"}[character], 1)
            self._literals = ""
        elif character == "[":
            self._atom = len(self._out)
            self._out.append(self._set(0))
            self._literals = ""
        elif character == "\\":
            self._escape_outside()
        else:
            self._literal(character, 1)

    def _put(self, translated: str, length: int) -> None:
        self._atom = len(self._out)
        self._out.append(translated)
        self._place += length

    def _literal(self, character: str, length: int) -> None:
        if ord(character) > 127:
            self.explicit.append((ord(character), ord(character)))
        if self._ignores_case[-1]:
            self._literals += character.lower()
            if ord(character) > 127 or self._literals.endswith(_LIGATURES):
                raise self._refused(f"{self._literals!r} where case is ignored")
        self._put(escaped(character), length)

    def _interval(self) -> re.Match[str] | None:
        return re.compile(r"\{(?:\d{1,5}(?:,\d{0,5})?|,\d{1,5})\}").match(self._source, self._place)

    def _quantifier(self) -> None:
        if self._atom >= len(self._out):
            raise self._refused("a quantifier with nothing before it")
        self._literals = ""
        interval = self._interval()
        text = interval.group() if interval else self._source[self._place]
        self._place += len(text)
        suffix = self._source[self._place : self._place + 1]
        if interval and suffix == "+":
            self._out[self._atom :] = ["(?:", *self._out[self._atom :], text.replace("{,", "{0,"), ")+"]
            self._place += 1
        elif interval and suffix == "?" and "," not in text:
            raise self._refused(f"{text}?")
        else:
            if suffix in ("?", "+"):
                text += suffix
                self._place += 1
            self._out.append(text.replace("{,", "{0,"))
        if self._source[self._place : self._place + 1] in ("*", "+", "?"):
            raise self._refused("a quantifier behind another")

    def _escape_outside(self) -> None:
        after = self._source[self._place + 1 : self._place + 2]
        self._literals = "" if not after.isdigit() and after not in "xu" else self._literals
        if after in _CLASSES and after:
            self._put(_CLASSES[after], 2)
        elif after in ("p", "P"):
            translated, length = self._property()
            self._put(translated, length)
        elif after in ("A", "z"):
            self._put({"A": r"\A", "z": r"\Z"}[after], 2)
        else:
            self._literal(*self._escaped_character())

    def _property(self) -> tuple[str, int]:
        found = re.compile(r"\\([pP])\{(\^?)([A-Za-z_ -]{1,40})\}").match(self._source, self._place)
        name = PROPERTIES.get(found.group(3).lower().replace(" ", "_")) if found else None
        if found is None or name is None:
            raise self._refused(f"the property {self._source[self._place : self._place + 20]!r}")
        negative = (found.group(1) == "P") != bool(found.group(2))
        return rf"\{'P' if negative else 'p'}{{{name}}}", len(found.group())

    def _escaped_character(self) -> tuple[str, int]:
        r"""The character that an escape stands for, and the length of the escape: "\n", "\x{4e00}", "\u4e00", "\."."""
        after = self._source[self._place + 1 : self._place + 2]
        if after in _CONTROLS and after:
            return _CONTROLS[after], 2
        number = re.compile(r"\\(?:x\{([0-9A-Fa-f]{1,6})\}|x([0-7][0-9A-Fa-f])|u([0-9A-Fa-f]{4}))").match(
            self._source, self._place
        )
        if number:
            point = int(number.group(1) or number.group(2) or number.group(3), 16)
            if point <= 0x10FFFF and not 0xD800 <= point < 0xE000:
                return chr(point), len(number.group())
        if not after or after.isalnum():
            raise self._refused(f"the escape \\{after}")
        return after, 2

    def _set(self, depth: int) -> str:
        """A set in brackets, from where it opens to after where it closes."""
        source, start = self._source, self._place
        if depth > _MOST_NESTED:
            raise self._refused(f"a set inside {_MOST_NESTED} others")
        self._place += 1
        parts = ["["]
        if source.startswith("^", self._place):
            parts.append("^")
            self._place += 1
        empty = True
        last: str | None = None  # a single character, which may begin a range
        while True:
            character = source[self._place : self._place + 1]
            if not character:
                raise self._refused("an open set", start)
            if character == "]":
                if empty:
                    raise self._refused("an empty set", start)
                self._place += 1
                return "".join([*parts, "]"])
            empty = False
            if source.startswith("&&", self._place):
                parts.append("&&")
                self._place += 2
                last = None
            elif character == "[":
                if source.startswith("[:", self._place):
                    raise self._refused("a POSIX bracket")
                parts.append(self._set(depth + 1))
                last = None
            elif character == "-" and last is not None and source[self._place + 1 : self._place + 2] not in ("]", ""):
                self._place += 1
                parts.append("-" + self._range_end(last))
                last = None
            else:
                text, last = self._member()
                parts.append(text)

    def _member(self) -> tuple[str, str | None]:
        """A member of a set, and the character that it is if it is one."""
        character = self._source[self._place]
        if character != "\\":
            self._place += 1
        else:
            after = self._source[self._place + 1 : self._place + 2]
            if after in _IN_SETS and after:
                self._place += 2
                return _IN_SETS[after], None
            if after in ("p", "P"):
                translated, length = self._property()
                self._place += length
                return translated, None
            character, length = self._escaped_character()
            self._place += length
        self._named(character, character)
        return escaped(character), character

    def _range_end(self, first: str) -> str:
        place = self._place
        if self._source[place] == "[" or self._source.startswith("&&", place):
            raise self._refused("a range with a set for its end")
        text, last = self._member()
        if last is None or last < first:
            raise self._refused("a range", place)
        self._named(first, last)
        return text

    def _named(self, first: str, last: str) -> None:
        if ord(last) > 127:
            if self._ignores_case[-1]:
                raise self._refused(f"{last!r} where case is ignored")
            self.explicit.append((ord(first), ord(last)))
