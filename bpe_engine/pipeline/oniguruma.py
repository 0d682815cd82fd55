r"""Translate regular expressions of Oniguruma, which Hugging Face `tokenizers` uses, for the `regex` package.

Most of the syntax is the same. The differences:

    Oniguruma          regex                            why
    ^  $               (?:\A|(?<=\n)(?!\Z))  (?=\n|\Z)    match at lines, always
    \w                 a set                            does not include all numbers
    a{1,3}+            (?:a{1,3})+                      repeats; in regex it is possessive
    [a&&[b-z]]         the same, under (?V1)
    \p{L}              the same, on a text with the character classes of Unicode 16: see `stand_ins.py`

Syntax that may have another meaning is refused, with its place: back references, \b, \h, \G, POSIX brackets, (?m),
absent operators and so on.
"""

from __future__ import annotations

import re

from bpe_engine.errors import PatternError
from bpe_engine.pipeline.expressions import escaped

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
r"""Name in \p{...}, in lower case -> its name in `regex`."""

_WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
# Oniguruma's \w matches six numbers of Latin-1, but not inside a set.
_LATIN = r"\xb2\xb3\xb9\xbc-\xbe"
_IN_SETS = {"s": r"\s", "S": r"\S", "d": r"\p{Nd}", "D": r"\P{Nd}", "w": f"[{_WORD}]", "W": f"[^{_WORD}]"}
_CLASSES = _IN_SETS | {"w": f"[{_WORD}{_LATIN}]", "W": f"[^{_WORD}{_LATIN}]"}
_CONTROLS = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "a": "\a", "e": "\x1b"}
_GROUPS = ("(?:", "(?=", "(?!", "(?>", "(?<=", "(?<!", "(?i:")
# In lower case; if case is ignored, one character matches two of these letters: "ß", "ﬁ".
_LIGATURES = ("ss", "ff", "fi", "fl", "st")
_MOST_NESTED = 50


def translated(source: str) -> str:
    """Translate an expression of Oniguruma for the `regex` package, regardless of its Unicode version. Raises PatternError as `matcher`."""
    return "(?V1)" + Translation(source).result


class Translation:
    """Translates one pattern from left to right: `result` is the pattern for `regex`, `explicit` the ranges of code points that it names."""

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
            raise self._refused("a quantifier after another")

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
        r"""Return the character that an escape stands for, and the length of the escape: "\n", "\x{4e00}", "\u4e00", "\."."""
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
        """Translate a set in brackets and move after its closing bracket."""
        source, start = self._source, self._place
        if depth > _MOST_NESTED:
            raise self._refused(f"a set inside {_MOST_NESTED} others")
        self._place += 1
        parts = ["["]
        if source.startswith("^", self._place):
            parts.append("^")
            self._place += 1
        empty = True
        last: str | None = None  # a single character, which may start a range
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
        """Translate a member of a set; return it, and its character, or None if it is a class."""
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
