r"""Compiled tables by which SentencePiece normalizes: a trie of texts, and what stands in place of each.

    4 bytes    the size of the trie
    trie       a double array, four bytes a unit           "ﬁ" -> 17, "ｅ" -> 20
    texts      one after the other, each up to a zero      17: "fi\0"  20: "e\0"

A unit, from its lowest bit on: a label of 8 bits, whether it has a leaf (bit 8), and by bits 9 to 31 how far its children are; a leaf has the place of
its text in bits 0 to 30. The child of a unit for a byte is where the unit's own number, how far its children are, and the byte have an odd number of ones, bit by bit.

Source: S. Yata's darts-clone, which the package `sentencepiece` compiles its rules with.
"""

from __future__ import annotations

import sys
from array import array
from functools import cache

_VALUE = 0x7FFFFFFF
_LABEL = 0x800000FF


class CharsmapTable:
    """A table of replacements, decoded. Immutable. Raises ValueError, with the reason, for bytes that are no table."""

    def __init__(self, data: bytes) -> None:
        size = int.from_bytes(data[:4], "little")
        if len(data) <= 4 or size > len(data) - 4 or size < 4 or size % 4:
            raise ValueError("the table of characters is cut off or no table")
        self._units = array("I", data[4 : 4 + size])
        if sys.byteorder == "big":
            self._units.byteswap()
        self._texts = data[4 + size :]
        try:
            self._texts.decode("utf-8")
        except UnicodeDecodeError:
            raise ValueError("the texts in the table of characters are not UTF-8") from None

    def prefixes(self, key: bytes) -> list[tuple[int, str]]:
        """The texts of the trie that `key` begins with, the shortest first: how long it is, in bytes, and what stands in its place."""
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
            # A text of the table ends where a character does.
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
    """The table in some bytes, read once."""
    return CharsmapTable(data)
