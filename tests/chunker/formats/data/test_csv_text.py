"""Tables: rows, cells, the header that goes with every chunk; against the module csv."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import pairwise
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.formats.data.csv_text import CsvFormat, sniffed_delimiter


def cuts(text: str, kind: CsvFormat | None = None) -> list[tuple[str, str]]:
    """The label of each unit and its text."""
    outline = (kind or CsvFormat()).outline(text)
    units = zip(outline.labels, pairwise([*outline.offsets, len(text)]), strict=True)
    return [(label, text[start:end]) for label, (start, end) in units]


@pytest.mark.parametrize("size", [63, 64, 65])
def test_the_kind_of_line_end_does_not_make_a_row_long(size: int) -> None:
    row = "a,b".ljust(size, "c")
    for end in ("\n", "\r", "\r\n"):
        for text in (row + end, row + end * 3, row[:20] + ',"c' + end + 'd"' + row[26:] + end):
            assert ("cell" in CsvFormat().outline(text).labels) == (size > 64), (text,)


def test_rows() -> None:
    text = 'item,price\napple,1\n"pear,\ngreen",2\n\n"a ""b""",3'
    assert cuts(text) == [
        ("header", "item,price\n"),
        ("row", "apple,1\n"),
        ("row", '"pear,\ngreen",2\n\n'),
        ("row", '"a ""b""",3'),
    ]
    strengths = CsvFormat().outline(text).strengths
    assert strengths[1] < strengths[2] == strengths[3]  # the header stays with the first row


def test_a_long_row_is_cut_at_its_cells() -> None:
    long = ",".join(["some words", '"with, comma"', '"two\nlines"', "x" * 60])
    text = f"a,b,c,d\n{long}\n1,2,3,4\n"
    assert cuts(text)[1:] == [
        ("row", "some words,"),
        ("cell", '"with, comma",'),
        ("cell", '"two\nlines",'),
        ("cell", "x" * 60 + "\n"),
        ("row", "1,2,3,4\n"),
    ]
    assert CsvFormat().outline(text).breadcrumb(text.index("two")) == ("row 1",)
    assert CsvFormat(header=False).outline(text).breadcrumb(text.index("two")) == ("row 2",)


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b;c\n1,5;2;3\n2,5;3;4\n", ";"),
        ("a\tb\nx, y\tz\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ('"a;b",c\n"d;e;f",g\n', ","),
        ("one column\nno delimiter\n", ","),
        ("name;text\nx;One, two, three.\ny;None.\nz;A, b.\n", ";"),
        ("", ","),
    ],
)
def test_the_delimiter_is_found(text: str, delimiter: str) -> None:
    assert sniffed_delimiter(text) == delimiter


def test_a_declared_delimiter_counts() -> None:
    text = "sep=;\na;b\n" + "1,1,1;2,2,2\n" * 9
    (scope,) = (scope for scope in CsvFormat().outline(text).scopes if scope.header)
    assert scope.header == "a;b"


@pytest.mark.parametrize(
    ("text", "header"),
    [
        ("id,name\n1,a\n2,b\n", "id,name"),
        (",name,date\n0,a,2020-01-01\n", ",name,date"),
        ("first,second\nx,y\nz,w\n", "first,second"),
        ("\ufeffid;name\r\n1;a\r\n", "id;name"),
        ('"the\nid",name\n1,a\n', '"the\nid",name'),
        ("1,2\n3,4\n", ""),
        ("a,a\nb,c\n", ""),
        ("2020-01-01,x\n2020-01-02,y\n", ""),
        ("a,,b\n1,2,3\n", ""),
        ("only,one row\n", ""),
    ],
)
def test_headers_are_told_from_data(text: str, header: str) -> None:
    assert [scope.header for scope in CsvFormat().outline(text).scopes] == ([header] if header else [])
    assert not any(scope.header for scope in CsvFormat(header=False).outline(text).scopes)


def test_chunks_repeat_the_header(count_o200k: Callable[[str], int], check: Callable[..., None]) -> None:
    text = "item,price\n" + "".join(f"article {number},{number * 7}\n" for number in range(100))
    chunks = TextChunker(60, format="csv", context=True).chunk(text, source="prices.csv")
    check(text, chunks, 60, count_o200k)
    assert len(chunks) > 5
    assert chunks[0].context == "prices.csv\n"
    assert {chunk.context for chunk in chunks[1:]} == {"prices.csv\nitem,price\n"}
    assert all(chunk.body.startswith("article ") and chunk.body.endswith("\n") for chunk in chunks[1:])
    for chunk in chunks[1:]:
        table = list(csv.DictReader(io.StringIO(chunk.text.partition("\n")[2])))
        assert all(int(row["price"]) == 7 * int(row["item"].split()[1]) for row in table)


def test_a_quote_that_is_never_closed_is_a_character() -> None:
    text = 'a,b\n1,"x\n2,y\n3,z\n'
    assert [unit for _, unit in cuts(text)] == ["a,b\n", '1,"x\n', "2,y\n", "3,z\n"]


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.lists(st.lists(st.sampled_from([*'ab1 ,;"\n\té', "\r\n"]), max_size=8).map("".join), min_size=2, max_size=4),
        min_size=1,
        max_size=8,
    ),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_rows_are_those_of_the_module_csv(rows: list[list[str]], end: str, quoting: Literal[0, 1]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=end, quoting=quoting).writerows(rows)
    text = file.getvalue()
    outline = CsvFormat(",", header=False).outline(text)
    starts = [offset for offset, label in zip(outline.offsets, outline.labels, strict=True) if label == "row"]
    read = [
        row
        for start, stop in pairwise([*starts, len(text)])
        for row in csv.reader(io.StringIO(text[start:stop], newline=""))
    ]
    assert read == list(csv.reader(io.StringIO(text, newline="")))
    assert len(starts) == len(rows)
