"""Documents that cannot be read: each a typed error that says why, in bounded time and memory."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from document_files import book_of, known_text, mail_of, pdf_of, sheets_of, slides_of, word_of
from PIL import Image
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from chunker.errors import (
    ChunkerError,
    DamagedDocumentError,
    DocumentError,
    DocumentTooLargeError,
    EncryptedDocumentError,
    MissingExtraError,
    NoTextError,
)
from chunker.files import readers
from chunker.files.chunk_files import chunk_files
from chunker.files.discovery import Problem
from chunker.files.readers import zipped
from chunker.files.readers.table import read_document_bytes

KNOWN = known_text(9, sections=1, paragraphs=1)
WHOLE = {
    "pdf": pdf_of(KNOWN),
    "docx": word_of(KNOWN),
    "pptx": slides_of(KNOWN),
    "xlsx": sheets_of(KNOWN),
    "epub": book_of(KNOWN),
}


def canvas_of(draw: Any, **options: Any) -> bytes:
    made = io.BytesIO()
    canvas = Canvas(made, **options)
    draw(canvas)
    canvas.save()
    return made.getvalue()


def test_encrypted() -> None:
    with pytest.raises(EncryptedDocumentError, match="password"):
        read_document_bytes(canvas_of(lambda canvas: canvas.drawString(9, 9, "secret"), encrypt="hunter2"), "pdf")
    for ending in ("docx", "pptx", "xlsx"):
        with pytest.raises(EncryptedDocumentError, match="encrypted"):
            read_document_bytes(bytes.fromhex("D0CF11E0A1B11AE1") + bytes(4_096), ending)


def test_scanned() -> None:
    picture = ImageReader(Image.new("RGB", (8, 8), "gray"))
    with pytest.raises(NoTextError, match="OCR"):
        read_document_bytes(canvas_of(lambda canvas: canvas.drawImage(picture, 0, 0, 600, 800)), "pdf")


@pytest.mark.parametrize("ending", WHOLE)
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9])
def test_truncated(ending: str, share: float) -> None:
    content = WHOLE[ending][: int(share * len(WHOLE[ending]))]
    with pytest.raises(DocumentError):
        read_document_bytes(content, ending)


@pytest.mark.parametrize("ending", [*WHOLE, "eml"])
def test_what_is_something_else(ending: str) -> None:
    for content in (b"", b"\0" * 100, b"%PDF-1.7\n", b"PK\x03\x04" + bytes(100)):
        with pytest.raises(DocumentError):
            read_document_bytes(content, ending)


def packed(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return made.getvalue()


def test_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped, "MAX_PART", 1 << 20)
    with pytest.raises(DocumentTooLargeError, match="unpacks to more than"):
        read_document_bytes(packed({"word/document.xml": b"<a>" + b" " * (4 << 20) + b"</a>"}), "docx")
    entities = b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;&b;">]><a>&c;</a>'
    for content in (entities, entities.decode().encode("utf-16")):
        with pytest.raises(DamagedDocumentError, match="definitions"):
            read_document_bytes(packed({"word/document.xml": content}), "docx")
    late = b"<!--" + bytes(5_000).replace(b"\0", b"x") + b"-->" + entities
    with pytest.raises(DamagedDocumentError, match="definitions"):
        read_document_bytes(packed({"word/document.xml": late}), "docx")
    monkeypatch.setattr(zipped, "MAX_TAGS", 1_000)
    for ending, part in (("docx", "word/document.xml"), ("xlsx", "xl/workbook.xml"), ("pptx", "ppt/presentation.xml")):
        with pytest.raises(DocumentTooLargeError, match="more than 1,000 tags"):
            read_document_bytes(packed({part: b"<a>" + b"<b/>" * 1_000 + b"</a>"}), ending)
    monkeypatch.setattr(zipped, "MAX_PARTS", 10)
    with pytest.raises(DocumentTooLargeError, match="parts"):
        read_document_bytes(packed({f"{number}.xml": b"" for number in range(11)}), "pptx")


def test_a_small_file_of_a_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers, "MAX_CHARACTERS", 100_000)
    book = openpyxl.Workbook()
    for _ in range(40):
        book.active.append(["one string that all cells share " * 100])
    with pytest.raises(DocumentTooLargeError, match="its text has more than 100,000 characters"):
        read_document_bytes(saved(book), "xlsx")
    book = openpyxl.Workbook()
    book.active["XFD900000"] = 1
    assert read_document_bytes(saved(book), "xlsx").text == "# Sheet\n\n| 1 |\n| --- |\n"
    monkeypatch.setattr("chunker.files.readers.sheets.MAX_CELLS", 1_000)
    for row in range(1, 1_002):
        book.active.cell(row, 1, row)
    with pytest.raises(DocumentTooLargeError, match="1 columns and 1,001 rows"):
        read_document_bytes(saved(book), "xlsx")
    space = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    text = b"<w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>"
    wide = b"<w:tbl><w:tr>" + b"<w:tc/>" * 4_000 + b"</w:tr>" + text + b"<w:tr><w:tc/></w:tr>" * 4_000 + b"</w:tbl>"
    content = b"<w:document " + space + b"><w:body>" + wide + b"</w:body></w:document>"
    with pytest.raises(DocumentTooLargeError, match="4,000 columns and 4,002 rows"):
        read_document_bytes(packed({"word/document.xml": content}), "docx")


def saved(book: openpyxl.Workbook) -> bytes:
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def test_deep_nesting_is_read_or_an_error() -> None:
    space = b'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    table = b"<w:tbl><w:tr><w:tc>" * 500 + b"<w:p><w:r><w:t>deep</w:t></w:r></w:p>" + b"</w:tc></w:tr></w:tbl>" * 500
    content = (
        b"<w:document " + space + b"><w:body>" + table + b"<w:p><w:r><w:t>after</w:t></w:r></w:p></w:body></w:document>"
    )
    assert read_document_bytes(packed({"word/document.xml": content}), "docx").text.endswith("after\n")
    boundary = b"".join(
        b'Content-Type: multipart/mixed; boundary="%d"\n\n--%d\n' % (number, number) for number in range(1_500)
    )
    with pytest.raises(DocumentError):
        read_document_bytes(b"Subject: a\n" + boundary, "eml")


def test_a_thousand_pages() -> None:
    def pages(canvas: Any) -> None:
        for number in range(1_000):
            canvas.drawString(72, 500, f"Words of page number {number} stand here.")
            canvas.showPage()

    read = read_document_bytes(canvas_of(pages), "pdf")
    assert read.notes == {"pages": 1_000}
    assert read.places is not None
    assert [place["page"] for place in read.places.where] == list(range(1, 1_001))


def test_too_many_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chunker.files.readers.pdf.MAX_PAGES", 0)
    with pytest.raises(DocumentTooLargeError, match="more than 0"):
        read_document_bytes(WHOLE["pdf"], "pdf")
    monkeypatch.undo()
    monkeypatch.setattr("chunker.files.readers.pdf.MAX_SECONDS", -1.0)
    with pytest.raises(DocumentTooLargeError, match="seconds"):
        read_document_bytes(WHOLE["pdf"], "pdf")
    monkeypatch.setattr("chunker.files.readers.mail.MAX_PARTS", 1)
    with pytest.raises(DocumentTooLargeError, match="parts"):
        read_document_bytes(mail_of(KNOWN), "eml")


def test_a_missing_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ImportError(name)

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(ChunkerError, match=r"bpe-chunker\[pdf\]"):
        read_document_bytes(WHOLE["pdf"], "pdf")
    monkeypatch.undo()
    monkeypatch.setattr(
        "chunker.files.intake.read_document_bytes",
        lambda *_: (_ for _ in ()).throw(MissingExtraError("pypdfium2", "pdf")),
    )
    file = tmp_path / "a.pdf"
    file.write_bytes(WHOLE["pdf"])
    (walked,) = chunk_files(tmp_path, 64)
    (named,) = chunk_files(file, 64)
    assert isinstance(walked, Problem)
    assert isinstance(named, Problem)
    assert (walked.failed, named.failed) == (False, True)
    assert named.reason == 'not read: pypdfium2 is not installed: pip install "bpe-chunker[pdf]"'


def test_a_bad_document_costs_no_other(tmp_path: Path) -> None:
    for name, content in (("a.pdf", b"%PDF-1.7\nno"), ("b.docx", WHOLE["docx"]), ("c.epub", b"PK")):
        (tmp_path / name).write_bytes(content)
    results = list(chunk_files(tmp_path, 64))
    assert [isinstance(one, Problem) for one in results] == [True, False, True]
    assert all(one.failed for one in results if isinstance(one, Problem))


def test_what_is_no_zip_file_is_told_once() -> None:
    with pytest.raises(DamagedDocumentError) as raised:
        zipped.Package(b"no zip file at all")
    assert str(raised.value) == "it is not a complete zip file"
