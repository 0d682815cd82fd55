"""Convert character offsets to bytes and lines, reading each part of the text a bounded number of times.

The compiled twin: chunker/cpp/include/chunker/span_meter.hpp.
"""

from __future__ import annotations

from typing import NamedTuple

from chunker.span import Span


class _Known(NamedTuple):
    """An offset in characters and in bytes, and the number of line breaks before it."""

    offset: int
    byte: int
    breaks: int


# A non-empty span: start and end in bytes, first and last line.
Measured = tuple[int, int, int, int]


class SpanMeter:
    """Converts character offsets to spans. For spans with ascending starts it reads the text once, and overlaps twice.

    >>> meter = SpanMeter("é\\nab\\n")
    >>> meter.span(0, 2)
    Span(start=0, end=2, start_byte=0, end_byte=3, start_line=1, end_line=1)
    >>> meter.span(2, 4)
    Span(start=2, end=4, start_byte=3, end_byte=5, start_line=2, end_line=2)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._ascii = text.isascii()
        self._returns = "\r" in text
        # Two offsets with known bytes and lines: the start of the last span, and its end, which is usually the start of
        # the next one.
        self._start = self._end = _Known(0, 0, 0)

    def span(self, start: int, end: int) -> Span:
        """Return the span of text[start:end], which must not be empty. Costs its length and its distance from the
        previous span.
        """
        return Span(start, end, *self.measure(start, end))

    def measure(self, start: int, end: int) -> Measured:
        """Return the measures of text[start:end], which is not empty: start and end in bytes, first and last line."""
        known = self._end
        first = known if start == known.offset else self._at(start, known if start > known.offset else self._start)
        stop = self._at(end, first)
        self._start, self._end = first, stop
        # The last character belongs to its line even if it ends it.
        ends_line = self._text[end - 1] in "\r\n" and self._line_breaks(end - 1, end)
        return first.byte, stop.byte, 1 + first.breaks, 1 + stop.breaks - ends_line

    def _at(self, offset: int, known: _Known) -> _Known:
        """All three at `offset`, from a place where they are known."""
        if offset == known.offset:
            return known
        first, last, sign = (known.offset, offset, 1) if known.offset < offset else (offset, known.offset, -1)
        size = last - first if self._ascii else len(self._text[first:last].encode("utf-8", "surrogatepass"))
        return _Known(offset, known.byte + sign * size, known.breaks + sign * self._line_breaks(first, last))

    def _line_breaks(self, start: int, end: int) -> int:
        """Line breaks whose last character stands in text[start:end]: the "\\r" of a "\\r\\n" does not break yet."""
        text = self._text
        breaks = text.count("\n", start, end)
        if self._returns:
            breaks += text.count("\r", start, end) - text.count("\r\n", start, end + 1)
        return breaks
