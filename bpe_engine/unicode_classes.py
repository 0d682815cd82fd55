"""Stand-ins: every character replaced by one that stands for its class, in one pinned version of Unicode.

A pre-token's end depends on the classes of characters alone: letter, digit, mark, white space, and a few characters by
name. Which class a character has depends on the version of Unicode: tiktoken 0.14 follows 16.0, while the `regex` package
follows whatever its release brings. So the named patterns never see the text itself but its stand-ins, whose classes no
version disputes:

    "Straße 東京, 5 €"  ->  "Straze ªª, 5 §"      ASCII and white space stay, ß -> z, 東 -> ª, € -> §

The stand-ins have the same length, so offsets carry over. ASCII text stands for itself.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from importlib import resources

UNICODE_VERSION = "16.0"

# z and Z are in no contraction ('s 't 're 've 'm 'll 'd), so no stand-in can complete one by accident.
STAND_IN_OF_CLASS = {"Lu": "Z", "Ll": "z", "Lt": "ǅ", "Lm": "ʰ", "Lo": "ª", "M": "\u0301", "N": "0", "-": "§"}
# Characters that patterns know by name: White_Space, and U+017F, which equals "s" when case is ignored.
NAMED = "\u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\u017f"


def stand_ins(text: str) -> str:
    """Return `text` with every character replaced by its stand-in; same length in characters.

    >>> stand_ins("Straße 東京, 5 €")
    'Straze ªª, 5 §'
    """
    return text if text.isascii() else text.translate(_table())


class _Table(dict[int, str]):
    """Code point -> stand-in, filled as characters are first seen (at most 1.1 million entries, a few hundred in practice)."""

    def __init__(self) -> None:
        super().__init__((code_point, chr(code_point)) for code_point in range(128))
        self.update((ord(character), character) for character in NAMED)
        lines = (
            (resources.files("bpe_engine") / f"unicode_classes_{UNICODE_VERSION}.txt").read_text("ascii").splitlines()
        )
        self._firsts = [int(line.split()[0], 16) for line in lines]
        self._stand_ins = [STAND_IN_OF_CLASS[line.split()[1]] for line in lines]

    def __missing__(self, code_point: int) -> str:
        stand_in = self._stand_ins[bisect_right(self._firsts, code_point) - 1]
        self[code_point] = stand_in
        return stand_in


@cache
def _table() -> _Table:
    return _Table()
