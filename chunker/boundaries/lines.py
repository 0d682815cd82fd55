"""The lines of a source text, in characters and in bytes at once."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

# A line: its indentation (group 1), the rest, its end. Only these line ends count in code; a form feed is indentation.
_LINE_OF_BYTES = re.compile(rb"((?:\xef\xbb\xbf)?[ \t\f\v]*)[^\r\n]*(?:\r\n|\r|\n|\Z)")
_LINE_OF_CHARACTERS = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")


class LineTable:
    r"""Where the lines of a text begin: `source` is `text` in UTF-8. Lines end with \n, \r\n or \r; the last one may
    lack its end.

    `starts`: in characters. `byte_starts`, `ends`: in bytes. `indents`: the byte after the indentation, a byte order
    mark included.
    `blank`: whether the line holds nothing but indentation. No line is empty: a text that ends with a line end has no
    line after it.

    >>> table = LineTable("é = 1\n\n  b", "é = 1\n\n  b".encode())
    >>> table.starts, table.byte_starts, table.indents, table.blank
    ([0, 6, 7], [0, 7, 8], [0, 7, 10], [False, True, False])
    >>> table.row(9), table.row(8), table.row(7)
    (2, 2, 1)
    """

    __slots__ = ("blank", "byte_starts", "ends", "indents", "starts")

    def __init__(self, text: str, source: bytes) -> None:
        self.byte_starts: list[int] = []
        self.indents: list[int] = []
        self.blank: list[bool] = []
        for match in _LINE_OF_BYTES.finditer(source):
            start, end = match.span()
            if start == end:
                break
            indent = match.end(1)
            self.byte_starts.append(start)
            self.indents.append(indent)
            self.blank.append(indent == end or source[indent] in b"\r\n")
        self.ends = [*self.byte_starts[1:], len(source)]
        if len(source) == len(text):
            self.starts = self.byte_starts
        else:
            self.starts = [match.start() for match in _LINE_OF_CHARACTERS.finditer(text) if match.end() > match.start()]

    def __len__(self) -> int:
        return len(self.starts)

    def row(self, byte: int) -> int:
        """The number, from 0, of the line that holds this byte."""
        return bisect_right(self.byte_starts, byte) - 1

    def indent(self, row: int) -> int:
        """How many bytes of indentation the line has."""
        return self.indents[row] - self.byte_starts[row]

    def without(self, rows: Iterable[int], source: bytes) -> bytes:
        """`source` with spaces in place of what stands on these lines; no byte moves."""
        masked = bytearray(source)
        for row in rows:
            content = source[self.indents[row] : self.ends[row]].rstrip(b"\r\n")
            masked[self.indents[row] : self.indents[row] + len(content)] = b" " * len(content)
        return bytes(masked)
