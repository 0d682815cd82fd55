"""Offsets in characters, bytes and lines at once, each part of the text read a bounded number of times."""

from __future__ import annotations

from chunker.models import Span


class SpanMeter:
    """Turns character offsets into spans. Asked for spans with ascending starts, it reads the text once, and overlaps once more.

    >>> meter = SpanMeter("é\\nab\\n")
    >>> meter.span(0, 2)
    Span(start=0, end=2, start_byte=0, end_byte=3, start_line=1, end_line=1)
    >>> meter.span(2, 4)
    Span(start=2, end=4, start_byte=3, end_byte=5, start_line=2, end_line=2)
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._ascii = text.isascii()
        # A place where all three are known; it moves to the start of each span.
        self._offset = 0
        self._byte = 0
        self._breaks = 0

    def span(self, start: int, end: int) -> Span:
        """The span of text[start:end], which is not empty and does not start before the previous one."""
        self._byte += self._bytes(self._offset, start)
        self._breaks += self._line_breaks(self._offset, start)
        self._offset = start
        return Span(
            start=start,
            end=end,
            start_byte=self._byte,
            end_byte=self._byte + self._bytes(start, end),
            start_line=1 + self._breaks,
            # The last character belongs to its line even if it ends it.
            end_line=1 + self._breaks + self._line_breaks(start, end - 1),
        )

    def _bytes(self, start: int, end: int) -> int:
        return end - start if self._ascii else len(self._text[start:end].encode("utf-8", "surrogatepass"))

    def _line_breaks(self, start: int, end: int) -> int:
        """Line breaks whose last character stands in text[start:end]: the "\\r" of a "\\r\\n" does not break yet."""
        text = self._text
        return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end + 1)
