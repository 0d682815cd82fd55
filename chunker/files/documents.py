"""Read a file as text without changing anything: spans in the text are spans in the file.

- UTF-8, or UTF-16 or UTF-32 with a byte order mark. The mark stays in the text, as U+FEFF, and line ends stay as they
  are. `Document.encoding` names the codec: `text.encode(encoding)` is the file again.
- A Python file that is not UTF-8 is read in the encoding that its first lines declare (`# -*- coding: latin-1 -*-`,
  PEP 263), as Python reads it.
- Any other byte that is not UTF-8 makes the file a `Problem` with the offset of the byte. Nothing is replaced and no
  encoding is guessed: every guess would change the text that is counted. The caller can name it: `encoding` applies to
  all files that are neither UTF-8 nor marked; if it does not extend ASCII (UTF-16, ISO-2022-JP), to all files that are
  not marked.
- A file is *binary* if its first 8 KiB hold a NUL byte (the rule of git), or are not UTF-8 and hold control characters.
  A binary file that a walk found is skipped; if the user named it, that is a failure.
"""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from chunker.errors import OptionError
from chunker.files.discovery import STANDARD_INPUT, FoundFile, Problem, reason_of

if TYPE_CHECKING:
    from chunker.files.places import Places
    from chunker.files.shortening import Shortened

# Longer marks first: the mark of UTF-32 (little-endian) begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 8192
# Control characters that do not occur in text. Text has backspace, tab, line feed, vertical tab, form feed, carriage
# return, escape.
_CONTROLS = bytes(set(range(32)) - {8, 9, 10, 11, 12, 13, 27}) + b"\x7f"
# In compressed data about one byte in ten is a control character; in text of an 8-bit encoding, which should be
# reported as such, hardly any.
_BINARY_SHARE = 0.02
_BYTES_SHOWN = 4
# With fewer units of two bytes, UTF-16 cannot be recognized.
_LEAST_UNITS = 4
# Letters of many scripts: 7-bit encodings write them as ASCII bytes.
_LETTERS = "éяλאع漢あ한ไ"


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a file. `encoding` is the Python codec between `text` and the bytes of the file, `size` the number of
    bytes.

    If a reader converted the file (`chunker.files.readers`), `encoding` is the name of the reader, `format` the name of
    the format of `text`, and `places` maps the parts of `text` to places in the file. `shortened` records the data left
    out of `text`. `notes` go into the metadata of the chunks.
    """

    path: str
    text: str
    encoding: str
    size: int
    format: str | None = None
    places: Places | None = None
    shortened: Shortened | None = None
    notes: dict[str, Any] = field(default_factory=dict)


def codec_named(encoding: str) -> str:
    """Return Python's name of an encoding. Raises `OptionError` if Python does not know it, or if it is not a text
    encoding.
    """
    try:
        found = codecs.lookup(encoding)
        found.incrementaldecoder("strict").decode(b"", final=True)
        "".encode(encoding)
    except (LookupError, TypeError, ValueError) as error:
        raise OptionError(f"encoding must be the name of a text encoding, such as cp1252; got {encoding!r}") from error
    return found.name


def read_document(file: FoundFile, encoding: str = "utf-8") -> Document | Problem:
    """Return the text of a file, or the reason why there is none. Of a binary file only the first 8 KiB are read.
    `encoding`: see the module.
    """
    try:
        if file.path == STANDARD_INPUT:
            if sys.stdin is None:
                return Problem(file.path, "standard input is closed")
            return read_stream(sys.stdin.buffer, file, encoding)
        with Path(file.path).open("rb") as stream:
            return read_stream(stream, file, encoding)
    except OSError as error:
        return Problem(file.path, reason_of(error))


def count_line_ends(text: str) -> int:
    """Count the line ends in a text as the span of a chunk counts them: line feed, CR LF or a lone carriage return.

    >>> count_line_ends("a\\nb\\r\\nc\\rd")
    3
    """
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def read_stream(stream: BinaryIO, file: FoundFile, encoding: str = "utf-8") -> Document | Problem:
    """Return the text of an open file, which `file` names, or the reason why there is none. Raises OSError as the
    stream does.
    """
    sample = stream.read(_SAMPLE_BYTES)
    marked = next((codec for mark, codec in _MARKS if sample.startswith(mark)), None)
    is_utf8_first = marked is None and _extends_ascii(encoding)
    if is_utf8_first:
        reason = _why_binary(sample)
        if reason is not None and not (encoding != "utf-8" and reason.startswith("not UTF-8")):
            return Problem(file.path, f"binary: {reason}", failed=file.named)
    content = sample + stream.read()
    failure: UnicodeDecodeError | None = None
    for codec in _utf8_and_others(file.path, content, encoding) if is_utf8_first else [marked or encoding]:
        try:
            return Document(file.path, content.decode(codec), codec, len(content))
        except UnicodeDecodeError as error:
            failure = error
            failed = codec
    assert failure is not None  # noqa: S101  # the loop ran at least once, and each run raised
    return _undecodable(file.path, content, failure, failed)


def _utf8_and_others(path: str, content: bytes, encoding: str) -> Iterator[str]:
    """Yield the codecs to try for a file without a byte order mark."""
    yield "utf-8"
    declared = _declared(path, content[:_SAMPLE_BYTES])
    if declared is not None:
        yield declared
    if encoding not in {"utf-8", declared}:
        yield encoding


def _declared(path: str, sample: bytes) -> str | None:
    """Return the encoding that the first two lines of a Python file declare (PEP 263); None for other files.

    >>> _declared("a.py", b"#!/usr/bin/python\\n# -*- coding: latin-1 -*-\\n"), _declared("a.txt", b"# coding: latin-1\\n")
    ('iso8859-1', None)
    """
    # Imported late: nearly all files are UTF-8.
    from tokenize import detect_encoding  # noqa: PLC0415

    from chunker.formats.detect import detect  # noqa: PLC0415

    if detect(path, sample.decode("latin-1")).format != "python":
        return None
    try:
        return codec_named(detect_encoding(io.BytesIO(sample).readline)[0])
    except (SyntaxError, OptionError):  # it declares none, or none that Python knows
        return None


@cache
def _extends_ascii(encoding: str) -> bool:
    """Whether an encoding extends ASCII: a byte below 128 is always the ASCII character.

    >>> [_extends_ascii(name) for name in ("utf-8", "cp1252", "shift_jis", "utf-16-le", "iso2022_jp", "utf-7")]
    [True, True, True, False, False, False]
    """
    try:
        plain = bytes(range(128)).decode(encoding) == "".join(map(chr, range(128)))
    except UnicodeDecodeError:
        return False
    return plain and not any((char.encode(encoding, "ignore") or b"\x80").isascii() for char in _LETTERS)


def _why_binary(sample: bytes) -> str | None:
    """Return the reason to consider the start of a file binary, or None.

    >>> _why_binary(b"MZ\\x90\\0"), _why_binary("Grün".encode("latin-1")), _why_binary("Grün".encode()[:-2])
    ('a NUL byte at byte 3', None, None)
    """
    nul = sample.find(b"\0")
    if nul >= 0:
        codec = _unmarked_utf16(sample)
        hint = f"; it looks like UTF-16 without a byte order mark: --encoding {codec} reads it" if codec else ""
        return f"a NUL byte at byte {nul}{hint}"
    try:
        # Not final: the sample may end inside a character.
        codecs.getincrementaldecoder("utf-8")().decode(sample, final=False)
    except UnicodeDecodeError:
        controls = len(sample) - len(sample.translate(None, _CONTROLS))
        if controls >= _BINARY_SHARE * len(sample):
            return f"not UTF-8, with control characters in the first {len(sample)} bytes"
    return None


def _unmarked_utf16(sample: bytes) -> str | None:
    """Return the UTF-16 codec that bytes look like: at least half of the 2-byte units have a NUL byte, always on the
    same side. None for other bytes.

    >>> _unmarked_utf16("Grün\\n".encode("utf-16-be")), _unmarked_utf16("Grün\\n".encode("utf-16-le")), _unmarked_utf16(b"MZ\\x90\\0")
    ('utf-16-be', 'utf-16-le', None)
    """
    sides = sample[::2], sample[1::2]
    nuls = [side.count(0) for side in sides]
    if min(nuls) or max(nuls) * 2 < len(sides[1]) or len(sides[1]) < _LEAST_UNITS:
        return None
    letters = sides[1] if nuls[0] else sides[0]
    return None if letters.translate(None, _CONTROLS) != letters else ("utf-16-be" if nuls[0] else "utf-16-le")


def _undecodable(path: str, content: bytes, error: UnicodeDecodeError, encoding: str) -> Problem:
    bad = " ".join(f"0x{byte:02X}" for byte in content[error.start : error.end][:_BYTES_SHOWN])
    line = count_line_ends(content[: error.start].decode(encoding)) + 1  # the bytes before it can be decoded
    name = encoding.removesuffix("-le").removesuffix("-be").upper()
    return Problem(path, f"not {name}: {error.reason} ({bad})", error.start, line)
