r"""Compiled tables by which SentencePiece normalizes: a trie of keys, and the replacement of each.

    4 bytes    the size of the trie
    trie       a double array, four bytes a unit           "ﬁ" -> 17, "ｅ" -> 20
    texts      one after the other, each up to a zero      17: "fi\0"  20: "e\0"

A unit has, from its lowest bit on: a label of 8 bits, whether it has a leaf (bit 8), and the offset of its children
(bits 9 to 31). A leaf has the offset of its replacement in bits 0 to 30. The index of a unit's child for a byte is the
unit's index XOR the offset of its children XOR the byte.

Source: S. Yata's darts-clone, which the package `sentencepiece` compiles its rules with.
"""

from __future__ import annotations

import sys
from array import array
from functools import cache

_VALUE = 0x7FFFFFFF
_LABEL = 0x800000FF


class CharsmapTable:
    """A decoded table of replacements. Immutable. Raises ValueError, with the reason, for bytes that are not a table."""

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:4], "little")
        if len(data) <= 4 or size > len(data) - 4 or size < 4 or size % 4:
            raise ValueError("the table of characters is truncated or not a table")
        self._units = array("I", data[4 : 4 + size])
        if sys.byteorder == "big":
            self._units.byteswap()
        self._texts = data[4 + size :]
        try:
            self._texts.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("the texts in the table of characters are not UTF-8") from None

    def prefixes(self, key: bytes) -> list[tuple[int, str]]:
        """Return (length in bytes, replacement) of each key in the table that is a prefix of `key`, the shortest first."""
        units, found = self._units, []
        place = _offset(units[0])
        for length, byte in enumerate(key, 1):
            place ^= byte
            if byte == 0 or place >= len(units) or units[place] & _LABEL != byte:
                break
            has_leaf = units[place] >> 8 & 1
            place ^= _offset(units[place])
            if place >= len(units):
                break
            # A key of the table ends at the end of a character.
            if has_leaf and (length == len(key) or key[length] & 0xC0 != 0x80):
                found.append((length, self._text(units[place] & _VALUE)))
        return found

    def _text(self, start: int) -> str:
        end = self._texts.find(b"\0", start)
        return self._texts[start : len(self._texts) if end < 0 else end].decode("utf-8", "surrogateescape")


def _offset(unit: int) -> int:
    return (unit >> 10) << ((unit & 1 << 9) >> 6)


@cache
def table_of(data: bytes) -> CharsmapTable:
    """Return the decoded table of these bytes, decoded once."""
    return CharsmapTable(data)
