"""Offsets where parsing of CSV can resume: each row from the third on, unless a quote before it is still open.

Before it stand the first two rows, of which the format finds out the delimiter, and whether there is a header.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from chunker.formats.expressions import re
from chunker.formats.outline import Format, Outline


class TableFormat(Format, Protocol):
    """A format of tables that can find out its delimiter once."""

    sample_size: ClassVar[int]  # characters by which it finds it out

    def with_delimiter_of(self, text: str) -> tuple[TableFormat, str]:
        """The format for texts that go on as this one begins, and the delimiter."""
        ...


class CsvRestarts:
    """CSV, from the third row on."""

    numbered: ClassVar[str | None] = "row"

    def __init__(self, table_format: TableFormat) -> None:
        self._given = self._format = table_format
        self.decided_by = table_format.sample_size
        self._delimiter = ""
        self._certain = False  # whether more text can change the delimiter
        self._third_row = 0

    def outline(self, text: str, /) -> Outline:
        """With the delimiter that was found at the start of the whole text."""
        if not self._certain:
            self._format, self._delimiter = self._given.with_delimiter_of(text)
            self._certain = len(text) >= self._given.sample_size
        return self._format.outline(text)

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """The rows, up to the first cell with a quote that is not closed: it may go on for many rows yet."""
        if not self._certain:
            return []
        rows = [
            offset for offset, label in zip(outline.offsets, outline.labels, strict=True) if label == "row" and offset
        ]
        if not self._third_row and len(rows) > 2:
            self._third_row = rows[1]
        end = self._first_open_cell(text, rows)
        return [offset for offset in rows[1:] if start <= offset <= end]

    def preamble(self, text: str, _outline: Outline, _place: int, /) -> str:
        """The first two rows, and what stands before them."""
        return text[: self._third_row]

    def counted(self, _text: str, outline: Outline, place: int, /) -> int:
        """The rows before `place`, but for the first."""
        labels = zip(outline.offsets, outline.labels, strict=True)
        return sum(1 for offset, label in labels if 0 < offset < place and label == "row")

    def _first_open_cell(self, text: str, rows: list[int]) -> int:
        """The start of the first row with a quote that is not closed in it; the end of the text if there is none."""
        mark = re.escape(self._delimiter)
        opened = re.compile(rf'(?:\A|(?<={mark}))"(?![^"]*+(?:""[^"]*+)*+")')
        for start, end in zip([0, *rows], [*rows, len(text)], strict=True):
            if text.find('"', start, end) >= 0 and opened.search(text[start:end]):
                return start
        return len(text)
