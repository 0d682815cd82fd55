"""What a character is, in the versions of Unicode that Hugging Face `tokenizers` 0.23 follows, whatever Python this is.

Normalization forms and marks: Unicode 9, punctuation: Unicode 8, lower case: Unicode 17, from `pinned_characters.txt`
(scripts/build_pinned_characters.py). Letters, numbers and white space: Unicode 16, from `unicode_classes.py`. Of numbers that makes a
difference of thirteen characters: the package's own Digits calls those of Unicode 17 numbers, its regular expressions do not.
"""

from __future__ import annotations

from functools import cache
from importlib import resources

import regex

from bpe_engine.unicode_classes import ranges

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""The characters with the property White_Space: 25, the same in all versions."""


@cache
def _lines() -> dict[str, list[str]]:
    text = (resources.files("bpe_engine") / "stages" / "pinned_characters.txt").read_text("ascii")
    return {fields[0]: fields[1:] for fields in map(str.split, text.splitlines())}


@cache
def members(kind: str) -> str:
    """The inside of a set of a regular expression: the characters that are "inert", "mark" or "punctuation".

    >>> bool(regex.match(f"[{members('mark')}]", "\\u0301")), bool(regex.match(f"[{members('punctuation')}]", "$"))
    (True, True)
    """
    parts = []
    for field in _lines()[kind]:
        first, _, last = field.partition("-")
        parts.append(rf"\U{int(first, 16):08X}-\U{int(last or first, 16):08X}")
    return "".join(parts)


@cache
def numbers() -> str:
    """The same for the characters that are numbers."""
    found = ranges()
    ends = [following.first - 1 for following in found[1:]] + [0x10FFFF]
    return "".join(rf"\U{r.first:08X}-\U{end:08X}" for r, end in zip(found, ends, strict=True) if r.category == "N")


@cache
def compiled(source: str) -> regex.Pattern[str]:
    """A regular expression of our own, compiled once."""
    return regex.compile(source)


@cache
def later_lower_case() -> dict[int, str]:
    """The characters in upper case that Python 3.11 does not know as such: code point -> lower case."""
    pairs = (field.split(":") for field in _lines()["lower"])
    return {int(upper, 16): chr(int(lower, 16)) for upper, lower in pairs}
