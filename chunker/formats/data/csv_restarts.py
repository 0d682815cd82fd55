"""Offsets where parsing of CSV can resume: each row from the third on, unless a quote before it is still open.

The preamble is the first two rows, from which the format detects the delimiter and whether there is a header.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from chunker.formats.expressions import re
from chunker.formats.outline import Format, Outline
from chunker.formats.restarting import Restarts


class TableFormat(Format, Protocol):
    """Protocol of a format of tables that detects its delimiter once."""

    sample_size: ClassVar[int]  # characters from which it detects the delimiter

    def with_delimiter_of(self, text: str) -> tuple[TableFormat, str]:
        """Return the format for texts that begin like this one, and the delimiter."""
        ...


class CsvRestarts(Restarts):
    """Restart rules for CSV, from the third row on."""

    numbered: ClassVar[str | None] = "row"
    holds_for_growing: ClassVar[bool] = True

    def __init__(self, table_format: TableFormat) -> None:
        super().__init__(table_format.outline)
        self._given = table_format
        self.sample_size = self.decided_by = table_format.sample_size
        self._delimiter = ""
        self._certain = False  # whether more text can no longer change the delimiter
        self._third_row = 0

    def outline(self, text: str, /) -> Outline:
        """Return the outline, with the delimiter that was detected at the start of the whole text."""
        if not self._certain:
            detected, self._delimiter = self._given.with_delimiter_of(text)
            self._outline = detected.outline
            self._certain = len(text) >= self._given.sample_size
        return self._outline(text)

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the rows before the first cell with an unclosed quote, which may continue over many rows."""
        if not self._certain:
            return []
        rows = [
            offset for offset, label in zip(outline.offsets, outline.labels, strict=True) if label == "row" and offset
        ]
        if not self._third_row and len(rows) > 2:
            self._third_row = rows[1]
            # The third row has a cell, so that no edit after it can change where it begins.
            self.decided_by = rows[2]
        end = self._first_open_cell(text, rows)
        return [offset for offset in rows[1:] if start <= offset <= end]

    def hold_for(self, sample: str, /) -> bool:
        """Whether a sample has the delimiter of the text."""
        return self._certain and self._given.with_delimiter_of(sample)[1] == self._delimiter

    def preamble(self, text: str, _outline: Outline, _place: int, /) -> str:
        """Return the first two rows, and the text before them."""
        return text[: self._third_row]

    def counted(self, _text: str, outline: Outline, place: int, /) -> int:
        """Return the number of rows before `place`, not counting the first."""
        labels = zip(outline.offsets, outline.labels, strict=True)
        return sum(1 for offset, label in labels if 0 < offset < place and label == "row")

    def _first_open_cell(self, text: str, rows: list[int]) -> int:
        """Return the start of the first row with an unclosed quote; the end of the text if there is none."""
        mark = re.escape(self._delimiter)
        opened = re.compile(rf'(?:\A|(?<={mark}))"(?![^"]*+(?:""[^"]*+)*+")')
        for start, end in zip([0, *rows], [*rows, len(text)], strict=True):
            if text.find('"', start, end) >= 0 and opened.search(text[start:end]):
                return start
        return len(text)
