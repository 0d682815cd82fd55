"""Reading: what is text, what is binary, and where a bad byte stands."""

from __future__ import annotations

import codecs
import gzip
import io
import random
import sys
import types
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker.files.discovery import FoundFile, Problem
from chunker.files.documents import Document, read_document

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


def read(folder: Path, content: bytes, *, named: bool = False) -> Document | Problem:
    path = folder / "file"
    path.write_bytes(content)
    return read_document(FoundFile(str(path), len(content), named=named))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("documents")


MARKS = {
    "utf-8": b"",
    "utf-8 with a mark": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
}


@pytest.mark.parametrize("name", MARKS)
@given(text=texts)
def test_text_is_the_file_byte_for_byte(folder: Path, name: str, text: str) -> None:
    encoding = name.partition(" ")[0]
    content = MARKS[name] + text.encode(encoding)
    if name == "utf-8" and text.startswith("\ufeff"):
        return
    document = read(folder, content)
    assert isinstance(document, Document), document
    assert document.text.encode(document.encoding) == content
    assert document.text == ("\ufeff" if MARKS[name] else "") + text
    assert document.encoding == encoding
    assert document.size == len(content)


def test_line_ends_stay(folder: Path) -> None:
    document = read(folder, b"a\r\nb\rc\nd")
    assert isinstance(document, Document)
    assert document.text == "a\r\nb\rc\nd"


@pytest.mark.parametrize("at", [8189, 8190, 8191, 8192, 20_000])
def test_the_end_of_the_sample_may_fall_into_a_character(folder: Path, at: int) -> None:
    text = "a" * at + "漢字" + "b" * 10
    document = read(folder, text.encode())
    assert isinstance(document, Document)
    assert document.text == text


BINARY = {
    "program": b"\x7fELF\x02\x01\x01\0\0\0",
    "picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "gzip": gzip.compress(b"hello world" * 20),
    "random bytes without NUL": bytes(byte for byte in random.Random(7).randbytes(4000) if byte),
    "utf-16 without a mark": "hello".encode("utf-16-le"),
    "deflate without NUL": zlib.compress(b"".join(b"%d," % number for number in range(400))).replace(b"\0", b""),
}


@pytest.mark.parametrize("name", BINARY)
def test_binary_files_are_passed_over_on_a_walk_and_refused_when_named(folder: Path, name: str) -> None:
    passed_over = read(folder, BINARY[name])
    assert isinstance(passed_over, Problem)
    assert not passed_over.failed
    assert passed_over.reason.startswith("binary: ")
    refused = read(folder, BINARY[name], named=True)
    assert isinstance(refused, Problem)
    assert refused.failed


def test_a_nul_byte_after_the_sample_is_text(folder: Path) -> None:
    document = read(folder, b"a" * 9000 + b"\0")
    assert isinstance(document, Document)


BAD = {
    "a stray byte": (b"one\ntwo \xff three", 8, 2),
    "latin-1": ("eins\r\nzwei\rdrei: Grün".encode("latin-1"), 19, 3),
    "koi8-r": ("привет, мир".encode("koi8-r"), 0, 1),
    "shift-jis": ("日本語".encode("shift-jis"), 0, 1),
    "an encoded surrogate": (b"ok \xed\xa0\x80", 3, 1),
    "cut off at the end": ("a\nb\n漢".encode()[:-1], 4, 3),
    "after the sample": (b"x" * 9999 + b"\n\xc0\xaf", 10_000, 2),
    "half a unit of utf-16": (codecs.BOM_UTF16_LE + "a\nb".encode("utf-16-le") + b"\0", 8, 2),
    "a lone surrogate in utf-16": (codecs.BOM_UTF16_BE + "\n".encode("utf-16-be") + b"\xd8\x00\x00a", 4, 2),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_byte_is_reported_with_its_offset_and_line(folder: Path, name: str) -> None:
    content, offset, line = BAD[name]
    problem = read(folder, content)
    assert isinstance(problem, Problem)
    assert problem.failed
    assert (problem.offset, problem.line) == (offset, line)
    assert problem.reason.startswith("not UTF-")
    assert f"0x{content[offset]:02X}" in problem.reason


def test_what_cannot_be_opened_is_a_problem(folder: Path) -> None:
    for path, reason in ((folder, "Is a directory"), (folder / "gone", "No such file or directory")):
        problem = read_document(FoundFile(str(path), 0, named=True))
        assert isinstance(problem, Problem)
        if sys.platform != "win32":
            assert problem.reason == reason


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = FoundFile("-", 0, named=True)
    content = "Grüße\r\n".encode()
    monkeypatch.setattr(sys, "stdin", types.SimpleNamespace(buffer=io.BytesIO(content)))
    assert read_document(stdin) == Document("-", "Grüße\r\n", "utf-8", len(content))
    monkeypatch.setattr(sys, "stdin", None)
    assert read_document(stdin) == Problem("-", "standard input is closed")
