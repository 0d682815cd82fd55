"""Footnotes of PDFs from several tools: kept apart from the text, which is whole and in its order, and referred to where they were."""

from __future__ import annotations

import io
import re
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from document_files import (
    Known,
    found_in_order,
    groff_of,
    has_groff,
    known_text,
    latex_of,
    noted_of,
    pdf_of,
    without_marks,
)
from reportlab.pdfgen.canvas import Canvas

from chunker.files.readers.table import read_document_bytes

NOTE = re.compile(r"\[\^(\d+)\]: (.*)")


def needs(tool: str) -> pytest.MarkDecorator:
    there = has_groff() if tool == "groff" else shutil.which(tool) is not None
    return pytest.mark.skipif(not there, reason=f"{tool} is not installed")


def office_of(known: Known) -> bytes:
    known.blocks = [block for block in known.blocks if not isinstance(block[1], list)]
    return noted_of(known, "pdf")


KINDS: list[tuple[str, str | None, Callable[[Known], bytes]]] = [
    ("reportlab", None, pdf_of),
    ("reportlab, two columns", None, lambda known: pdf_of(known, 2)),
    ("groff", "groff", lambda known: groff_of(known, columns=False)),
    ("groff, two columns", "groff", lambda known: groff_of(known, columns=True)),
    ("latex", "pdflatex", lambda known: latex_of(known, columns=False)),
    ("latex, two columns", "pdflatex", lambda known: latex_of(known, columns=True)),
    ("libreoffice", "soffice", office_of),
]


@pytest.mark.parametrize(
    "make", [pytest.param(make, id=name, marks=[needs(tool)] if tool else []) for name, tool, make in KINDS]
)
@pytest.mark.parametrize("seed", [1, 2])
def test_notes_are_blocks_of_their_own(make: Callable[[Known], bytes], seed: int) -> None:
    known = known_text(seed, sections=5, paragraphs=5, notes=True)
    text = read_document_bytes(make(known), "pdf").text
    blocks = text.rstrip("\n").split("\n\n")
    notes = [found for block in blocks if (found := NOTE.fullmatch(block))]
    rest = "\n\n".join(block for block in blocks if not NOTE.fullmatch(block))
    assert [int(note[1]) for note in notes] == list(range(1, len(known.notes) + 1))
    assert [note[2] for note in notes] == known.notes
    assert found_in_order(known.words, without_marks(rest)) >= 0.998
    # A paragraph that begins on the page before its note may refer to it from the next page: that mark stays a raised
    # number.
    assert len(re.findall(r"(?<=\w|\.)\[\^\d+\]", rest)) >= 0.85 * len(known.notes)
    assert known.running not in text


def page_of(canvas: Canvas, text: str, note: str, *, mark: str = "", raised: bool = False, head: str = "") -> None:
    """A page of 30 lines with a mark in its first line, a note at its foot, and the number of the page."""
    lines = canvas.beginText(72, 720)
    lines.setFont("Helvetica", 11)
    lines.textOut(text)
    lines.setFont("Helvetica", 7)
    lines.setRise(4)
    lines.textOut(mark)
    lines.setRise(0)
    lines.setFont("Helvetica", 11)
    lines.textLine("")
    for _ in range(30):
        lines.textLine("The lines of this page are all as long as this one is, more or less.")
    canvas.drawText(lines)
    foot = canvas.beginText(72, 60)
    foot.setFont("Helvetica", 8)
    if raised:
        foot.setRise(3)
        foot.setFont("Helvetica", 5)
        foot.textOut(mark)
        foot.setRise(0)
        foot.setFont("Helvetica", 8)
        foot.textLine(note)
    else:
        foot.textLine(f"{mark} {note}")
    canvas.drawText(foot)
    canvas.setFont("Helvetica", 8)
    canvas.drawString(280, 30, head or str(canvas.getPageNumber()))
    canvas.showPage()


def drawn(draw: Callable[[Any], None]) -> str:
    made = io.BytesIO()
    canvas = Canvas(made)
    draw(canvas)
    canvas.save()
    return read_document_bytes(made.getvalue(), "pdf").text


@pytest.mark.parametrize("raised", [False, True])
def test_a_note_whose_number_is_that_of_its_page_is_no_running_foot(raised: bool) -> None:
    words = ["One remark.", "Another remark.", "A third thought.", "The last of them."]

    def draw(canvas: Canvas) -> None:
        for number, note in enumerate(words, 1):
            page_of(canvas, f"Claim {'abcd'[number - 1]}", note, mark=str(number), raised=raised)

    text = drawn(draw)
    for number, note in enumerate(words, 1):
        assert f"\n\n[^{number}]: {note}\n" in text
        assert f"Claim {'abcd'[number - 1]}[^{number}]" in text
    assert not re.search(r"^\d+$", text, re.MULTILINE)


def test_a_running_foot_that_begins_with_the_number_of_its_page_is_left_out() -> None:
    def draw(canvas: Canvas) -> None:
        for number in range(1, 5):
            page_of(canvas, "Words", "", head=f"{number} Part {'abcd'[number - 1]}")

    assert "Part" not in drawn(draw)


def test_what_the_text_does_not_refer_to_is_no_note() -> None:
    text = drawn(lambda canvas: page_of(canvas, "Words", "3 A line in small print."))
    assert "[^" not in text
    assert "3 A line in small print." in text


def test_exponents_are_raised_and_indices_are_not() -> None:
    def draw(canvas: Canvas) -> None:
        lines = canvas.beginText(72, 720)
        lines.setFont("Helvetica", 11)
        for word, small, rise in (("12 m", "2", 4), (" of CO", "2", -2), (" in Room", "101", 0)):
            lines.textOut(word)
            lines.setFont("Helvetica", 7 if rise else 11)
            lines.setRise(rise)
            lines.textOut(small)
            lines.setRise(0)
            lines.setFont("Helvetica", 11)
        canvas.drawText(lines)
        canvas.showPage()

    assert drawn(draw) == "12 m² of CO2 in Room101\n"
