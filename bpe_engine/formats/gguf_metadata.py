"""Read the metadata of a GGUF file, names and values, up to the tensors.

    "GGUF"  version  number of tensors  number of entries
    then each entry:  name  type  value            a string is its length and its bytes, an array its type, its length and its elements

A file is not trusted: each length is compared with the rest of the file before anything is read or allocated, and
unwanted values are skipped. (The package `gguf` maps the whole file and makes an array object for every element; for a
header that claims 2^60 numbers it would run for years.)
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Callable
from os import SEEK_CUR, SEEK_END
from pathlib import Path
from typing import BinaryIO

from bpe_engine.errors import VocabularyError

Value = bool | int | float | str | list[str] | list[bool] | list[int] | list[float]

MAGIC = b"GGUF"
MOST_BYTES = 1 << 28
"""The largest size of all values that are kept, in bytes. A large tokenizer, with its merges, has about ten million."""

_VERSIONS = (2, 3)
_STRING, _ARRAY, _BOOL = 8, 9, 7
# Type number -> its format character in `struct` and `array`.
_LETTERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
_SIZES = {number: struct.calcsize("<" + letter) for number, letter in _LETTERS.items()}
# Bytes. An entry has at least an eight-byte length, a four-byte type and a one-byte value.
_SMALLEST_ENTRY = 13
_LONGEST_NAME = 65_535


def read_metadata(path: Path, wanted: Callable[[str], bool] = lambda _: True) -> dict[str, Value]:
    """Read the entries of a file whose names are `wanted`. Numbers are int or float, arrays are lists. Little-endian or big-endian.

    Raises VocabularyError, naming the file and the byte offset or the entry, if the file is not GGUF of version 2 or 3,
    ends too early, or has a duplicate entry, an unknown type or an array of arrays. Raises OSError if the file cannot
    be read.
    """
    with path.open("rb") as stream:
        return _Reader(stream, str(path)).entries(wanted)


class _Reader:
    def __init__(self, stream: BinaryIO, source: str) -> None:
        self._stream = stream
        self._source = source
        self._left = stream.seek(0, SEEK_END)
        self._size = self._left
        self._kept = 0
        self._order = "<"
        stream.seek(0)

    def entries(self, wanted: Callable[[str], bool]) -> dict[str, Value]:
        if self._read(4, "the start") != MAGIC:
            raise VocabularyError(f"{self._source}: not a GGUF file: it does not begin with {MAGIC!r}")
        version = self._read(4, "the version")
        # A file of the other byte order has the low byte last.
        self._order = ">" if version[:2] == b"\0\0" else "<"
        number = int.from_bytes(version, "big" if self._order == ">" else "little")
        if number not in _VERSIONS:
            raise VocabularyError(f"{self._source}: GGUF of version {number} is not supported, only of 2 and 3")
        self._length("the number of tensors")
        count = self._length("the number of entries")
        if count * _SMALLEST_ENTRY > self._left:
            raise self._error(f"the header claims {count} entries, more than the file can hold")
        found: dict[str, Value] = {}
        seen: set[str] = set()
        for _ in range(count):
            size = self._length("the length of a name")
            if size > _LONGEST_NAME:
                raise self._error(f"the name of an entry has {size} bytes, more than {_LONGEST_NAME}")
            name = self._text(self._read(size, "the name of an entry"), "the name of an entry")
            if name in seen:
                raise self._error(f"the entry {name!r:.80} occurs twice")
            seen.add(name)
            value = self._value(name, self._uint32(name), keep=wanted(name))
            if value is not None:
                found[name] = value
        return found

    def _value(self, name: str, kind: int, *, keep: bool) -> Value | None:
        """Return the value of an entry, or None if it is skipped."""
        if kind == _STRING:
            return self._string(name, keep=keep)
        if kind == _ARRAY:
            return self._array(name, keep=keep)
        if kind not in _LETTERS:
            raise self._error(f"{name!r:.80}: the type {kind} is unknown")
        value: int | float = struct.unpack(self._order + _LETTERS[kind], self._read(_SIZES[kind], name))[0]
        return None if not keep else bool(value) if kind == _BOOL else value

    def _string(self, name: str, *, keep: bool) -> str | None:
        size = self._length(name)
        if not keep:
            self._skip(size, name)
            return None
        self._keep(size, name)
        return self._text(self._read(size, name), name)

    def _array(self, name: str, *, keep: bool) -> Value | None:
        kind = self._uint32(name)
        count = self._length(name)
        if kind == _STRING:
            if count * 8 > self._left:
                raise self._error(f"{name!r:.80}: {count} strings are claimed, more than the file can hold")
            strings: list[str] = []
            for number in range(count):
                text = self._string(f"{name}[{number}]", keep=keep)
                if text is not None:
                    strings.append(text)
            return strings if keep else None
        if kind not in _LETTERS:
            what = "an array of arrays is" if kind == _ARRAY else f"arrays of the type {kind} are"
            raise self._error(f"{name!r:.80}: {what} not supported")
        size = count * _SIZES[kind]
        if not keep:
            self._skip(size, name)
            return None
        self._keep(size, name)
        numbers = array(_LETTERS[kind])
        numbers.frombytes(self._read(size, name))
        if (self._order == "<") != (sys.byteorder == "little"):
            numbers.byteswap()
        return [bool(number) for number in numbers] if kind == _BOOL else numbers.tolist()

    def _keep(self, size: int, name: str) -> None:
        self._check(size, name)
        # A string object takes about fifty bytes in addition to its text.
        self._kept += size + 64
        if self._kept > MOST_BYTES:
            raise self._error(f"{name!r:.80}: the tokenizer has more than the {MOST_BYTES} bytes that are allowed")

    def _length(self, what: str) -> int:
        return int.from_bytes(self._read(8, what), "little" if self._order == "<" else "big")

    def _uint32(self, what: str) -> int:
        return int.from_bytes(self._read(4, what), "little" if self._order == "<" else "big")

    def _read(self, size: int, what: str) -> bytes:
        self._take(size, what)
        data = self._stream.read(size)
        if len(data) != size:
            raise self._error(f"{what!r:.80}: the file ends here")
        return data

    def _skip(self, size: int, what: str) -> None:
        self._take(size, what)
        self._stream.seek(size, SEEK_CUR)

    def _take(self, size: int, what: str) -> None:
        self._check(size, what)
        self._left -= size

    def _check(self, size: int, what: str) -> None:
        if size > self._left:
            raise self._error(f"{what!r:.80}: {size} bytes are claimed, but the file has only {self._left} more")

    def _text(self, data: bytes, what: str) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self._error(f"{what!r:.80}: not UTF-8: {error.reason} at byte {error.start} of it") from error

    def _error(self, message: str) -> VocabularyError:
        return VocabularyError(f"{self._source}: byte {self._size - self._left}: {message}")
