"""Remove embedded data from a text: pictures as `data:` addresses, and long runs of base64 or hexadecimal digits.

    ![logo](data:image/png;base64,iVBORw0KGgoAAA... 40,000 characters)      ->      ![logo](data:image/png;base64,…)

Each is replaced by one character, the mark "…". `Shortened` records the lengths, so that a span in the shorter text can
be converted to a span in the file, which includes the removed data. People do not write such data, so nothing is lost
that was meant to be read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from chunker.formats.expressions import re
from chunker.native import native

MARK = "…"
_MARK_BYTES = len(MARK.encode())

# In characters, except the number of lines: shorter data are a digest, a key for a test or a tiny icon.
_LONG_ADDRESS, _LONG_RUN, _WRAPPED_LINE, _WRAPPED_LINES = 64, 200, 48, 6

_ADDRESS = re.compile(
    rf"data:[\w.+-]*+/?+[\w.+-]*+(?:;[\w.=+-]*+)*+,(?P<data>[^\s\"'`<>()\[\]{{}}\\]{{{_LONG_ADDRESS},}}+)", re.ASCII
)
_RUN = re.compile(rf"(?<![A-Za-z0-9+/_-])(?P<data>[A-Za-z0-9+/_-]{{{_LONG_RUN},}}+={{0,2}})")
# Base64 in lines of equal length, as in mail, certificates and string literals of source code.
_WRAPPED = re.compile(
    rf"(?m)^(?P<before>[ \t]*+[\"'b]{{0,2}})(?P<data>[A-Za-z0-9+/]{{{_WRAPPED_LINE},}}+(?:\\n)?+[\"']?+[ \t,+]*+"
    rf"(?:\r?\n[ \t]*+[\"'b]{{0,2}}[A-Za-z0-9+/]{{{_WRAPPED_LINE},}}+(?:\\n)?+[\"']?+[ \t,+]*+){{{_WRAPPED_LINES - 1},}}+)"
)
_HEXADECIMAL = re.compile(r"[0-9a-f]++|[0-9A-F]++")
# Bytes of data as "a", others as spaces: that there is no run of data is found at a gigabyte a second. To split a text
# into words takes ten times as long.
_DATA = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-"
_AS_RUNS = bytes(97 if byte in _DATA else 32 for byte in range(256))


@dataclass(frozen=True, slots=True)
class Shortened:
    """The data left out of a text. `offsets` are the offsets of the marks in the shorter text; the other lists say for
    each mark how many more characters, bytes and line ends the file has up to and including that mark.
    """

    offsets: list[int]
    characters: list[int]
    byte_counts: list[int]
    line_ends: list[int]

    @property
    def left_out(self) -> int:
        """The number of characters that were left out."""
        return self.characters[-1] + len(self.offsets)

    def moved_start(self, start: int) -> int:
        """Return the offset in the file, in characters, of a span that starts at `start` in the shorter text."""
        number = bisect_left(self.offsets, start)
        return start + (self.characters[number - 1] if number else 0)

    def moved(self, span: Mapping[str, int]) -> dict[str, int]:
        """Convert the fields of a `Span` of the shorter text to those of a span of the file."""
        # A mark is inside a chunk or outside: data at `start` belong to the span, and so do data before its end.
        first, last = bisect_left(self.offsets, span["start"]), bisect_left(self.offsets, span["end"])
        before = (0, 0, 0) if not first else self._up_to(first - 1)
        upto = (0, 0, 0) if not last else self._up_to(last - 1)
        return {
            "start": span["start"] + before[0],
            "end": span["end"] + upto[0],
            "start_byte": span["start_byte"] + before[1],
            "end_byte": span["end_byte"] + upto[1],
            "start_line": span["start_line"] + before[2],
            "end_line": span["end_line"] + upto[2],
        }

    def _up_to(self, number: int) -> tuple[int, int, int]:
        return self.characters[number], self.byte_counts[number], self.line_ends[number]


def shorten(text: str) -> tuple[str, Shortened | None]:
    """Remove embedded data from a text. Returns the shorter text, and a record of the data left out or None. Linear.

    >>> short, places = shorten("a ![x](data:image/png;base64," + "iVBORw0K" * 20 + ") b")
    >>> short, places.left_out
    ('a ![x](data:image/png;base64,…) b', 160)
    """
    found = _found(text)
    if not found:
        return text, None
    parts: list[str] = []
    offsets: list[int] = []
    at = size = 0
    for start, end in found:
        parts += (text[at:start], MARK)
        size += start - at
        offsets.append(size)
        size += len(MARK)
        at = end
    parts.append(text[at:])
    runs = [text[start:end] for start, end in found]
    return "".join(parts), Shortened(
        offsets,
        list(accumulate(len(run) - len(MARK) for run in runs)),
        list(accumulate(len(run.encode("utf-8", "surrogatepass")) - _MARK_BYTES for run in runs)),
        list(accumulate(run.count("\n") for run in runs)),
    )


def _found(text: str) -> list[tuple[int, int]]:
    """Return the spans of embedded data, in order, without overlaps."""
    found: list[tuple[int, int]] = []
    if "data:" in text:
        found += (match.span("data") for match in _ADDRESS.finditer(text))
    # Words of prose are short, so most texts need no search.
    compiled = native()
    if compiled is None or compiled.has_data_run(text, _WRAPPED_LINE):
        runs = text.encode("utf-8", "surrogatepass").translate(_AS_RUNS)
        if b"a" * _LONG_RUN in runs:
            found += (match.span("data") for match in _RUN.finditer(text) if _is_data(match["data"]))
        if runs.count(b"a" * _WRAPPED_LINE) >= _WRAPPED_LINES:
            found += (match.span("data") for match in _WRAPPED.finditer(text) if _is_data(match["data"]))
    found.sort()
    apart: list[tuple[int, int]] = []
    for start, end in found:
        if not apart or start >= apart[-1][1]:
            apart.append((start, end))
    return apart


def _is_data(run: str) -> bool:
    """Whether a run has the mix of letters and digits that random bytes have, unlike words, paths and repeated
    characters.
    """
    sample = run[:4_096]
    if _HEXADECIMAL.fullmatch(sample):
        return len(set(sample)) > 8
    upper = sum("A" <= char <= "Z" for char in sample)
    lower = sum("a" <= char <= "z" for char in sample)
    digits = sum("0" <= char <= "9" for char in sample)
    least = len(sample) / 25
    return min(upper, lower, digits) >= least and len(set(sample)) > 24
