"""The printable stand-in characters for bytes in GPT-2's vocabulary file, and in many files published since.

A vocabulary file in text form cannot hold a line end or half a UTF-8 sequence, so each byte has a character of its own:
a byte that is printable in Latin-1 is that character, and the others, in ascending order, get the characters from
U+0100 on.

    b"hello"  ->  "hello"          b" hello"  ->  "\\u0120hello"          b"\\n"  ->  "\\u010a"
"""

from __future__ import annotations

_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = sorted({*range(256)}.difference(_PRINTABLE))

BYTES_IN_ORDER = tuple(_PRINTABLE + _OTHERS)
"""All byte values in the order of their assignment: the index of a byte is the id of its token in GPT-2."""

BYTE_OF_CHARACTER = {chr(byte): byte for byte in _PRINTABLE} | {
    chr(0x100 + position): byte for position, byte in enumerate(_OTHERS)
}
"""Stand-in character -> byte value."""


CHARACTER_OF_BYTE = [character for character, _ in sorted(BYTE_OF_CHARACTER.items(), key=lambda item: item[1])]
"""Byte value -> stand-in character."""


def characters_of(data: bytes) -> str:
    """Return the stand-in characters of bytes.

    >>> characters_of(b" hi")
    '\u0120hi'
    """
    return "".join([CHARACTER_OF_BYTE[byte] for byte in data])


def bytes_of(characters: str) -> bytes:
    """Return the bytes of stand-in characters. Raises `KeyError` with the first character that is not a stand-in.

    >>> bytes_of("\\u0120caf\\u00c3\\u00a9").decode()
    ' café'
    """
    return bytes([BYTE_OF_CHARACTER[character] for character in characters])
