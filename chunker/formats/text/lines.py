"""The lines of a source text, in characters and in bytes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate

_INDENTATION = b" \t\f\v"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE_ENDS = b"\r\n"


class LineTable:
    r"""The lines of a text: `source` is `text` in UTF-8. Lines end with \n, \r\n or \r; the last one may lack its
    end.

    `starts`: in characters. `byte_starts`, `ends`: in bytes. `indents`: the offset of the byte after the indentation,
    which includes a byte order mark and form feeds. `first_bytes`: the bytes at these offsets, one per line. `blank`:
    whether the line is only indentation. No line is empty: a text that ends with a line end has no line after it.

    >>> table = LineTable("é = 1\n\n  b", "é = 1\n\n  b".encode())
    >>> table.starts, table.byte_starts, table.indents, table.blank
    ([0, 6, 7], [0, 7, 8], [0, 7, 10], [False, True, False])
    """

    __slots__ = ("blank", "byte_starts", "ends", "first_bytes", "indents", "starts")

    def __init__(self, text: str, source: bytes) -> None:
        # A text may have a hundred thousand lines: each step is one call in C for all of them. Unlike str.splitlines,
        # bytes.splitlines knows no other line ends than these three.
        lines = source.splitlines(keepends=True)
        self.ends = list(accumulate(map(len, lines)))
        self.byte_starts = [0, *self.ends[:-1]] if lines else []
        contents = [line.lstrip(_INDENTATION) for line in lines]
        if _BYTE_ORDER_MARK in source:
            contents = [line.removeprefix(_BYTE_ORDER_MARK).lstrip(_INDENTATION) for line in lines]
        self.indents = [end - len(content) for end, content in zip(self.ends, contents, strict=True)]
        self.first_bytes = b"".join([content[:1] or b"\n" for content in contents])
        self.blank = list(map(_LINE_ENDS.__contains__, self.first_bytes))
        if len(source) == len(text):
            self.starts = self.byte_starts
        else:
            lengths = [len(line) if line.isascii() else len(line.decode("utf-8", "surrogatepass")) for line in lines]
            self.starts = [0, *accumulate(lengths[:-1])] if lines else []

    def __len__(self) -> int:
        return len(self.starts)

    def indent(self, row: int) -> int:
        """Return the number of bytes of indentation of a line."""
        return self.indents[row] - self.byte_starts[row]

    def without(self, rows: Iterable[int], source: bytes) -> bytes:
        """Return `source` with spaces instead of the text of these lines; no byte moves."""
        masked = bytearray(source)
        for row in rows:
            content = source[self.indents[row] : self.ends[row]].rstrip(b"\r\n")
            masked[self.indents[row] : self.indents[row] + len(content)] = b" " * len(content)
        return bytes(masked)
