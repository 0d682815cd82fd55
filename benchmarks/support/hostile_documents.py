"""Documents that nobody should send: very long, encrypted, cut off, or small files that unpack to much."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from typing import Any

import openpyxl
from document_files import known_text, pdf_of, sheets_of, slides_of, word_of
from reportlab.pdfgen.canvas import Canvas

_MEGABYTE = 1 << 20
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def _drawn(draw: Callable[[Any], None], **options: Any) -> bytes:  # noqa: ANN401  # of a package without types
    made = io.BytesIO()
    canvas = Canvas(made, pageCompression=1, **options)
    draw(canvas)
    canvas.save()
    return made.getvalue()


def _pages(number: int) -> Callable[[Any], None]:
    def draw(canvas: Any) -> None:  # noqa: ANN401  # of a package without types
        for page in range(number):
            lines = canvas.beginText(72, 720)
            for line in range(45):
                lines.textLine(f"Page {page} has this line of words, number {line}, as books have them.")
            canvas.drawText(lines)
            canvas.showPage()

    return draw


def _crowded(canvas: Any) -> None:  # noqa: ANN401  # of a package without types
    """One page of 850,000 characters, too small to be read by people."""
    for row in range(500):
        canvas.setFont("Helvetica", 0.6)
        canvas.drawString(20, 20 + 1.5 * row, f"row {row} " + "many words in one place " * 70)


def _packed(parts: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return made.getvalue()


def _word(body: bytes) -> bytes:
    return _packed({"word/document.xml": f"<w:document {_WORD}><w:body>".encode() + body + b"</w:body></w:document>"})


def _corners() -> bytes:
    book = openpyxl.Workbook()
    for row, column in ((1, 1), (1, 16_384), (1_048_576, 1), (1_048_576, 16_384)):
        book.active.cell(row, column, "far away")
    return _saved(book)


def _shared() -> bytes:
    """A sheet whose cells share one string, written by hand: openpyxl would write the string into each cell."""
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    links = '<Relationship Id="r1" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Target="sharedStrings.xml"/>'
    row = "<row>" + '<c t="s"><v>0</v></c>' * 200 + "</row>"
    parts = {
        "xl/workbook.xml": f'<workbook xmlns:r="{relations}"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f"<Relationships>{links}</Relationships>",
        "xl/sharedStrings.xml": f"<sst><si><t>{'one string that all cells share ' * 1_000}</t></si></sst>",
        "xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{row * 300}</sheetData></worksheet>",
    }
    return _packed({name: part.encode() for name, part in parts.items()})


def _saved(book: openpyxl.Workbook) -> bytes:
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def _short() -> Any:  # noqa: ANN401  # a Known
    return known_text(1, sections=1, paragraphs=1)


HOSTILE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "PDF, one page, for comparison": ("pdf", lambda: _drawn(_pages(1))),
    "PDF, 1,000 pages": ("pdf", lambda: _drawn(_pages(1_000))),
    "PDF, 850,000 characters on a page": ("pdf", lambda: _drawn(_crowded)),
    "PDF, encrypted": ("pdf", lambda: _drawn(_pages(1), encrypt="a password")),
    "PDF, the first half": ("pdf", lambda: (content := pdf_of(_short()))[: len(content) // 2]),
    "DOCX, the first half": ("docx", lambda: (content := word_of(_short()))[: len(content) // 2]),
    "PPTX, the first half": ("pptx", lambda: (content := slides_of(_short()))[: len(content) // 2]),
    "XLSX, the first half": ("xlsx", lambda: (content := sheets_of(_short()))[: len(content) // 2]),
    "DOCX, encrypted": ("docx", lambda: bytes.fromhex("D0CF11E0A1B11AE1") + bytes(4_096)),
    "DOCX, a part of 300 MB of spaces": ("docx", lambda: _word(b" " * (300 * _MEGABYTE))),
    "DOCX, 30 million empty elements": ("docx", lambda: _word(b"<a/>" * 30_000_000)),
    "DOCX, 120 MB of text": ("docx", lambda: _word(b"<w:p><w:r><w:t>" + b"word " * (24 * _MEGABYTE) + b"</w:t></w:r></w:p>")),
    "DOCX, entities that grow": ("docx", lambda: _packed({"word/document.xml": b'<!DOCTYPE a [<!ENTITY b "ha"><!ENTITY c "&b;&b;">]><a>&c;</a>'})),
    "XLSX, cells in the four corners": ("xlsx", _corners),
    "XLSX, 60,000 cells that share a string of 32 kB": ("xlsx", _shared),
    "XLSX, 30 million empty elements": ("xlsx", lambda: _packed({"xl/workbook.xml": b"<a>" + b"<b/>" * 30_000_000 + b"</a>"})),
}  # fmt: skip


def hostile(name: str) -> tuple[str, bytes]:
    """The suffix and the content of a hostile document, by its name."""
    ending, make = HOSTILE[name]
    return ending, make()
