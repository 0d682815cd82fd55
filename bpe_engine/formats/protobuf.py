"""A small reader of protocol buffers, for messages of a known shape.

0a 03 61 62 63     field 1, of length 3: "abc"         a tag is a number of variable length: field * 8 + type
10 96 01           field 2: 150                        types: 0 a number, 1 eight bytes, 2 a length and that many bytes, 5 four bytes
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from bpe_engine.errors import VocabularyError

Field = tuple[int, int | bytes]

NUMBER, EIGHT_BYTES, LENGTH, FOUR_BYTES = 0, 1, 2, 5


def fields(data: bytes, source: str, offset: int = 0) -> Iterator[tuple[int, int, int | bytes, int]]:
    """Yield the fields of a message: number, type, value (bytes unless the type is NUMBER), and the byte offset of the value in the file.

    `offset` is the byte offset of the message in the file; `source` is the name of the file in errors. Raises
    VocabularyError for data that ends too early or is not a message.

    >>> list(fields(bytes.fromhex("0a03616263109601"), "two fields"))
    [(1, 2, b'abc', 2), (2, 0, 150, 6)]
    """
    place = 0
    while place < len(data):
        tag, place = _number(data, place, source, offset)
        field, kind = tag >> 3, tag & 7
        if field == 0:
            raise VocabularyError(f"{source}: byte {offset + place}: not a protocol buffer: a field has the number 0")
        start = place
        if kind == NUMBER:
            value, place = _number(data, place, source, offset)
            yield field, kind, value, offset + start
            continue
        if kind == LENGTH:
            size, start = _number(data, place, source, offset)
        elif kind == EIGHT_BYTES:
            size = 8
        elif kind == FOUR_BYTES:
            size = 4
        else:
            raise VocabularyError(f"{source}: byte {offset + place}: not a protocol buffer: the type {kind} is unknown")
        place = start + size
        if place > len(data):
            raise VocabularyError(
                f"{source}: byte {offset + start}: {size} bytes are claimed, but there are only {len(data) - start} more"
            )
        yield field, kind, data[start:place], offset + start


def float_of(value: int | bytes) -> float | None:
    """Return the float in four bytes; None if the value is not four bytes.

    >>> float_of(bytes.fromhex("0000c03f"))
    1.5
    """
    return float(struct.unpack("<f", value)[0]) if isinstance(value, bytes) and len(value) == 4 else None


def _number(data: bytes, place: int, source: str, offset: int) -> tuple[int, int]:
    """Return a number of variable length, of at most 64 bits, and the index in `data` after it."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            raise VocabularyError(f"{source}: byte {offset + place}: the file ends inside a number")
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise VocabularyError(f"{source}: byte {offset + place}: not a protocol buffer: a number has more than 64 bits")
