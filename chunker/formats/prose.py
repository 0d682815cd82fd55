"""Find the sentences of marked-up prose quickly: in ASCII text, the most frequent case, only terminators are searched
for.

    prose_ends("One. Two e.g. here. Three", 10, 35)  ->  15, 30

The rules are those of `segmentation.prose_sentence_ends`. The expression for ASCII is the same with its properties
written out, so that the search skips from one terminator to the next; other text needs the Unicode tables only if it
contains a terminator.
"""

from __future__ import annotations

import regex

from chunker.formats.expressions import re
from chunker.formats.segmentation import prose_sentence_ends


def _ascii(properties: str) -> str:
    """Return the ASCII characters of a class of the `regex` package."""
    return "".join(regex.findall(f"[{properties}]", "".join(map(chr, range(128))), regex.V1))


def _class(properties: str) -> str:
    """Convert the inside of a class of `regex` to one of `re`."""
    return "".join(map(re.escape, _ascii(properties)))


_TERMINATORS = _ascii(r"\p{SB=STerm}")
_FULL_STOPS = _ascii(r"\p{SB=ATerm}")
_TERMINATOR = "".join(map(re.escape, _TERMINATORS + _FULL_STOPS))
_LETTER = _class(r"\p{SB=OLetter}\p{SB=Upper}\p{SB=Lower}")
_UPPER = _class(r"\p{SB=Upper}")
_LOWER = _class(r"\p{SB=Lower}")
_DIGIT = _class(r"\p{SB=Numeric}")
_SPACE = _class(r"\p{SB=Sp}")
_GOES_ON = _class(r"\p{SB=SContinue}\p{SB=STerm}\p{SB=ATerm}")
_CLOSE = _class(r"\p{SB=Close}*_~`--[\p{Ps}\p{Pi}]")

_AFTER = rf"""
    [{_CLOSE}]*+ (?: [{_SPACE}]++ (?: \r\n | [\r\n] )?+ | \r\n | [\r\n] )
    (?! [{_SPACE}\r\n]*+ [{_GOES_ON}] )
"""
# One expression for each terminator, because searching for a literal is five times as fast as for a class. No match
# contains another terminator, so the expressions do not compete.
_ASCII_SENTENCE_ENDS = {
    **{mark: re.compile(re.escape(mark) + _AFTER, re.VERBOSE) for mark in _TERMINATORS},
    **{
        mark: re.compile(
            rf"""
            {re.escape(mark)} (?! [{_DIGIT}] | (?<= [{_LETTER}] [{re.escape(mark)}] ) [{_UPPER}] ) {_AFTER}
            (?! [^{_LETTER}{_TERMINATOR}]*+ [{_LOWER}] )
            """,
            re.VERBOSE,
        )
        for mark in _FULL_STOPS
    },
}
_ANY_TERMINATOR = regex.compile(r"[\p{SB=STerm}\p{SB=ATerm}\uff61]", regex.V0)


def prose_ends(text: str, start: int, end: int) -> list[int]:
    """Return the ends of the sentences of the paragraph `text[start:end]`, as offsets in `text`; a line end counts as a
    space. Linear.

    >>> prose_ends("One. Two e.g. here. Three", 0, 25)
    [5, 20]
    """
    paragraph = text[start:end]
    if paragraph.isascii():
        found = [expression for mark, expression in _ASCII_SENTENCE_ENDS.items() if mark in paragraph]
        ends = [start + match.end() for expression in found for match in expression.finditer(paragraph)]
        if len(found) > 1:
            ends.sort()
        return ends
    if _ANY_TERMINATOR.search(paragraph) is None:
        return []
    return [start + offset for offset in prose_sentence_ends(paragraph)]
