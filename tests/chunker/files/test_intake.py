"""Notebooks, drawings and embedded data: read in a form that is worth chunking, with places that are true in the file."""

from __future__ import annotations

import base64
import codecs
import json
import pickle
import random
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker import chunk_file
from chunker.errors import OptionError
from chunker.files.chunk_files import FileChunks, chunk_files
from chunker.files.discovery import FoundFile, Problem
from chunker.files.documents import Document
from chunker.files.intake import Intake
from chunker.files.readers.drawing import is_drawing, read_drawing
from chunker.files.shortening import MARK, shorten
from chunker.native import native

DATA = base64.b64encode(random.Random(7).randbytes(900)).decode()
ADDRESS = f"data:image/png;base64,{DATA}"
WRAPPED = "\n".join(DATA[at : at + 76] for at in range(0, len(DATA), 76))


def one(path: Path, **options: bool) -> FileChunks:
    (result,) = chunk_files(path, 64, **options)  # type: ignore[arg-type]  # only those of bool
    assert isinstance(result, FileChunks)
    return result


@pytest.mark.parametrize(
    ("before", "data", "after"),
    [
        ("![a](data:image/png;base64,", DATA, ")\n"),
        ("url('data:font/woff;charset=utf-8;base64,", DATA, "')\n"),
        ('url("data:image/svg+xml,', "%3Csvg" * 20, '")\n'),
        ('key = "', DATA, '"\n'),
        ("digest: ", random.Random(3).randbytes(150).hex(), "\n"),
        ("-----BEGIN CERTIFICATE-----\n", WRAPPED, "\n-----END CERTIFICATE-----\n"),
    ],
)
def test_embedded_data_are_one_character(before: str, data: str, after: str) -> None:
    short, places = shorten(before + data + after)
    assert short.startswith(before + MARK)
    assert len(short) <= len(before + MARK + after) + 40  # the last line of wrapped data may be too short to tell
    assert places is not None


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_000,
        "0" * 500,
        "/".join(["some", "long", "path"] * 40),
        "an_identifier_of_some_length" * 10,
        "![a](data:image/gif;base64,R0lGODlhAQABAAAAACw=)",
        "吾輩は猫である。" * 60,
        "ACGT" * 100,
        "x = 1\n" * 50,
    ],
)
def test_what_people_write_is_not_shortened(text: str) -> None:
    assert shorten(text) == (text, None)


@given(
    st.lists(
        st.sampled_from(["é a\n", "\r\n", f"<{ADDRESS}>", f"'{DATA}'", f"\n{WRAPPED}\n\n", "word ", "漢"]), max_size=12
    )
)
def test_spans_are_those_of_the_file(parts: list[str]) -> None:
    text = "".join(parts)
    short, places = shorten(text)
    if places is None:
        assert short == text
        return
    for start in range(len(short) + 1):
        head = short[:start]
        span = {"start": 0, "end": start, "start_byte": 0, "end_byte": len(head.encode()), "start_line": 1, "end_line": 1 + head.count("\n")}  # fmt: skip
        moved = places.moved(span)
        original = text[: moved["end"]]
        assert shorten(original)[0] == head or MARK in head
        assert len(original.encode()) == moved["end_byte"]
        assert moved["end_line"] == 1 + original.count("\n")
    assert places.left_out == len(text) - len(short) + len(places.offsets)


def test_the_shortest_data_that_are_left_out() -> None:
    for run in (
        DATA[:200],
        *(end.join(DATA[at : at + 48] for at in range(0, 288, 48)) for end in ("\n", '\\n"\r\n\t"')),
    ):
        short, places = shorten(f"x = 漢 '\n{run}\n'")
        assert places is not None
        assert MARK in short
        assert len(short) < 20
    for less in (DATA[:199], "\n".join(DATA[at : at + 48] for at in range(0, 240, 48)), "\n".join([DATA[:47]] * 9)):
        assert shorten(f"x = 漢 '\n{less}\n'")[1] is None


@pytest.mark.skipif(native() is None, reason="nothing is compiled")
@given(
    st.lists(st.sampled_from(["a", "Zz9", "+/_-", "é", "=", " ", "QUJD" * 3, "\ud800"]), max_size=30).map("".join),
    st.integers(0, 12),
)
def test_runs_of_data_are_seen(text: str, least: int) -> None:
    compiled = native()
    assert compiled is not None
    is_there = re.search(rf"[A-Za-z0-9+/_-]{{{least}}}", text) is not None
    assert compiled.has_data_run(text, least) == (is_there or "\ud800" in text)


def test_chunks_of_a_shortened_file_point_into_it(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    text = "".join(f"## Part {number}\n\nSome words.\n\n![x]({ADDRESS})\n\n" for number in range(20))
    file.write_text(text, encoding="utf-8")
    result = one(file)
    content = file.read_bytes()
    assert len(result.chunks) < 20
    for chunk in result.chunks:
        inside = text[chunk.span.start : chunk.span.end]
        assert shorten(inside)[0] == chunk.body
        assert content[chunk.span.start_byte : chunk.span.end_byte].decode() == inside
        assert chunk.span.start_line == 1 + text[: chunk.span.start].count("\n")
        assert "embedded data" in chunk.metadata["left_out"]
    assert [chunk.span.start for chunk in result.chunks[1:]] == [chunk.span.end for chunk in result.chunks[:-1]]
    assert result.chunks[-1].span.end == len(text)
    assert pickle.loads(pickle.dumps(result)).chunks == result.chunks
    assert "".join(chunk.body for chunk in one(file, verbatim=True).chunks) == text


def cell(kind: str, source: str, *outputs: Mapping[str, object]) -> dict[str, object]:
    return {"cell_type": kind, "source": source.splitlines(keepends=True), "outputs": list(outputs), "metadata": {}}


def test_a_notebook_is_its_cells(tmp_path: Path) -> None:
    picture = {"output_type": "display_data", "data": {"image/png": DATA, "text/plain": "<Figure size 1x1>"}}
    printed = {"output_type": "stream", "text": ["10%\r", "99%\rdone\n", "\x1b[31mred\x1b[0m\n"]}
    cells = [
        cell("markdown", f"# Load\n\n![logo]({ADDRESS})"),
        cell("code", "plot()", picture),
        cell("code", "go()", printed),
    ]
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps({"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}))
    result = one(file)
    text = "".join(chunk.body for chunk in result.chunks)
    assert (
        text
        == f"# Load\n\n![logo](data:image/png;base64,{MARK})\n\n```python\nplot()\n```\n\n```python\ngo()\n```\n\n```text\ndone\nred\n```\n"
    )
    places = [place["cell"] for chunk in result.chunks for place in chunk.metadata["places"]]
    assert sorted(set(places)) == [1, 2, 3]
    assert {chunk.language for chunk in result.chunks} == {"markdown"}
    assert one(file, verbatim=True).encoding == "utf-8"
    file.write_text('{"no": "cells"}')
    assert one(file).chunks[0].body == '{"no": "cells"}'


def test_places_of_cells_stay_true_after_shortening(tmp_path: Path) -> None:
    cells = [
        cell("markdown", f"Word{number} ![x]({ADDRESS})\n" + "Many words follow here. " * 12) for number in range(9)
    ]
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}))
    for chunk in one(file).chunks:
        told = [place["cell"] for place in chunk.metadata["places"]]
        begun = [int(word) + 1 for word in re.findall(r"Word(\d)", chunk.body)]
        before = [] if chunk.body.startswith("Word") else [told[0]]
        assert told == [*before, *begun]
        assert not before or not begun or before[0] == begun[0] - 1


def test_a_drawing_is_its_words(tmp_path: Path) -> None:
    drawing = (
        '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"><title>The proxy</title><style>.a{fill:red}</style>'
        f'<image href="{ADDRESS}"/><path d="M0 0 L10 10"/><text>R&amp;D <tspan>sends</tspan></text><text>42</text></svg>\n'
    )
    assert is_drawing("a/Flow.SVG", drawing)
    assert read_drawing(drawing).text == "The proxy\nR&D\nsends\n"
    words, empty = tmp_path / "words.svg", tmp_path / "lines.svg"
    words.write_text(drawing)
    empty.write_text('<svg><path d="M0 0"/></svg>')
    found = {Path(result.path).name: result for result in chunk_files(tmp_path, 64)}
    assert isinstance(found["words.svg"], FileChunks)
    assert [chunk.body for chunk in found["words.svg"].chunks] == ["The proxy\nR&D\nsends\n"]
    assert isinstance(found["lines.svg"], Problem)
    assert found["lines.svg"].rule == "drawing without words"
    assert one(empty).chunks[0].body == '<svg><path d="M0 0"/></svg>'


@pytest.mark.parametrize(
    "unit",
    ["<", "<'", '<"', "<style", "<style>", "<!--", "<b", "<![CDATA[", "&amp", "data:", "data:a/b;", "QUJD1a", "abc/"],
)
def test_hostile_texts_are_read_in_one_pass(unit: str) -> None:
    """Six hundred thousand characters: whatever looks at them again and again does not come to an end."""
    text = unit * (600_000 // len(unit))
    assert len(shorten(text)[0]) in {len(text), len(text) - text.count(unit) * 63} or "data:" in unit or "QUJD" in unit
    assert not read_drawing(text).text or unit[0] != "<"


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "shift_jis", "euc-jp", "koi8-r"])
def test_a_python_file_is_read_in_the_encoding_that_it_declares(encoding: str, tmp_path: Path) -> None:
    said = {"koi8-r": "привет", "shift_jis": "日本語", "euc-jp": "日本語"}.get(encoding, "Grün")
    text = f"#!/usr/bin/env python\n# -*- coding: {encoding} -*-\nsaid = '{said}'\n" * 3
    for name in ("a.py", "a.pyw", "script"):
        (tmp_path / name).write_bytes(text.encode(encoding))
    for otherwise in ("utf-8", "mac-roman"):
        results = list(chunk_files(tmp_path, 512, encoding=otherwise))
        assert [(one.encoding, one.chunks[0].text) for one in results if isinstance(one, FileChunks)] == [
            (codecs.lookup(encoding).name, text)
        ] * 3
    for chunk in chunk_file(tmp_path / "a.py", 16):
        assert text.encode()[chunk.span.start_byte : chunk.span.end_byte].decode() == chunk.body


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("a.txt", "# coding: latin-1"),
        ("a.py", "# coding: nonsense"),
        ("a.py", "# coding: rot13"),
        ("a.py", "# coding: utf-8"),
        ("a.py", "# coding: ascii"),
        ("a.py", "x = 1\n\n# coding: latin-1"),
    ],
)
def test_any_other_byte_that_is_not_utf8_is_a_problem(name: str, first: str, tmp_path: Path) -> None:
    content = f"{first}\nsaid = 'Grün'\n".encode("latin-1")
    (tmp_path / name).write_bytes(content)
    (problem,) = chunk_files(tmp_path, 512)
    assert isinstance(problem, Problem)
    assert (problem.offset, problem.line) == (content.index(b"\xfc"), first.count("\n") + 2)


@pytest.mark.parametrize("encoding", ["cp1252", "shift_jis", "utf-16-le", "iso2022_jp", "gb18030"])
def test_an_encoding_that_is_named(tmp_path: Path, encoding: str) -> None:
    text = "Grün\n" * 5 if encoding == "cp1252" else "日本語の文\n" * 5
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    (result,) = chunk_files(tmp_path, 64, encoding=encoding)
    assert isinstance(result, FileChunks)
    assert "".join(chunk.body for chunk in result.chunks) == text
    assert result.encoding == encoding.replace("_", "-") or result.encoding.replace("-", "_") == encoding


def test_files_in_utf_8_stay_so_beside_others(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Grün", encoding="utf-8")
    (tmp_path / "b.txt").write_text("Grün", encoding="cp1252")
    results = list(chunk_files(tmp_path, 64, encoding="cp1252"))
    assert [(one.encoding, one.chunks[0].text) for one in results if isinstance(one, FileChunks)] == [("utf-8", "Grün"), ("cp1252", "Grün")]  # fmt: skip
    with pytest.raises(OptionError, match="encoding must be the name"):
        next(chunk_files(tmp_path, 64, encoding="klingon"))


def test_web_pages_as_their_text() -> None:
    page = "<html><body><nav>Menu</nav><h1>Soup</h1><p>Cut the onions.</p><table><tr><td>a<td>b</table></body></html>"
    content, file = page.encode(), FoundFile("a/soup.html", len(page), named=False)
    plain = Intake().read_bytes(content, file)
    assert isinstance(plain, Document)
    assert (plain.text, plain.format) == (page, None)
    made = Intake(web_text=True).read_bytes(content, file)
    assert isinstance(made, Document)
    assert made.format == "markdown"
    assert made.text.startswith("# Soup\n\nCut the onions.")
    assert "Menu" not in made.text
    # A page without text stays what it is.
    empty = Intake(web_text=True).read_bytes(b"<html><script>1</script></html>", file)
    assert isinstance(empty, Document)
    assert empty.text.startswith("<html>")


def test_web_pages_as_their_text_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "soup.html").write_text("<html><body><h1>Soup</h1><p>Cut the onions.</p></body></html>", "utf-8")
    found: list[str] = []
    for web_text in (True, False):
        (result,) = chunk_files(tmp_path, 64, web_text=web_text)
        assert isinstance(result, FileChunks)
        found.append(result.chunks[0].text)
        assert "places" not in result.chunks[0].metadata
    assert found[0].startswith("# Soup\n\nCut the onions.")
    assert found[1].startswith("<html>")
