"""Tables as text, such as CSV: cut between rows; every chunk has the header row in its context.

    item,price              document                   repeated in the context of later chunks
    apple,1                 row, weak: it stays with the header
    "pear,                  row                        a line end between quotes is not a boundary
    green",2
    a very long row, ...    row                        scope "row 3" and a boundary before each cell, if it is longer than 64 characters

Quotes are parsed as by the module `csv`: they count at the start of a cell, and two of them mean one. The delimiter is
the one of comma, semicolon, tab and bar for which the numbers of cells in the first rows agree best. The first row is a
header if it looks unlike data: every cell filled, all different, no numbers.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import islice
from typing import ClassVar

from chunker.formats.data.csv_restarts import CsvRestarts
from chunker.formats.declarations import LanguageNames
from chunker.formats.expressions import re
from chunker.formats.nesting import LONG, NestingRank, is_long, outline_of, strength_at
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Scope
from chunker.formats.restarting import Restarts

_DELIMITERS = ",;\t|"
_SAMPLE = 50  # rows
# A line that declares the delimiter for spreadsheet programs.
_DECLARATION = re.compile(r"\ufeff?sep=([^\r\n])[ \t]*+(?:\r\n?|\n)", re.IGNORECASE)
_LINE_END = r"(?:\r\n?|\n)"
# A byte order mark before them is blank, too.
_BLANK_LINES = re.compile(rf"(?:\ufeff(?=[ ]*+{_LINE_END}))?+(?:[ ]*+{_LINE_END})*+")
_NUMBER = re.compile(
    r"[-+]?[$€£¥]?\s?\d[\d\s.,:/%-]*(?:[eE][-+]?\d+)?\s?[%$€£¥]?(?:T[\d:.]+Z?)?|nan|null|none|true|false", re.IGNORECASE
)


class CsvFormat:
    """Rows of cells, quoted as in CSV.

    `delimiter`: the character between two cells; None to detect it. `header`: whether the first row names the columns;
    None to detect it.
    """

    name: ClassVar[str] = "csv"
    languages: ClassVar[dict[str, LanguageNames]] = {"CSV": {"suffixes": [".csv", ".tsv"]}}
    language: str | None = name
    sample_size: ClassVar[int] = 65_536  # characters from which the delimiter is detected

    def __init__(self, delimiter: str | None = None, *, header: bool | None = None) -> None:
        self._delimiter = delimiter
        self._header = header

    def outline(self, text: str) -> Outline:
        """Return the rows of `text`, the cells of long rows, and an unnamed scope over the whole text that has the
        header. Linear; any str is allowed.
        """
        if not text:
            return Outline([])
        declared = _DECLARATION.match(text)
        blank = _BLANK_LINES.match(text, declared.end() if declared else 0)
        top = blank.end() if blank else 0
        delimiter = self._delimiter_of(text, declared)
        rows = _rows(text, delimiter, top)
        has_header = len(rows) > 1 and (_is_header(text, delimiter, rows) if self._header is None else self._header)
        found: dict[int, tuple[int, str]] = {}
        scopes = []
        if has_header:
            scopes.append(Scope(0, len(text), "", header=text[slice(*rows[0])].removeprefix("\ufeff").rstrip("\r\n")))
        cell = _expressions(delimiter)[1]
        strengths = {0: 0, 1: strength_at(0, NestingRank.FIRST)} if has_header else {0: 0}
        usual, cell_strength = strength_at(0), strength_at(1)
        for number, (start, end) in enumerate(rows):
            if number:
                found[start] = strengths.get(number, usual), "row"
            if is_long(text[start:end].rstrip(" \r\n") if end - start > LONG else ""):
                if number or not has_header:
                    scopes.append(Scope(start, end, f"row {number + (not has_header)}"))
                for match in cell.finditer(text, start, end):
                    if match.end() < end and text[match.end() - 1] == delimiter:
                        found[match.end()] = cell_strength, "cell"
        return outline_of(text, found, scopes, "header" if has_header else "row")

    def restarts(self, _outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for resuming: see `chunker.formats.restarting`."""
        return CsvRestarts(self)

    def with_delimiter_of(self, text: str) -> tuple[CsvFormat, str]:
        """Return the format for tables that begin like `text`, and the delimiter."""
        delimiter = self._delimiter_of(text, _DECLARATION.match(text))
        return CsvFormat(delimiter, header=self._header), delimiter

    def _delimiter_of(self, text: str, declared: re.Match[str] | None) -> str:
        return self._delimiter or (declared[1] if declared else sniffed_delimiter(text[: self.sample_size]))


def sniffed_delimiter(sample: str) -> str:
    """Return the delimiter with which most of the first rows have the same number of cells, more than one; on a tie,
    the delimiter with more cells.

    >>> sniffed_delimiter("a;b,c;d\\n1;2,5;3\\n"), sniffed_delimiter("one column")
    (';', ',')
    """
    best, delimiter = (0.0, 0), _DELIMITERS[0]
    for candidate in _DELIMITERS:
        if candidate not in sample:
            continue
        rows = _rows(sample, candidate, 0, _SAMPLE)
        whole = rows[:-1] if len(rows) > 2 else rows  # the sample may end inside the last row
        cells = Counter(len(_cells(sample, candidate, *row)) for row in whole)
        usual, often = max(cells.items(), key=lambda item: (item[1], item[0]))
        score = often / len(whole), usual
        if usual > 1 and score > best:
            best, delimiter = score, candidate
    return delimiter


@cache
def _expressions(delimiter: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return expressions for a row with the blank lines after it, and for a cell with its delimiter. Both match the
    empty text at the end.
    """
    mark = re.escape(delimiter)
    quoted = r'"[^"]*+(?:""[^"]*+)*+"'
    rest = rf"[^{mark}\r\n]*+"
    content = rf"(?:{quoted}{rest}|{rest})"
    row = rf"{content}(?:{mark}{content})*+({_LINE_END}(?:[ ]*+{_LINE_END})*+|\Z)"
    return re.compile(row), re.compile(rf"{content}(?:{mark}|{_LINE_END}|\Z)")


def _rows(text: str, delimiter: str, start: int, limit: int | None = None) -> list[tuple[int, int]]:
    """Return the start and end of each row, from `start` on; at most `limit` rows."""
    expression = _expressions(delimiter)[0]
    spans = (match.span() for match in islice(expression.finditer(text, start), limit))
    return [span for span in spans if span[0] < span[1]]


def _cells(text: str, delimiter: str, start: int, end: int) -> list[str]:
    """Return the cells of the row text[start:end], without their quotes."""
    row = text[start:end].rstrip("\r\n")
    cells = []
    for match in _expressions(delimiter)[1].finditer(row):
        cells.append(match.group().removesuffix(delimiter).strip().strip('"').strip())
        if not match.group().endswith(delimiter):
            break
    return cells


def _is_header(text: str, delimiter: str, rows: list[tuple[int, int]]) -> bool:
    """Whether the first row looks like column names."""
    names = _cells(text, delimiter, *rows[0])
    first = _cells(text, delimiter, *rows[1])
    # A column of row numbers, if it is the first, often has no name.
    if not all(names[1:]) or len(set(names)) < len(names) or abs(len(names) - len(first)) > 1:
        return False
    return names != first and not any(_NUMBER.fullmatch(name) for name in names)
