"""Replace characters for the `regex` package, which follows a later Unicode: each character whose class differs from Unicode 16 gets a stand-in."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from bpe_engine.errors import EncodingError
from bpe_engine.text.unicode_classes import STAND_IN_OF_CLASS, ranges

if TYPE_CHECKING:
    import regex

# A character beyond ASCII, as itself or by its number; with the start of a range in ASCII before it.
_POINTS = re.compile(
    r"(?:(?P<first>[\x00-\x7f])-)?"
    r"(?:\\x(?P<two>[0-9A-Fa-f]{2})|\\u(?P<four>[0-9A-Fa-f]{4})|\\U(?P<eight>[0-9A-Fa-f]{8})|(?P<itself>[^\x00-\x7f]))"
)


class StandIns(dict[int, int]):
    """Code point -> a code point to which `regex` gives the class of the first in Unicode 16: usually itself. Filled as needed.

    `explicit` are the ranges of code points that the pattern names; a character and its stand-in are in the same of
    these ranges. Where there is no such stand-in: with `strict` an EncodingError, otherwise the character itself.
    """

    def __init__(self, explicit: list[tuple[int, int]], *, strict: bool = True) -> None:
        super().__init__()
        self._explicit = explicit
        self._strict = strict

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
        if not self._strict:
            return point
        raise EncodingError(f"U+{point:04X} has changed its class since Unicode 16, and the pattern names it")


def ranges_named_in(source: str) -> list[tuple[int, int]]:
    """Return the code points and ranges beyond ASCII that an expression of `regex` names.

    >>> ranges_named_in(r"[a-é\\u4e00-\\u9fff]|中+|x-y")
    [(97, 233), (19968, 40959), (20013, 20013)]
    """
    found: list[tuple[int, int]] = []
    end_of_last = -1
    for match in _POINTS.finditer(source):
        digits = match["two"] or match["four"] or match["eight"]
        point = int(digits, 16) if digits else ord(match["itself"])
        first = match["first"]
        if first is not None:
            found.append((min(ord(first), point), max(ord(first), point)))
        elif found and source[end_of_last : match.start()] == "-":
            found[-1] = (min(found[-1][0], point), max(found[-1][1], point))
        else:
            found.append((point, point))
        end_of_last = match.end()
    return found


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
