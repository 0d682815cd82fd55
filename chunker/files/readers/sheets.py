"""XLSX: each sheet under its name, its rows as tables with only the columns that are in use. A blank row ends a table.

    row 2       B2 "Item"   D2 "Price"                  | Item | Price |        sheet "Sales", rows 2 to 3
    row 3       B3 "Lamp"   D3 12                       | Lamp | 12 |
    row 900000  XFD900000 "checked"                     | checked |             a cell far away costs no more than one near by

Read with the standard library alone, cell by cell while parsing, so that no tree of a sheet is in memory. Formulas have
their last computed values; numbers with a date format are shown in ISO 8601. A place is the sheet and its rows.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal
from xml.etree import ElementTree as ET  # for its types; zipped.py parses
from xml.parsers import expat  # definitions are refused by zipped.py

from chunker.errors import DamagedDocumentError, DocumentTooLargeError
from chunker.files import readers
from chunker.files.readers import ReadText, TextBuilder
from chunker.files.readers.zipped import Package, attribute, child, relation, without_definitions
from chunker.formats.expressions import re

# Including the empty cells that make the rows of a table equally long.
MAX_CELLS = 10_000_000
_BOOK = "xl/workbook.xml"
_STRINGS = "sharedstrings.xml"
_STYLES = "styles.xml"
_LAST_COLUMN = 16_384
_AT_A_TIME = 1 << 16  # bytes that are parsed at a time
_MILLISECONDS = 86_400_000  # in a day

_Kind = Literal["number", "date", "elapsed"]
# The built-in formats, by number.
_DATES = frozenset({*range(14, 23), *range(27, 37), *range(50, 59), 45, 47})
_ELAPSED = frozenset({46})
# The parts of a format code that are shown literally: quoted or after a backslash; and colors, locales and conditions
# in brackets.
_SHOWN = re.compile(r'"[^"]*"|[\\_*].|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.IGNORECASE)
_HOURS = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_PARTS_OF_DATES = re.compile(r"[dmhys]", re.IGNORECASE)
_ESCAPED = re.compile(r"_x(?![dD][89a-fA-F])([0-9A-Fa-f]{4})_")


@dataclass(slots=True)
class _Book:
    """The data that all sheets share: their strings, the kinds of numbers by style, and the day from which days are
    counted.
    """

    strings: list[str] = field(default_factory=list)
    kinds: list[_Kind] = field(default_factory=list)
    first_day: dt.datetime = dt.datetime(1899, 12, 30)  # noqa: DTZ001  # dates of sheets have no zone

    def text(self, kind: str, style: str, value: str) -> str:
        """Return the text of a cell as displayed, on one line."""
        if not value:
            return ""
        if kind == "s":
            return self.strings[int(value)]
        if kind == "n":
            number = float(value)
            shown = self.kinds[int(style)] if int(style) < len(self.kinds) else "number"
            return (self._moment(number, shown) if shown != "number" else "") or _number_text(value, number)
        if kind == "b":
            return "TRUE" if value == "1" else "FALSE"
        return _in_one_line(value)

    def _moment(self, days: float, shown: _Kind) -> str:
        """Format a number of days as a date, a time or a duration; "" if it cannot be one."""
        try:
            day, rest = divmod(round(days * _MILLISECONDS), _MILLISECONDS)
            passed = dt.timedelta(milliseconds=rest)
            if shown == "elapsed":
                return str(dt.timedelta(days=day) + passed)
            if day < 0:
                return ""
            if days < 1 and not day:
                return (self.first_day + passed).time().isoformat()
            # Sheets that count from 1900 treat it as a leap year.
            early = day < 60 and self.first_day.year < 1900
            moment = self.first_day + dt.timedelta(days=day + early) + passed
        except (OverflowError, ValueError):
            return ""
        return moment.isoformat(" ") if rest else moment.date().isoformat()


def read_sheets(content: bytes) -> ReadText:
    """Read an XLSX.

    Raises:
        DocumentError: It is encrypted, damaged, or has too many cells.
    """
    package = Package(content)
    name = next((part for part in package.related("").values() if "workbook" in part.lower()), _BOOK)
    root, related = package.xml(name), package.related(name)
    book = _book(package, root, related.values())
    sheets = child(root, "sheets")
    builder = TextBuilder()
    for sheet in sheets if sheets is not None else ():
        part = related.get(relation(sheet), "")
        title = attribute(sheet, "name") or ""
        if not package.has(part):
            raise DamagedDocumentError(f"it lacks the sheet {title!r}")
        heading = f"# {title}"
        for table in _tables(_rows(package, part, book)):
            for place, text, apart in _lines(title, table):
                if heading:
                    builder.add(heading, place)
                    heading = ""
                builder.add(text, place, apart)
    return builder.built({"sheets": 0 if sheets is None else len(sheets)})


_Row = tuple[int, dict[int, str]]  # its number, and the texts of its cells by the number of their column


def _tables(rows: Iterator[_Row]) -> Iterator[list[_Row]]:
    """Group rows into tables, which blank rows separate."""
    table: list[_Row] = []
    for row in rows:
        if table and row[0] != table[-1][0] + 1:
            yield table
            table = []
        table.append(row)
    if table:
        yield table


def _lines(title: str, table: Sequence[_Row]) -> Iterator[tuple[Mapping[str, object], str, str]]:
    """Yield the place of each row of a table, its text, and the text between it and the previous row."""
    columns = sorted({column for _, cells in table for column in cells})
    if len(columns) * len(table) > MAX_CELLS:
        raise DocumentTooLargeError(f"a table in it has {len(columns):,} columns and {len(table):,} rows")
    for number, cells in table:
        # The cells of a row may share one long string.
        if sum(map(len, cells.values())) > readers.MAX_CHARACTERS:
            raise DocumentTooLargeError(f"its text has more than {readers.MAX_CHARACTERS:,} characters")
        begins = number == table[0][0]
        rule = f"\n| {' | '.join(['---'] * len(columns))} |" if begins else ""
        text = f"| {' | '.join([cells.get(column, '') for column in columns])} |{rule}"
        yield {"sheet": title, "rows": [number, number]}, text, "\n\n" if begins else "\n"


# --- the parser


class _Parsing:
    """Handler of expat events: collects the text of `v` and `t`, except phonetic readings (`rPh`)."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._inside = 0
        self._spoken = 0

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Handle the start of an element."""
        name = name.rpartition(":")[2]
        if name in {"v", "t"}:
            self._inside += 1
        elif name == "rPh":
            self._spoken += 1
        else:
            self.begin(name, attributes)

    def end(self, name: str) -> None:
        """Handle the end of an element."""
        name = name.rpartition(":")[2]
        if name in {"v", "t"}:
            self._inside -= 1
        elif name == "rPh":
            self._spoken -= 1
        else:
            self.finish(name)

    def text(self, text: str) -> None:
        """Handle characters."""
        if self._inside and not self._spoken:
            self.texts.append(text)

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Handle the start of any other element."""

    def finish(self, name: str) -> None:
        """Handle the end of any other element."""


class _Strings(_Parsing):
    """Collects the strings that cells share."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:  # noqa: ARG002  # as the interface
        if name == "si":
            self.texts = []

    def finish(self, name: str) -> None:
        if name == "si":
            self.found.append(_in_one_line("".join(self.texts)))


class _Cells(_Parsing):
    """Collects the rows of a sheet that have text."""

    def __init__(self, text: Callable[[str, str, str], str]) -> None:
        super().__init__()
        self.found: list[_Row] = []
        self._text_of = text
        self._row = self._column = 0
        self._cells: dict[int, str] = {}
        self._kind, self._style = "n", "0"

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "c":
            reference = attributes.get("r")
            self._column = _column(reference.rstrip("0123456789")) if reference else self._column + 1
            self._kind, self._style = attributes.get("t", "n"), attributes.get("s", "0")
            self.texts = []
        elif name == "row":
            self._row = int(attributes.get("r", self._row + 1))
            self._column, self._cells = 0, {}

    def finish(self, name: str) -> None:
        if name == "c":
            text = self._text_of(self._kind, self._style, "".join(self.texts))
            if text:
                self._cells[self._column] = text
        elif name == "row" and self._cells:
            self.found.append((self._row, self._cells))


def _parsed(package: Package, name: str, parsing: _Parsing) -> Iterator[None]:
    """Parse a part in steps; yields after each step, so that the caller can take the results."""
    content = package.read(name)
    without_definitions(content, name)
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = parsing.start
    parser.EndElementHandler = parsing.end
    parser.CharacterDataHandler = parsing.text
    try:
        for start in range(0, len(content), _AT_A_TIME):
            parser.Parse(content[start : start + _AT_A_TIME])
            yield
        parser.Parse(b"", True)  # noqa: FBT003  # as its interface has it
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise DamagedDocumentError(f"{name} in it cannot be read: {type(error).__name__}: {error}") from error


def _rows(package: Package, name: str, book: _Book) -> Iterator[_Row]:
    cells = _Cells(book.text)
    for _ in _parsed(package, name, cells):
        yield from cells.found
        cells.found = []


@lru_cache(maxsize=_LAST_COLUMN)
def _column(letters: str) -> int:
    """Convert the letters of a column to its number.

    >>> _column("A"), _column("Z"), _column("AA"), _column("XFD")
    (1, 26, 27, 16384)
    """
    number = 0
    for letter in letters[:4]:
        number = 26 * number + ord(letter) - ord("A") + 1
    if not 0 < number <= _LAST_COLUMN:
        raise ValueError(f"there is no column {letters[:4]!r}")
    return number


# --- what sheets share


def _book(package: Package, root: ET.Element, names: Iterable[str]) -> _Book:
    book = _Book()
    if attribute(child(root, "workbookPr"), "date1904") in {"1", "true"}:
        book.first_day = dt.datetime(1904, 1, 1)  # noqa: DTZ001  # dates of sheets have no zone
    for name in names:
        if name.lower().endswith(_STRINGS) and package.has(name):
            strings = _Strings()
            for _ in _parsed(package, name, strings):
                pass
            book.strings = strings.found
        elif name.lower().endswith(_STYLES) and package.has(name):
            book.kinds = _kinds(package.xml(name))
    return book


def _kinds(styles: ET.Element) -> list[_Kind]:
    """Return the kind of numbers of each style."""
    own = child(styles, "numFmts")
    codes = {attribute(one, "numFmtId"): attribute(one, "formatCode") or "" for one in (own if own is not None else ())}
    cells = child(styles, "cellXfs")
    found: list[_Kind] = []
    for one in cells if cells is not None else ():
        number = attribute(one, "numFmtId") or "0"
        if number in codes:
            found.append(_kind(codes[number]))
        else:
            found.append("date" if int(number) in _DATES else "elapsed" if int(number) in _ELAPSED else "number")
    return found


def _kind(code: str) -> _Kind:
    """Return the kind of numbers that a format code displays, by its first section.

    >>> _kind("yyyy-mm-dd"), _kind("[h]:mm"), _kind('0.00 "days"'), _kind("[Red]0;[Blue]d")
    ('date', 'elapsed', 'number', 'number')
    """
    shown = _SHOWN.sub("", code).partition(";")[0]
    if _HOURS.search(shown):
        return "elapsed"
    return "date" if _PARTS_OF_DATES.search(shown) else "number"


def _number_text(written: str, number: float) -> str:
    """Format a number for people.

    >>> _number_text("3.0", 3.0), _number_text("0.10000000000000001", 0.1), _number_text("12", 12.0)
    ('3', '0.1', '12')
    """
    if written.lstrip("-").isdecimal():
        return str(int(written))
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else str(number)


def _in_one_line(text: str) -> str:
    r"""Convert the text of a cell to one line for a Markdown table.

    >>> _in_one_line("one\n two_x000D_"), _in_one_line("a|b")
    ('one two', 'a\\|b')
    """
    if "_x" in text:
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    return " ".join(text.split()).replace("|", "\\|")
