"""Stand-ins: replace every character by one that represents its class in one pinned version of Unicode.

The end of a pre-token depends only on the classes of characters: the kind of letter, digit, mark, punctuation, symbol,
white space, whether the script is Han, and a few characters by name. The class of a character depends on the Unicode
version: tiktoken 0.14 and Hugging Face tokenizers 0.23 follow 16.0, while the version of the `regex` package changes
with its release. So the named patterns never see the text itself but its stand-ins, whose classes are the same in all
versions:

    "Straße 東京, 5 €"  ->  "Straøe 中中, 5 ¢"      ASCII and white space stay, ß -> ø, 東 -> 中, € -> ¢

The stand-ins have the same length as the text, so offsets carry over. ASCII text is its own stand-in.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import NamedTuple

from bpe_engine.text import package_text

__all__ = ["stand_ins"]

UNICODE_VERSION = "16.0"

# No stand-in is ASCII: patterns know ASCII characters by name, in contractions and in [A-Za-z] and [0-9].
# "CJK" are the code point ranges of deepseek_v3. The last stand-in, U+3040, is unassigned in all versions so far.
STAND_IN_OF_CLASS = {
    "Lu": "Ø", "Ll": "ø", "Lt": "ǅ", "Lm": "ʰ", "Lo": "ª", "M": "\u0301", "N": "²", "P": "§", "S": "¢", "-": "\ue000",
    "Lm Han": "々", "Lo Han": "㐀", "M Han": "\U00016ff0", "N Han": "〇", "P Han": "\U00016fe2", "S Han": "⺀",
    "Lo Han CJK": "中",
    "Lm CJK": "ゝ", "Lo CJK": "ア", "M CJK": "\u3099", "P CJK": "・", "S CJK": "゛", "- CJK": "\u3040",
}  # fmt: skip
# Equals "s" if case is ignored, so patterns know it by name, too.
LONG_S = "ſ"


class Range(NamedTuple):
    """Characters of one class, from the code point `first` up to the start of the next range.

    `category` is one of Lu Ll Lt Lm Lo M N P S White_Space, and "-" for everything else; `han`: whether the script is
    Han.
    """

    first: int
    category: str
    han: bool


@cache
def ranges() -> tuple[Range, ...]:
    """Return the classes of all code points in Unicode 16.0, as ascending ranges that start at 0.

    >>> [(hex(first), category, han) for first, category, han in ranges() if 0x2FD0 < first < 0x3006]
    [('0x2fd6', '-', False), ('0x2ff0', 'S', False), ('0x3000', 'White_Space', False), ('0x3001', 'P', False),
    ('0x3004', 'S', False), ('0x3005', 'Lm', True)]
    """
    lines = package_text(f"text/unicode_classes_{UNICODE_VERSION}.txt").splitlines()
    return tuple(Range(int(fields[0], 16), fields[1], len(fields) > 2) for fields in map(str.split, lines))


def stand_ins(text: str) -> str:
    """Return `text` with every character replaced by its stand-in; same length in characters.

    >>> stand_ins("Straße 東京, 5 €")
    'Straøe 中中, 5 ¢'
    """
    return text if text.isascii() else text.translate(_table())


def in_cjk(code_point: int) -> bool:
    """Whether a code point is in the CJK ranges of deepseek_v3: [一-龥぀-ゟ゠-ヿ].

    >>> in_cjk(ord("中")), in_cjk(ord("ア")), in_cjk(ord("々")), in_cjk(ord("한"))
    (True, True, False, False)
    """
    return 0x4E00 <= code_point <= 0x9FA5 or 0x3040 <= code_point <= 0x30FF


class _Table(dict[int, str]):
    """Code point -> stand-in, filled as characters are first seen (at most 1.1 million entries, a few hundred in practice)."""

    def __init__(self) -> None:
        super().__init__((code_point, chr(code_point)) for code_point in range(128))
        self[ord(LONG_S)] = LONG_S
        self._firsts = [first for first, _, _ in ranges()]

    def __missing__(self, code_point: int) -> str:
        _, category, han = ranges()[bisect_right(self._firsts, code_point) - 1]
        if category == "White_Space":
            stand_in = chr(code_point)  # patterns know each of these by name
        else:
            stand_in = STAND_IN_OF_CLASS[category + " Han" * han + " CJK" * in_cjk(code_point)]
        self[code_point] = stand_in
        return stand_in


@cache
def _table() -> _Table:
    return _Table()
