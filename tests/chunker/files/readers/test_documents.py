"""Documents of known text, read: the words in their order, headings, items and tables, and places that are true."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pypdfium2
import pytest
from document_files import (
    Known,
    book_of,
    found_in_order,
    groff_of,
    has_groff,
    known_text,
    latex_of,
    mail_of,
    office_of,
    page_of,
    pdf_of,
    right_to_left_of,
    sheets_of,
    slides_of,
    word_of,
)
from reportlab.pdfgen.canvas import Canvas

from chunker.errors import DocumentError
from chunker.files.chunk_files import FileChunks, chunk_files
from chunker.files.discovery import Problem
from chunker.files.readers import ReadText
from chunker.files.readers.docling import text_of_docling
from chunker.files.readers.page_text import Line, Page, Word
from chunker.files.readers.pages import blocks_of
from chunker.files.readers.table import read_document_bytes, read_document_file
from chunker.files.readers.web_page import read_web_page

groff = pytest.mark.skipif(not has_groff(), reason="no groff that writes PDF is installed")
KINDS: dict[str, tuple[str, Callable[[Known], bytes]]] = {
    "one column": ("pdf", pdf_of),
    "two columns": ("pdf", lambda known: pdf_of(known, 2)),
    "word": ("docx", word_of),
    "slides": ("pptx", slides_of),
    "book": ("epub", book_of),
}
GROFF = {
    "groff": ("pdf", lambda known: groff_of(known, columns=False)),
    "groff, two columns": ("pdf", lambda known: groff_of(known, columns=True)),
}
latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not installed")
office = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice is not installed")
LATEX: dict[str, tuple[str, Callable[[Known], bytes]]] = {
    "latex": ("pdf", lambda known: latex_of(known, columns=False)),
    "latex, two columns": ("pdf", lambda known: latex_of(known, columns=True)),
}
ALL = [pytest.param(*KINDS[name], id=name) for name in KINDS] + [
    pytest.param(*GROFF[name], id=name, marks=groff) for name in GROFF
]


def structure(text: str) -> tuple[int, int]:
    """Headings, and items."""
    lines = text.split("\n")
    return sum(line.startswith("#") for line in lines), sum(line.startswith("- ") for line in lines)


@pytest.mark.parametrize(("ending", "make"), ALL)
@pytest.mark.parametrize("seed", [1, 2])
def test_all_words_in_their_order(ending: str, make: Callable[[Known], bytes], seed: int) -> None:
    known = known_text(seed)
    read = read_document_bytes(make(known), ending)
    assert found_in_order(known.words, read.text) == 1.0
    headings, items = structure(read.text)
    assert headings == 3
    assert items >= 9
    assert read.text.count("| --- |") // 2 >= 2
    assert known.running not in read.text
    assert "Page 1" not in read.text
    for kind, text in known.blocks:
        if kind == "heading":
            assert f"# {text}\n" in read.text


def test_a_short_last_column_is_read_after_the_one_before() -> None:
    """It has too little prose to be known for one, but for the pages before it."""
    known = known_text(12, sections=5, paragraphs=5)
    assert found_in_order(known.words, read_document_bytes(pdf_of(known, 2), "pdf").text) == 1.0


def test_a_message() -> None:
    known = known_text(3)
    read = read_document_bytes(mail_of(known), "eml")
    assert found_in_order(known.words, read.text) == 1.0
    assert read.text.startswith("# Grüße from the harbor\n\nFrom: a@example.org\nTo: b@example.org\n\n")
    assert read.text.endswith("Attachments: plan.pdf\n")


def test_sheets() -> None:
    known = known_text(4)
    read = read_document_bytes(sheets_of(known), "xlsx")
    rows = [row for _, text in known.blocks if isinstance(text, list) for row in text]
    assert [line for line in read.text.split("\n") if line.startswith("| ") and "---" not in line] == [f"| {' | '.join(row)} |" for row in rows]  # fmt: skip
    assert read.places is not None
    start = read.text.index(rows[5][0])
    assert read.places.between(start, read.text.index(rows[7][0]) - 2) == [{"sheet": "Table 2", "rows": [2, 3]}]


def test_a_web_page() -> None:
    known = known_text(5)
    page = page_of(known)
    read = read_web_page(
        page + "<pre>a  b\n c</pre><ol><li>one<li>two</ol><blockquote><p>said</p></blockquote><script>no()</script>"
    )
    assert found_in_order(known.words, read.text) == 1.0
    assert read.text.endswith("```\na  b\n c\n```\n\n1. one\n\n2. two\n\n> said\n")
    assert "Menu" not in read.text
    assert read_web_page("<table><tr><td>a <b>b</b><td>c|d</table>").text == "| a b | c\\|d |\n| --- | --- |\n"
    assert read_web_page("<p>a <!-- b --> c <!-- d <i>e</i> <b and </p").text == "a c <!-- d e <b and </p\n"
    for start, part in (("", "<a href="), ("", "<!--"), ("", "<svg></p>"), ("<b", " <p>")):
        assert len(read_web_page(start + part * 50_000).text) < 500_000


@pytest.mark.parametrize(
    ("ending", "make"),
    [
        *(pytest.param(*KINDS[name], id=name) for name in ("one column", "two columns")),
        pytest.param(*GROFF["groff, two columns"], id="groff", marks=groff),
    ],
)
def test_pages_and_boxes_are_true(ending: str, make: Callable[[Known], bytes]) -> None:
    known = known_text(6, sections=4)
    content = make(known)
    read = read_document_bytes(content, ending)
    assert read.places is not None
    document = pypdfium2.PdfDocument(content)
    pages = set()
    for start, end, place in zip(
        read.places.starts, [*read.places.starts[1:], len(read.text)], read.places.where, strict=True
    ):
        page = document[place["page"] - 1]
        pages.add(place["page"])
        height = page.get_size()[1]
        left, top, right, bottom = place["box"]
        inside = page.get_textpage().get_text_bounded(
            left=left - 1, bottom=height - bottom - 1, right=right + 1, top=height - top + 1
        )
        seen = "".join(char for char in inside if char.isalpha())
        for word in read.text[start:end].replace("|", " ").split():
            letters = "".join(char for char in word if char.isalpha())
            # The two halves of a word that goes on elsewhere are in different boxes.
            assert letters in seen or any(letters[:cut] in seen for cut in range(2, len(letters))), (word, place)
    assert pages == set(range(1, len(document) + 1))
    document.close()


@pytest.mark.parametrize(("turned", "left", "top"), [(0, 100, 282), (90, 500, 100), (180, 440, 500), (270, 90, 632)])
def test_turned_pages(turned: int, left: float, top: float) -> None:
    """Boxes are those of the page as it is shown."""
    made = io.BytesIO()
    canvas = Canvas(made, pagesize=(600, 792))
    canvas.setPageRotation(turned)
    canvas.drawString(100, 500, "turned words")
    canvas.showPage()
    canvas.save()
    read = read_document_bytes(made.getvalue(), "pdf")
    assert read.text == "turned words\n"
    assert read.places is not None
    box = read.places.where[0]["box"]
    assert abs(box[0] - left) < 12
    assert abs(box[1] - top) < 12
    assert (box[2] - box[0] > box[3] - box[1]) == (turned in {0, 180})


def test_chunks_say_where_they_are(tmp_path: Path) -> None:
    known = known_text(7, sections=5)
    (tmp_path / "a.pdf").write_bytes(pdf_of(known))
    (tmp_path / "b.docx").write_bytes(word_of(known))
    found = {Path(one.path).name: one for one in chunk_files(tmp_path, 128, context=True)}
    assert all(isinstance(one, FileChunks) for one in found.values())
    pdf, word = found["a.pdf"], found["b.docx"]
    assert isinstance(pdf, FileChunks)
    assert isinstance(word, FileChunks)
    assert (pdf.encoding, word.encoding) == ("pdf", "docx")
    assert "".join(chunk.body for chunk in pdf.chunks) == read_document_file(tmp_path / "a.pdf").text
    for chunk in pdf.chunks:
        assert chunk.language == "markdown"
        assert chunk.metadata["pages"] == pdf.chunks[-1].metadata["places"][-1]["page"]
        assert all(len(place["box"]) == 4 for place in chunk.metadata["places"])
    assert any(str(known.blocks[0][1]) in chunk.context for chunk in pdf.chunks)
    assert word.chunks[0].metadata["places"][0] == {"block": 1}


class _Box(SimpleNamespace):
    def to_top_left_origin(self, page_height: float) -> _Box:
        return _Box(l=self.l, t=page_height - self.t, r=self.r, b=page_height - self.b)


def test_a_document_of_docling_is_a_text_with_places() -> None:
    def item(label: str, text: str, **more: Any) -> SimpleNamespace:
        box = _Box(l=10.0, t=90.0, r=50.0, b=70.0)
        return SimpleNamespace(
            label=SimpleNamespace(value=label), text=text, prov=[SimpleNamespace(page_no=2, bbox=box)], **more
        )

    table = item("table", "", export_to_markdown=lambda doc: "| a |\n| --- |")
    items = [
        item("page_header", "Head"),
        item("section_header", "Part", level=1),
        item("text", "Words."),
        item("list_item", "one", marker="1."),
        table,
    ]
    document = SimpleNamespace(
        iterate_items=lambda: [(one, 1) for one in items],
        pages={2: SimpleNamespace(size=SimpleNamespace(height=100.0))},
    )
    read = text_of_docling(document)
    assert read.text == "## Part\n\nWords.\n\n1. one\n\n| a |\n| --- |\n"
    assert read.places is not None
    assert read.places.between(0, len(read.text)) == [{"page": 2, "box": [10.0, 10.0, 50.0, 30.0]}]


def test_a_reader_of_another_package_takes_the_place_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = SimpleNamespace(name="odt", load=lambda: lambda content: ReadText(content.decode().upper(), format="text"))
    monkeypatch.setattr("chunker.files.readers.table._others", lambda: {"odt": point})
    (tmp_path / "a.odt").write_bytes(b"words")
    (result,) = chunk_files(tmp_path, 64)
    assert not isinstance(result, Problem)
    assert [chunk.body for chunk in result.chunks] == ["WORDS"]


def test_a_reader_of_another_package_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    point = SimpleNamespace(name="odt", value="theirs:read", load=lambda: lambda content: content.decode())
    monkeypatch.setattr("chunker.files.readers.table._others", lambda: {"odt": point})
    with pytest.raises(DocumentError, match="its reader, theirs:read, failed: UnicodeDecodeError: 'utf-8' codec"):
        read_document_bytes(b"\xff", ".odt")


def test_a_running_head_with_its_page_number_far_away() -> None:
    """On the last page the number is a line of its own."""

    def line(text: str, left: float, top: float) -> Line:
        return Line([Word(word, (left, top, left + 9, top + 9)) for word in text.split()], 10)

    heads = [["Annual Report 1"], ["Annual Report 2"], ["Annual Report", "3"]]
    pages = [
        Page(
            number,
            600,
            800,
            [line(head, 70 + 400 * far, 60) for far, head in enumerate(found)]
            + [line(f"Words {number} {'of it ' * number}", 70, 200)],
        )
        for number, found in enumerate(heads, 1)
    ]
    assert [part.text for block in blocks_of(pages) for part in block.parts] == [
        "Words 1 of it",
        "Words 2 of it of it",
        "Words 3 of it of it of it",
    ]


@pytest.mark.parametrize("name", [pytest.param(name, marks=latex) for name in LATEX])
def test_what_latex_sets(name: str) -> None:
    ending, make = LATEX[name]
    known = known_text(3, sections=5, paragraphs=5)
    text = read_document_bytes(make(known), ending).text
    assert found_in_order(known.words, text) >= 0.995
    assert structure("\n" + text) == (5, 15)
    assert text.count("| --- | --- | --- |") == 5


@office
def test_what_libreoffice_writes() -> None:
    """It is slow to start, so once for each of its formats."""
    known = known_text(3, sections=5, paragraphs=5)
    for ending in ("pdf", "docx"):
        text = read_document_bytes(office_of(known, ending), ending).text
        assert found_in_order(known.words, text) == 1
        assert structure("\n" + text) == (5, 15)
        assert known.running not in text


@office
def test_right_to_left_with_words_of_other_scripts_inside() -> None:
    hebrew = "שלום עולם זה מסמך בעברית עם מספר 1234 ומילים English words בתוך השורה כדי לראות את הסדר של כל המילים בשורות שנשברות"
    arabic = "هذا نص عربي طويل يحتوي على كلمات كثيرة حتى ينكسر السطر في نهايته ويستمر في السطر التالي من الصفحة نفسها"
    text = " ".join(read_document_bytes(right_to_left_of([hebrew, arabic]), "pdf").text.split())
    assert hebrew in text
    assert arabic in text
