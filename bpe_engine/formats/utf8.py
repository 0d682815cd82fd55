"""Decode a file that must be UTF-8, and name the line of an error."""

from __future__ import annotations

from bpe_engine.errors import VocabularyError


def decoded(data: bytes, source: str) -> str:
    """Decode UTF-8; `source` is the name of the file in error messages. A byte order mark is kept.

    Raises VocabularyError with the line and the byte offset.

    >>> decoded(b"one\\ntwo \\xff", "merges.txt")
    Traceback (most recent call last):
    bpe_engine.errors.VocabularyError: merges.txt:2: not UTF-8: invalid start byte at byte 8
    """
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise VocabularyError(f"{source}:{line}: not UTF-8: {error.reason} at byte {error.start}") from error
