"""SentencePiece `.model` files written by hand, with the pieces and scores that a test wants."""

from __future__ import annotations

import struct
from collections.abc import Sequence

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6


def unigram_model(pieces: Sequence[tuple[str, float, int]], *, byte_fallback: bool) -> bytes:
    """The contents of a file without any normalization; `pieces` are text, score and kind."""
    trainer = _number(3, 1) + (_number(35, 1) if byte_fallback else b"")
    normalizer = _message(1, b"identity") + _number(3, 0) + _number(4, 0) + _number(5, 0)
    return b"".join(_message(1, _piece(*piece)) for piece in pieces) + _message(2, trainer) + _message(3, normalizer)


def _piece(text: str, score: float, kind: int) -> bytes:
    return _message(1, text.encode()) + _varint(2 << 3 | 5) + struct.pack("<f", score) + _number(3, kind)


def _varint(number: int) -> bytes:
    written = b""
    while number > 127:
        written += bytes([number & 127 | 128])
        number >>= 7
    return written + bytes([number])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _message(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value
