"""Documents of known text, made by the libraries that write their formats: what the readers are tested and measured on."""

from __future__ import annotations

import io
import random
import re
import shutil
import subprocess
import tempfile
import zipfile
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
from docx.oxml import OxmlElement
from pptx.util import Pt
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    ListFlowable,
    ListItem,
    PageBreak,
    PageTemplate,
    Paragraph,
    Table,
)

NOTE = "\x01"  # where a note is referred to
WORDS = [
    "efficient",
    "fluid",
    "staffing",
    "affluent",
    "office",
    "account",
    "bridge",
    "candle",
    "driver",
    "engine",
    "forest",
    "garden",
    "harbor",
    "island",
    "jacket",
    "kettle",
    "ladder",
    "market",
    "needle",
    "orange",
    "pencil",
    "quarry",
    "rocket",
    "saddle",
    "timber",
    "umbrella",
    "valley",
    "winter",
    "yellow",
    "zipper",
    "anchor",
    "basket",
    "copper",
    "desert",
    "engine",
    "famous",
    "gentle",
    "hollow",
    "inward",
    "jungle",
]


@dataclass
class Known:
    """What a document says, in order: headings, paragraphs, items and rows; the words that stand in its heads and feet; and its footnotes, in the order of
    their marks, each a `NOTE` in a paragraph.
    """

    blocks: list[tuple[str, str | list[list[str]]]] = field(default_factory=list)
    running: str = "Annual Report of the Quarterly Society"
    notes: list[str] = field(default_factory=list)

    @property
    def words(self) -> list[str]:
        """All words but those of the notes, in the order in which they are read."""
        texts = (" ".join(" ".join(row) for row in text) if isinstance(text, list) else text for _, text in self.blocks)
        return " ".join(texts).replace(NOTE, "").split()

    def marked(self, mark: Callable[[int, str], str]) -> Iterator[tuple[str, str | list[list[str]]]]:
        """The blocks, with what `mark` makes of the number of each note, from 1, and of its text."""
        number = 0

        def marked(_found: object) -> str:
            nonlocal number
            number += 1
            return mark(number, self.notes[number - 1])

        for kind, text in self.blocks:
            yield kind, text if isinstance(text, list) else re.sub(NOTE, marked, text)


def known_text(seed: int, sections: int = 3, paragraphs: int = 3, *, notes: bool = False) -> Known:
    """A text of sections; each word has a number, so that none is there twice. With `notes`, each paragraph has a footnote."""
    chance = random.Random(seed)
    number = 0

    def sentence(size: int) -> str:
        nonlocal number
        found = []
        for _ in range(size):
            number += 1
            # Letters for the digits: a number at the end of a line is no mark of a page.
            found.append(chance.choice(WORDS) + "".join("abcdefghij"[int(digit)] for digit in str(number)))
        return " ".join([found[0].capitalize(), *found[1:]])

    known = Known()
    for _ in range(sections):
        known.blocks.append(("heading", sentence(3)))
        for _ in range(paragraphs):
            sentences = [sentence(chance.randrange(6, 14)) for _ in range(4)]
            if notes:
                sentences[chance.randrange(3)] += NOTE
                known.notes.append(f"{sentence(chance.randrange(4, 26))}.")
            text = ". ".join(sentences) + "."
            # A mark stands before the full stop, or after it.
            known.blocks.append(("paragraph", text.replace(f"{NOTE}.", f".{NOTE}") if len(known.notes) % 2 else text))
        known.blocks += [("item", sentence(4)) for _ in range(3)]
        known.blocks.append(("table", [[sentence(1) for _ in range(3)] for _ in range(4)]))
    return known


class _Notes(Flowable):  # type: ignore[misc]  # of a package without types
    """Takes no room: leaves notes to the page on which it stands."""

    def __init__(self, notes: list[tuple[int, str]]) -> None:
        super().__init__()
        self.notes = notes

    def wrap(self, *_room: float) -> tuple[float, float]:
        return 0, 0

    def draw(self) -> None:
        self.canv.__dict__.setdefault("notes", []).extend(self.notes)


def pdf_of(known: Known, columns: int = 1, pages_of: Sequence[str] = ()) -> bytes:
    """A PDF by reportlab, with running heads, page numbers, and footnotes of the whole width. `pages_of`: in place of the text, one page each."""
    styles = getSampleStyleSheet()
    small = ParagraphStyle("small", fontSize=7.5, leading=9)
    width, height = A4
    made = io.BytesIO()
    document = BaseDocTemplate(made, pagesize=A4)
    column = (width - 100 - 20 * (columns - 1)) / columns
    foot = 180 if known.notes else 60
    frames = [Frame(50 + number * (column + 20), foot, column, height - foot - 70) for number in range(columns)]

    def running(canvas: object, page: object) -> None:
        canvas.setFont("Helvetica", 8)  # type: ignore[attr-defined]
        canvas.drawString(60, height - 30, known.running)  # type: ignore[attr-defined]
        canvas.drawCentredString(width / 2, 25, f"Page {page.page}")  # type: ignore[attr-defined]

    def noted(canvas: Any, _page: object) -> None:
        top = 175.0
        for number, note in canvas.__dict__.pop("notes", []):
            made = Paragraph(f"<super>{number}</super> {note}", small)
            top -= made.wrap(width - 110, 100)[1]
            made.drawOn(canvas, 56, top)

    document.addPageTemplates([PageTemplate(frames=frames, onPage=running, onPageEnd=noted)])
    story: list[object] = []
    for own in pages_of:
        story += [Paragraph(own, styles["BodyText"]), PageBreak()]
    items: list[object] = []
    here: list[tuple[int, str]] = []

    def mark(number: int, note: str) -> str:
        here.append((number, note))
        return f"<super>{number}</super>"

    for kind, text in () if pages_of else known.marked(mark):
        if kind == "item":
            items.append(ListItem(Paragraph(str(text), styles["BodyText"])))
            continue
        if items:
            story.append(ListFlowable(items, bulletType="bullet"))
            items = []
        if isinstance(text, list):
            story.append(Table(text))
        else:
            story += [_Notes(here), Paragraph(text, styles["Heading1" if kind == "heading" else "BodyText"])]
            here = []
    document.build(story)
    return made.getvalue()


def has_groff() -> bool:
    """Whether there is a groff that writes PDF: many systems have one for manual pages alone."""
    return (
        shutil.which("groff") is not None
        and not subprocess.run(["groff", "-t", "-ms", "-Tpdf"], input=b"", capture_output=True, check=False).returncode
    )


def groff_of(known: Known, *, columns: bool) -> bytes:
    """A PDF by groff: hyphens at the ends of lines, ligatures, justified lines, and footnotes below a rule."""
    lines = [".2C"] if columns else []
    # The word goes on after the note, whatever comes: also a full stop, which at the start of a line would be a
    # command.
    for kind, text in known.marked(lambda _, note: f"\\**\\c\n.FS\n{note}\n.FE\n\\&"):
        if isinstance(text, list):
            lines += [".TS", "l l l.", *("\t".join(row) for row in text), ".TE"]
        else:
            lines += [{"heading": ".SH", "paragraph": ".PP"}.get(kind, ".IP \\(bu 2"), text]
    done = subprocess.run(
        ["groff", "-t", "-ms", "-Tpdf"], input="\n".join(lines).encode(), capture_output=True, check=True
    )
    return done.stdout


def latex_of(known: Known, *, columns: bool) -> bytes:
    """A PDF by LaTeX: hyphens, ligatures, running heads, footnotes, and a rule around each table."""
    lines = [
        rf"\documentclass[10pt{',twocolumn' if columns else ''}]{{article}}",
        r"\pagestyle{myheadings}",
        rf"\markright{{{known.running}}}",
        r"\begin{document}",
    ]
    for kind, text in known.marked(lambda _, note: rf"\footnote{{{note}}}"):
        if isinstance(text, list):
            rows = [" & ".join(row) + r" \\" for row in text]
            lines += [r"\par\noindent\begin{tabular}{lll}", r"\hline", *rows, r"\hline", r"\end{tabular}\par"]
        elif kind == "item":
            lines.append(rf"\begin{{itemize}}\item {text}\end{{itemize}}")
        else:
            lines.append(rf"\section*{{{text}}}" if kind == "heading" else f"{text}\n")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "known.tex"
        source.write_text("\n".join([*lines, r"\end{document}"]), encoding="utf-8")
        command = ["pdflatex", "-interaction=batchmode", "-no-shell-escape", source.name]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
        return source.with_suffix(".pdf").read_bytes()


def office_of(known: Known, ending: str) -> bytes:
    """A PDF or DOCX by LibreOffice, from the DOCX of python-docx."""
    return converted(word_of(known), ending)


def noted_of(known: Known, ending: str) -> bytes:
    """A PDF or DOCX by LibreOffice of paragraphs with footnotes, from an OpenDocument text."""
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text"))

    def mark(number: int, note: str) -> str:
        return (
            f'<text:note text:id="n{number}" text:note-class="footnote"><text:note-citation>{number}</text:note-citation>'
            f"<text:note-body><text:p>{note}</text:p></text:note-body></text:note>"
        )

    body = "".join(
        f'<text:h text:outline-level="1">{text}</text:h>' if kind == "heading" else f"<text:p>{text}</text:p>"
        for kind, text in known.marked(mark)
        if not isinstance(text, list)
    )
    kind = "application/vnd.oasis.opendocument.text"
    manifest = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    parts = {
        "mimetype": kind,
        "content.xml": f'<office:document-content {spaces} office:version="1.3"><office:body><office:text>{body}</office:text>'
        "</office:body></office:document-content>",
        "META-INF/manifest.xml": f'<m:manifest xmlns:m="{manifest}" m:version="1.3"><m:file-entry m:full-path="/" m:media-type="{kind}"/>'
        '<m:file-entry m:full-path="content.xml" m:media-type="text/xml"/></m:manifest>',
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return converted(made.getvalue(), ending, "odt")


def right_to_left_of(paragraphs: Sequence[str]) -> bytes:
    """A PDF by LibreOffice of paragraphs that are written from the right."""
    document = docx.Document()
    for text in paragraphs:
        made = document.add_paragraph(text)
        made.paragraph_format.element.get_or_add_pPr().append(OxmlElement("w:bidi"))
    saved = io.BytesIO()
    document.save(saved)
    return converted(saved.getvalue(), "pdf")


def converted(content: bytes, ending: str, source_ending: str = "docx") -> bytes:
    """A document as LibreOffice writes it in another format."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / f"known.{source_ending}"
        source.write_bytes(content)
        made = Path(folder) / "made"
        profile = f"-env:UserInstallation={(Path(folder) / 'profile').as_uri()}"
        kind = f"{ending}:{'writer_pdf_Export' if ending == 'pdf' else 'MS Word 2007 XML'}"
        command = ["soffice", profile, "--headless", "--convert-to", kind, "--outdir", str(made), str(source)]
        subprocess.run(command, capture_output=True, check=True)
        return (made / f"known.{ending}").read_bytes()


def word_of(known: Known) -> bytes:
    """A DOCX by python-docx, with a running head."""

    document = docx.Document()
    document.sections[0].header.paragraphs[0].text = known.running
    for kind, text in known.blocks:
        if isinstance(text, list):
            table = document.add_table(rows=0, cols=len(text[0]))
            for row in text:
                for cell, value in zip(table.add_row().cells, row, strict=True):
                    cell.text = value
        elif kind == "heading":
            document.add_heading(text, 1)
        else:
            document.add_paragraph(text, style="List Bullet" if kind == "item" else None)
    made = io.BytesIO()
    document.save(made)
    return made.getvalue()


def slides_of(known: Known) -> bytes:
    """A PPTX by python-pptx: a slide a section."""

    deck = pptx.Presentation()
    top = 0.0
    slide: Any = None
    body: Any = None
    for kind, text in known.blocks:
        if kind == "heading":
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text, body, top = text, slide.placeholders[1].text_frame, 300.0
            body.text = ""
        elif isinstance(text, list):
            table = slide.shapes.add_table(len(text), len(text[0]), Pt(50), Pt(top), Pt(400), Pt(100)).table
            for row, values in enumerate(text):
                for column, value in enumerate(values):
                    table.cell(row, column).text = value
        elif body.text:
            body.add_paragraph().text = text
        else:
            body.text = text
    made = io.BytesIO()
    deck.save(made)
    return made.getvalue()


def sheets_of(known: Known) -> bytes:
    """An XLSX by openpyxl: a sheet a table, named by its number."""

    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate((text for _, text in known.blocks if isinstance(text, list)), 1):
        sheet = book.create_sheet(f"Table {number}")
        for row in rows:
            sheet.append(row)
    made = io.BytesIO()
    book.save(made)
    return made.getvalue()


def page_of(known: Known) -> str:
    """A page of XHTML."""
    parts = []
    for kind, text in known.blocks:
        if isinstance(text, list):
            rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in text)
            parts.append(f"<table>{rows}</table>")
        else:
            tag = {"heading": "h1", "paragraph": "p", "item": "li"}[kind]
            parts.append(f"<{tag}>{text}</{tag}>")
    body = "\n".join(parts)
    return f'<!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title>No</title></head><body><nav>Menu</nav>{body}</body></html>'


def book_of(known: Known) -> bytes:
    """An EPUB."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip")
        archive.writestr(
            "META-INF/container.xml",
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/a.opf"/></rootfiles></container>',
        )
        archive.writestr(
            "OEBPS/a.opf",
            '<package xmlns="http://www.idpf.org/2007/opf"><manifest><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="one"/></spine></package>',
        )
        archive.writestr("OEBPS/one.xhtml", page_of(known))
    return made.getvalue()


def mail_of(known: Known) -> bytes:
    """A message with a text in two forms and an attachment."""
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Grüße from the harbor", "a@example.org", "b@example.org"
    message.set_content(
        "\n\n".join(" ".join(map(" ".join, text)) if isinstance(text, list) else text for _, text in known.blocks)
    )
    message.add_alternative(page_of(known), subtype="html")
    message.add_attachment(b"x", maintype="application", subtype="octet-stream", filename="plan.pdf")
    return message.as_bytes()


def without_marks(text: str) -> str:
    """A text without the marks of notes, raised or not: the words of known texts have no digits.

    >>> without_marks("word¹. Next2, [^1]: The note.")
    'word . Next ,   The note.'
    """
    return re.sub(r"\[\^\d+\]:?|[\d¹²³⁰⁴-⁹]+", " ", text)


def found_in_order(words: Sequence[str], text: str) -> float:
    """The share of words that stand in a text in their order."""
    at: dict[str, int] = {}
    for number, word in enumerate(text.replace("|", " ").replace(".", " ").split()):
        at.setdefault(word, number)
    places = [at[word] for word in (one.rstrip(".") for one in words) if word in at]
    # The longest run of rising places: patience.
    tails: list[int] = []

    for place in places:
        number = bisect_left(tails, place)
        tails[number : number + 1] = [place]
    return len(tails) / len(words)
