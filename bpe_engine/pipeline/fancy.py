r"""Translate regular expressions of fancy-regex, which tiktoken uses, for the `regex` package and the compiled core.

Most of the syntax is the same. The differences:

    fancy-regex        regex                            why
    $                  \Z                               only the end of the text; in `regex` also before a last newline
    \z                 \Z                               `regex` has no \z
    \h  \H             [0-9A-Fa-f]  [^0-9A-Fa-f]        hexadecimal digits, there; horizontal white space, here
    \x{4e2d}           \U00004e2d                       `regex` has no code points in braces
    [a-z&&[^b]]        the same, under (?V1)            sets in sets, and their operators
    [[:space:]]        [\t-\r ]                         POSIX classes are ASCII there, and Unicode here
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEXADECIMAL = "0-9A-Fa-f"
_POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7f",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"!-\~",
    "lower": "a-z",
    "print": r"\ -\~",
    "punct": r"!-/:-@\[-`\{-\~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": _HEXADECIMAL,
}
_IN_SETS = re.compile(r"\\(?P<escape>.)|\[:(?P<negated>\^?)(?P<name>[a-z]+):\]", re.DOTALL)
_CODE_POINTS = re.compile(r"\\(?:[xuU]\{(?P<code>[0-9A-Fa-f]{1,8})\}|.)", re.DOTALL)
_MULTILINE = re.compile(r"\(\?[a-zA-Z]*m")
_OPERATORS = re.compile(r"&&|--|~~|\[(?!:)")


def translated(source: str) -> str:
    r"""Translate an expression of fancy-regex into one of `regex`.

    >>> translated(r"\s+$|[$\h]"), translated(r"[\p{L}&&[^a]]+")
    ('\\s+\\Z|[$0-9A-Fa-f]', '(?V1)[\\p{L}&&[^a]]+')
    >>> translated(r"\x{4e2d}|[\u{e9}]|\\x{2}")
    '\\U00004e2d|[\\U000000e9]|\\\\x{2}'
    """
    source = _CODE_POINTS.sub(lambda found: rf"\U{found['code']:0>8}" if found["code"] else found[0], source)
    end = "$" if _MULTILINE.search(source) else r"\Z"
    parts: list[str] = []
    has_operators = False
    for part in _parts(source):
        if part == "$":
            parts.append(end)
        elif part == r"\z":
            parts.append(r"\Z")
        elif part in (r"\h", r"\H"):
            parts.append(f"[{_HEXADECIMAL}]" if part == r"\h" else f"[^{_HEXADECIMAL}]")
        elif part.startswith("["):
            has_operators |= _OPERATORS.search(re.sub(r"\\.", "", part[1:])) is not None or "[:^" in part
            parts.append(part[0] + _IN_SETS.sub(_in_set, part[1:]))
        else:
            parts.append(part)
    return "(?V1)" * (has_operators and not source.startswith("(?V1)")) + "".join(parts)


def _in_set(found: re.Match[str]) -> str:
    if found["name"] is None:
        return _HEXADECIMAL if found["escape"] == "h" else found[0]
    inside = _POSIX.get(found["name"])
    if inside is None:
        return found[0]
    return f"[^{inside}]" if found["negated"] else inside


def _parts(source: str) -> Iterator[str]:
    r"""Yield the parts of an expression: escapes, whole sets, and single characters.

    >>> list(_parts(r"a\s[b[c]\]]$"))
    ['a', '\\s', '[b[c]\\]]', '$']
    """
    place = 0
    while place < len(source):
        start = place
        if source[place] == "[":
            place = _end_of_set(source, place)
        else:
            place += 2 if source[place] == "\\" else 1
        yield source[start:place]


def _end_of_set(source: str, place: int) -> int:
    depth = 0
    while place < len(source):
        character = source[place]
        place += 2 if character == "\\" else 1
        if character == "[":
            depth += 1
            place += source[place : place + 1] == "^"
            place += source[place : place + 1] == "]"  # at the start of a set "]" is a member
        elif character == "]":
            depth -= 1
            if depth == 0:
                return place
    return len(source)
