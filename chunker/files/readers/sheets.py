"""XLSX: each sheet under its name, its rows as a table, by openpyxl in its mode for reading (extra `documents`), which keeps one row in memory.

Values are those that were computed last; dates are in ISO 8601. A place is the sheet and its rows.
"""

from __future__ import annotations

import datetime as dt
import importlib
import io
import zipfile
from collections.abc import Iterable
from xml.etree.ElementTree import ParseError  # openpyxl raises it

from chunker.errors import DamagedDocumentError, DocumentError, DocumentTooLargeError, MissingExtraError
from chunker.files.readers import ReadText, TextBuilder
from chunker.files.readers.zipped import Package

MAX_CELLS = 10_000_000
_WIDEST = 512  # columns


def read_sheets(content: bytes) -> ReadText:
    """Read an XLSX.

    Raises:
        MissingExtraError: openpyxl is not installed.
        DocumentError: It is encrypted, damaged, or has too many cells.
    """
    try:
        openpyxl = importlib.import_module("openpyxl")
    except ImportError as error:
        raise MissingExtraError("openpyxl", "documents") from error
    _check(content)
    builder = TextBuilder()
    cells = 0
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        for sheet in book.worksheets:
            heading = f"# {sheet.title}"
            width = 0
            for number, row in enumerate(sheet.iter_rows(values_only=True, max_col=_WIDEST), 1):
                cells += len(row) + 1
                if cells > MAX_CELLS:
                    raise DocumentTooLargeError(f"it has more than {MAX_CELLS:,} cells")
                texts = _texts(row)
                if not texts:
                    width = 0  # a blank row ends a table
                    continue
                place = {"sheet": sheet.title, "rows": [number, number]}
                if heading:
                    builder.add(heading, place)
                    heading = ""
                begins = not width
                width = max(width, len(texts))
                line = f"| {' | '.join([*texts, *[''] * (width - len(texts))])} |"
                rule = f"\n| {' | '.join(['---'] * width)} |" if begins else ""
                builder.add(line + rule, place, "\n\n" if begins else "\n")
        sheets = len(book.worksheets)
    except DocumentError:
        raise
    except (
        KeyError,
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        EOFError,
        OSError,
        ParseError,
        zipfile.BadZipFile,
    ) as error:
        raise DamagedDocumentError(f"it cannot be read as XLSX: {type(error).__name__}: {error}") from error
    return builder.built({"sheets": sheets})


def _check(content: bytes) -> None:
    """Read what openpyxl will read, within bounds."""
    package = Package(content)
    for name in package.names:
        if name.endswith((".xml", ".rels")):
            package.read(name)


def _texts(row: Iterable[object]) -> list[str]:
    texts = [_text(value) for value in row]
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _text(value: object) -> str:
    """A cell as people read it.

    >>> _text(3.0), _text(dt.datetime(2024, 5, 1)), _text("a|b"), _text(None)
    ('3', '2024-05-01', 'a\\\\|b', '')
    """
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ")
    return " ".join(str(value).split()).replace("|", "\\|")
