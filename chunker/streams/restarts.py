"""Where texts of a format can be read anew, and what stands there for all that was before: Markdown, JSON Lines, CSV.

Markdown    at a heading or a paragraph that begins at the margin, the paragraph behind a blank line: it ends every list and quote, and inside of
            fences and HTML the format says of no line that it is one. Before it stand the headings of the sections that are open.
JSON Lines  at each record. Nothing need stand before it; the records are numbered from where they were.
CSV         at each row from the third on, if no quote before it is still open. Before it stand the first two rows, of which the format finds
            out the delimiter, and whether there is a header.
"""

from __future__ import annotations

from typing import Any, ClassVar

from chunker.formats import Format, Outline, Strength
from chunker.formats.expressions import re
from chunker.streams.open_outlines import OpenOutline, OpenText, OutlineOf, RestartingOutline

_FRONT_MATTER = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*(?:\r\n?|\n|\Z)")
_FRONT_MATTER_END = re.compile(r"(?:\A|[\r\n])(?:---|\.\.\.|\+\+\+)[ \t]*[\r\n]")
_BLANK_LINE_BEFORE = re.compile(r"(?:\n|\r)[ \t]*(?:\r\n|\n|\r)\Z")
_HEADING_LINE = re.compile(r" {0,3}#{1,6}(?=[ \t\r\n]|\Z)[^\r\n]*")
_UNDERLINED = re.compile(r"(?:[^\r\n]*(?:\r\n|\n|\r))+? {0,3}(?:=+|-+)[ \t]*(?=[\r\n]|\Z)")
_DECLARED_DELIMITER = re.compile(r"\ufeff?sep=([^\r\n])[ \t]*[\r\n]", re.IGNORECASE)
_CSV_SAMPLE = 65_536  # characters by which the format finds out the delimiter
# Ends the last section's heading: what follows it is no heading's own.
_PARAGRAPH = "x\n\n"


class MarkdownRestarts:
    """Markdown, from a heading or a paragraph at the margin."""

    numbered: ClassVar[str | None] = None

    def __init__(self, outline: OutlineOf) -> None:
        self.outline = outline

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Headings, and paragraphs that begin with a letter."""
        front = _FRONT_MATTER.match(text)
        if front is not None and _FRONT_MATTER_END.search(text, front.end() - 1) is None:
            return []  # it may be closed yet, or turn out to be a rule
        return [
            offset
            for offset, strength, label in zip(outline.offsets, outline.strengths, outline.labels, strict=True)
            if offset >= start and strength >= Strength.STRUCTURE and _is_at_margin(text, offset, label)
        ]

    def preamble(self, text: str, outline: Outline, place: int, /) -> str:
        """The headings of the sections around `place`, as they are written."""
        headings = [_heading_at(text, scope.start) for scope in outline.scopes_around(place) if scope.name]
        return "".join(f"{heading}\n\n" for heading in headings) + _PARAGRAPH

    def counted(self, _text: str, _outline: Outline, _place: int, /) -> int:
        """Nothing is numbered."""
        return 0


def _is_at_margin(text: str, offset: int, label: str) -> bool:
    if text[offset - 1] not in "\r\n":
        return False
    if label == "section":
        return text[offset] == "#"
    before = text[max(offset - 200, 0) : offset]
    letter = text[offset].isascii() and text[offset].isalpha()
    return label == "paragraph" and letter and _BLANK_LINE_BEFORE.search(before) is not None


def _heading_at(text: str, start: int) -> str:
    match = _HEADING_LINE.match(text, start) or _UNDERLINED.match(text, start)
    return "" if match is None else match.group()


class JsonLinesRestarts:
    """JSON Lines, from any record."""

    numbered: ClassVar[str | None] = "record"

    def __init__(self, outline: OutlineOf) -> None:
        self.outline = outline

    def places(self, _text: str, outline: Outline, start: int, /) -> list[int]:
        """The records."""
        return [
            offset
            for offset, label in zip(outline.offsets, outline.labels, strict=True)
            if offset >= start and label == "record"
        ]

    def preamble(self, _text: str, _outline: Outline, _place: int, /) -> str:
        """A record depends on nothing."""
        return ""

    def counted(self, text: str, _outline: Outline, place: int, /) -> int:
        """The lines before `place` that have a record."""
        return sum(1 for line in re.split(r"[\r\n]", text[:place]) if line and not line.isspace())


class CsvRestarts:
    """CSV, from the third row on."""

    numbered: ClassVar[str | None] = "row"

    def __init__(self, table_format: Any) -> None:  # noqa: ANN401  # a CsvFormat, which is loaded for those who need it
        self._given = self._format = table_format
        self._delimiter = ""
        self._certain = False  # whether more text can change the delimiter
        self._third_row = 0

    def outline(self, text: str, /) -> Outline:
        """With the delimiter that was found at the start of the whole text."""
        if not self._certain:
            self._format, self._delimiter = _with_delimiter(self._given, text)
            self._certain = len(text) >= _CSV_SAMPLE
        outline: Outline = self._format.outline(text)
        return outline

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


def _with_delimiter(table_format: Any, text: str) -> tuple[Any, str]:  # noqa: ANN401  # see above
    """The format with the delimiter that it finds in `text`, and the delimiter."""
    from chunker.formats.data.csv_text import CsvFormat, sniffed_delimiter  # noqa: PLC0415  # see above

    settings = vars(table_format)
    declared = _DECLARED_DELIMITER.match(text)
    delimiter = settings["_delimiter"] or (declared[1] if declared else sniffed_delimiter(text[:_CSV_SAMPLE]))
    return CsvFormat(delimiter, header=settings["_header"]), delimiter


def open_outline(text_format: Format, outline: OutlineOf) -> OpenOutline | None:
    """What follows a growing text of this format, of which `outline` makes outlines; None if the format has to see all of it."""
    kind = type(text_format)
    # By name: a format is imported by those who ask for it.
    name = kind.__name__ if kind.__module__.startswith("chunker.formats.") else ""
    if name in ("TextFormat", "UnknownFormat"):
        return OpenText(outline)
    if name == "MarkdownFormat":
        return RestartingOutline(MarkdownRestarts(outline))
    if name == "JsonLinesFormat":
        return RestartingOutline(JsonLinesRestarts(outline))
    return RestartingOutline(CsvRestarts(text_format)) if name == "CsvFormat" else None
