"""XLSX against openpyxl, which wrote most of the files: the same values in the same cells; and what other programs write."""

from __future__ import annotations

import datetime as dt
import io
import time
import zipfile
from collections.abc import Mapping
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl.utils import get_column_letter

from chunker.errors import DamagedDocumentError, DocumentTooLargeError
from chunker.files.readers import ReadText
from chunker.files.readers.table import read_document_bytes

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
Cells = Mapping[tuple[int, int], Any]

_MIDNIGHT = dt.datetime.fromisoformat("2000-01-01")
_TIMES = st.integers(0, 8_639_999).map(lambda hundredths: dt.timedelta(milliseconds=10 * hundredths))
_DAYS = st.dates(dt.date(1901, 1, 1), dt.date(2199, 12, 31))
VALUES = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_categories=["C"]), max_size=12).filter(
        lambda text: not text.startswith("=") and "_x" not in text and text not in {"#N/A", "#REF!"}
    ),
    st.sampled_from(["a|b", " one\n two ", "<&>", "1", "#N/A"]),
    st.integers(-(10**14), 10**14),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.booleans(),
    _DAYS,
    st.builds(lambda day, time: dt.datetime.combine(day, dt.time()) + time, _DAYS, _TIMES),
    _TIMES.map(lambda time: (_MIDNIGHT + time).time()),
    st.integers(1, 10**7).map(lambda seconds: dt.timedelta(seconds=seconds)),
)


def written(cells: Cells) -> bytes:
    """A workbook of one sheet by openpyxl; its cells by row and column."""
    book = openpyxl.Workbook()
    for (row, column), value in cells.items():
        book.active.cell(row, column, value)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def read(content: bytes) -> ReadText:
    return read_document_bytes(content, "xlsx")


def shown(value: object) -> str:
    """A value of openpyxl as our reader writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ")
    return " ".join(str(value).split()).replace("|", "\\|")


def tables(cells: Mapping[tuple[int, int], str]) -> str:
    """The Markdown of the cells that have text, made another way: row numbers first, then columns."""
    told = ""
    rows = sorted({row for row, _ in cells})
    groups: list[list[int]] = []
    for row in rows:
        if groups and groups[-1][-1] == row - 1:
            groups[-1].append(row)
        else:
            groups.append([row])
    for group in groups:
        columns = sorted({column for row, column in cells if row in group})
        for place, row in enumerate(group):
            told += "| " + " | ".join(cells.get((row, column), "") for column in columns) + " |\n"
            if not place:
                told += "|" + " --- |" * len(columns) + "\n"
        told += "\n"
    return told.rstrip("\n") + "\n" if told else ""


@settings(max_examples=50)
@given(st.dictionaries(st.tuples(st.integers(1, 12), st.integers(1, 30)), VALUES, max_size=25))
def test_the_cells_that_openpyxl_reads(cells: dict[tuple[int, int], Any]) -> None:
    content = written(cells)
    sheet = openpyxl.load_workbook(io.BytesIO(content), data_only=True).active
    texts = {(cell.row, cell.column): text for row in sheet.iter_rows() for cell in row if (text := shown(cell.value))}
    expected = tables(texts)
    assert read(content).text == (f"# Sheet\n\n{expected}" if expected else "")


def test_cells_in_far_corners_cost_no_more_than_others() -> None:
    corners: dict[tuple[int, int], str] = {
        (1, 1): "first",
        (1, 16_384): "right",
        (1_048_576, 1): "down",
        (1_048_576, 16_384): "last",
    }
    content = written(corners)
    began = time.process_time()
    found = read(content)
    assert time.process_time() - began < 1
    assert found.text == "# Sheet\n\n| first | right |\n| --- | --- |\n\n| down | last |\n| --- | --- |\n"
    assert found.places is not None
    assert found.places.between(found.text.index("last"), len(found.text)) == [
        {"sheet": "Sheet", "rows": [1_048_576, 1_048_576]}
    ]


def test_a_table_of_too_many_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunker.files.readers.sheets.MAX_CELLS", 1_000)
    diagonal = {(number, number): "x" for number in range(1, 40)}
    with pytest.raises(DocumentTooLargeError, match="39 columns and 39 rows"):
        read(written(diagonal))
    assert read(written({(2 * row, column): "x" for row, column in diagonal})).text.count("| x |") == 39


def test_a_row_whose_cells_share_a_long_string(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunker.files.readers.MAX_CHARACTERS", 100_000)
    row = {(1, column): "one string that all cells share " * 100 for column in range(1, 41)}
    with pytest.raises(DocumentTooLargeError, match="more than 100,000 characters"):
        read(written(row))


# --- what other programs write


def workbook(rows: str, *, book: str = "", strings: str = "", styles: str = "", prefix: str = "") -> bytes:
    """A workbook by hand: one sheet, whose elements have a prefix."""
    colon, of = (f"{prefix}:", f":{prefix}") if prefix else ("", "")
    links = '<Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="styles.xml"/>'
    links += '<Relationship Id="r3" Target="sharedStrings.xml"/>'
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}">{book}<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{PACKAGE}">{links}</Relationships>')
        archive.writestr("xl/styles.xml", f'<styleSheet xmlns="{MAIN}">{styles}</styleSheet>')
        archive.writestr("xl/sharedStrings.xml", f'<sst xmlns="{MAIN}">{strings}</sst>')
        sheet = f'<{colon}worksheet xmlns{of}="{MAIN}"><{colon}sheetData>{rows}</{colon}sheetData></{colon}worksheet>'
        archive.writestr("xl/worksheets/sheet1.xml", sheet)
    return made.getvalue()


STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode="[$-409]d\\-mmm\\-yy;@"/><numFmt numFmtId="165" formatCode="0.0&quot; days&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="46"/><xf numFmtId="22"/></cellXfs>'
)


def row_of(*cells: str) -> str:
    return f"<row>{''.join(cells)}</row>"


def line(content: bytes) -> str:
    return read(content).text.split("\n")[2]


def test_cells_without_references_follow_one_another() -> None:
    cells = '<c><v>1</v></c><c t="str"><f>A1&amp;2</f><v>12</v></c><c r="D1"><v>4</v></c><c><v>5</v></c>'
    assert line(workbook(row_of(cells))) == "| 1 | 12 | 4 | 5 |"


def test_strings_in_the_cell_in_runs_and_with_their_sound() -> None:
    strings = "<si><r><t>two </t></r><r><t>runs</t></r></si><si><t>東京</t><rPh sb='0' eb='2'><t>トウキョウ</t></rPh></si><si><t>a_x000D_b</t></si>"
    cells = '<c t="inlineStr"><is><t>here</t></is></c><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>2</v></c>'
    assert line(workbook(row_of(cells), strings=strings)) == "| here | two runs | 東京 | a b |"


def test_numbers_in_the_formats_of_dates() -> None:
    numbers = ((1, "45413"), (2, "45413.5"), (3, "1.50"), (4, "1.25"), (5, "0.75"), (1, "1"), (1, "-1"), (0, "45413"))
    cells = "".join(f'<c s="{style}"><v>{value}</v></c>' for style, value in numbers)
    expected = "| 2024-05-01 | 2024-05-01 12:00:00 | 1.5 | 1 day, 6:00:00 | 18:00:00 | 1900-01-01 | -1 | 45413 |"
    assert line(workbook(row_of(cells), styles=STYLES)) == expected
    from_1904 = workbook(row_of('<c s="1"><v>43951</v></c>'), styles=STYLES, book='<workbookPr date1904="1"/>')
    assert line(from_1904) == "| 2024-05-01 |"


def test_truth_errors_and_dates_as_such() -> None:
    cells = '<c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#N/A</v></c><c t="d"><v>2024-05-01</v></c>'
    assert line(workbook(row_of(cells))) == "| TRUE | FALSE | #N/A | 2024-05-01 |"


def test_elements_with_a_prefix() -> None:
    assert line(workbook("<x:row><x:c><x:v>7</x:v></x:c></x:row>", prefix="x")) == "| 7 |"


@pytest.mark.parametrize(
    "cell",
    [
        '<c t="s"><v>9</v></c>',
        '<c t="s"><v>x</v></c>',
        "<c><v>seven</v></c>",
        '<c r="XFE1"><v>1</v></c>',
        '<c r="!1"><v>1</v></c>',
        '<c s="x"><v>1</v></c>',
    ],
)
def test_what_no_sheet_can_say(cell: str) -> None:
    with pytest.raises(DamagedDocumentError, match=r"worksheets/sheet1\.xml in it cannot be read"):
        read(workbook(row_of(cell)))


def test_a_sheet_that_is_missing() -> None:
    content = io.BytesIO(workbook(row_of("<c><v>1</v></c>")))
    made = io.BytesIO()
    with zipfile.ZipFile(content) as archive, zipfile.ZipFile(made, "w") as without:
        for name in archive.namelist():
            if "sheet1" not in name:
                without.writestr(name, archive.read(name))
    with pytest.raises(DamagedDocumentError, match="lacks the sheet 'S'"):
        read(made.getvalue())


def test_columns_of_two_and_three_letters() -> None:
    cells = {(1, column): f"in {get_column_letter(column)}" for column in (1, 26, 27, 702, 703, 16_384)}
    assert line(written(cells)) == "| in A | in Z | in AA | in ZZ | in AAA | in XFD |"
