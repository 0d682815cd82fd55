"""PDF: read the words of each page with their boxes, by pdfium (extra `pdf`); `pages.py` converts them to Markdown
blocks.

pdfium returns characters in the order of the file, with the spaces and line ends that it detects. For each word only
the boxes of its first and last character are requested, and for each line one size and one font: a third of the calls
that all characters would need. Numbers at the ends of words are checked again: raised ones, such as marks of notes and
exponents, become Unicode superscripts.

Boxes are [left, top, right, bottom] in points of 1/72 inch, from the top left corner of the page as displayed, also for
rotated pages.
"""

from __future__ import annotations

import ctypes
import importlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from chunker.errors import (
    DamagedDocumentError,
    DocumentTooLargeError,
    EncryptedDocumentError,
    MissingExtraError,
    NoTextError,
)
from chunker.files.readers import ReadText
from chunker.files.readers.page_text import Line, Page, Word
from chunker.files.readers.pages import blocks_of
from chunker.formats.expressions import re

# A book has a few thousand pages of a few thousand characters; a file with more than these is not a document for
# people.
MAX_PAGES = 20_000
MAX_CHARACTERS = 100_000_000
MAX_CHARACTERS_OF_PAGE = 1_000_000
MAX_SECONDS = 600.0

# pdfium is not thread-safe.
_LOCK = threading.Lock()
_PASSWORD = 4  # FPDF_ERR_PASSWORD
_LINE_ENDS = "\r\n"
_HYPHENS = "\x02\ufffe"
_LIGATURES = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
# Codes that pdfium uses for a hyphen at the end of a line, and for unknown characters.
_ODD = {0x02: "-", 0xFFFE: "-", 0xFFFF: None, 0x00: None, 0xAD: "-", **_LIGATURES}
# A number that may be raised: after a letter and punctuation, before a letter, or a whole word.
_NUMBER = re.compile(
    r"(?:\A|(?P<before>[^\W\d_])[.,;:!?)\]»”’\"']{0,3})(?P<digits>\d{1,3})(?:(?P<after>[^\W\d_])|[.,;:!?)\]»”’\"']*\Z)"
)
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
# Relative to the font size of the line: the least height of a raised digit, and its largest size.
_RAISED, _SMALLER = 0.15, 0.9
# LaTeX's own fonts may not declare their characters, and have ligatures at the codes of control characters: ff, fi, fl,
# ffi, ffl, in two encodings. One of these codes is the carriage return, which ends a line only before a line feed.
_CONTROLS = str.maketrans(
    "\x0b\x0c\x0e\x0f\x1b\x1c\x1d\x1e\x1f", "\ufb00\ufb01\ufb03\ufb04\ufb00\ufb01\ufb02\ufb03\ufb04"
)
_RETURN = re.compile(r"\r(?!\n)")
_IMAGE = 3  # FPDF_PAGEOBJ_IMAGE
_FEW = 16  # characters in a document: a stamp on scanned pages may have as many


def read_pdf(content: bytes) -> ReadText:
    """Read a PDF.

    Raises:
        MissingExtraError: pypdfium2 is not installed.
        EncryptedDocumentError: It needs a password.
        DamagedDocumentError: It is not a PDF, or cannot be read to its end.
        NoTextError: It has no text, such as scanned pages without a text layer.
        DocumentTooLargeError: It has too many pages or characters, or takes too long.
    """
    try:
        pdfium = importlib.import_module("pypdfium2")
    except ImportError as error:
        raise MissingExtraError("pypdfium2", "pdf") from error
    with _LOCK:
        pages, pictures = _pages(pdfium, content)
    if sum(len(line.text) for page in pages for line in page.lines) < _FEW and pictures:
        raise NoTextError(f"its {len(pages):,} pages are pictures without text: run OCR first, such as ocrmypdf")
    empty = [page.number for page in pages if not page.lines]
    notes: dict[str, Any] = {"pages": len(pages)}
    if empty:
        notes["pages_without_text"] = empty
    return ReadText.of_blocks(blocks_of(pages), notes)


def _pages(pdfium: Any, content: bytes) -> tuple[list[Page], bool]:  # noqa: ANN401  # a module
    """Return all pages, and whether a page without text has a picture."""
    try:
        document = pdfium.PdfDocument(content)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == _PASSWORD or "assword" in str(error):
            raise EncryptedDocumentError("it is encrypted: a password is needed to read it") from error
        raise DamagedDocumentError(f"it cannot be read as PDF: {error}") from error
    try:
        if len(document) > MAX_PAGES:
            raise DocumentTooLargeError(f"it has {len(document):,} pages, more than {MAX_PAGES:,}")
        reading = _Reading(pdfium)
        pages = [reading.page(document, number) for number in range(len(document))]
        return pages, reading.pictures
    finally:
        document.close()


class _Reading:
    """The state of reading one document, to limit its size and time."""

    def __init__(self, pdfium: Any) -> None:  # noqa: ANN401  # a module
        self._pdfium = pdfium
        self._raw = pdfium.raw
        self._began = time.monotonic()
        self._characters = 0
        self.pictures = False

    def page(self, document: Any, number: int) -> Page:  # noqa: ANN401  # of pypdfium2, as all that follow
        """Read the lines of a page, counted from 0."""
        if time.monotonic() - self._began > MAX_SECONDS:
            raise DocumentTooLargeError(f"{number:,} of its pages took {MAX_SECONDS:,.0f} seconds")
        try:
            page = document[number]
        except self._pdfium.PdfiumError as error:
            raise DamagedDocumentError(f"page {number + 1} cannot be read: {error}") from error
        try:
            width, height = page.get_size()
            text_page = page.get_textpage()
            try:
                lines = list(self._lines(text_page, _placing(page, width, height)))
            finally:
                text_page.close()
            if not lines and not self.pictures:
                self.pictures = any(True for _ in page.get_objects(filter=[_IMAGE], max_depth=3))
            return Page(number + 1, width, height, lines)
        finally:
            page.close()

    def _lines(self, text_page: Any, place: Callable[[Any], tuple[float, float, float, float]]) -> Iterator[Line]:  # noqa: ANN401
        raw, handle = self._raw, text_page.raw
        size = raw.FPDFText_CountChars(handle)
        if size <= 0:
            return
        self._characters += size
        if size > MAX_CHARACTERS_OF_PAGE or self._characters > MAX_CHARACTERS:
            raise DocumentTooLargeError(
                f"it has more than {min(size, self._characters):,} characters, on one page or in all"
            )
        text = _RETURN.sub("\ufb02", self._text(handle, size).translate(_CONTROLS))
        box = raw.FS_RECTF()

        def boxed(at: int) -> tuple[float, float, float, float] | None:
            return place(box) if raw.FPDFText_GetLooseCharBox(handle, at, ctypes.byref(box)) else None

        words: list[Word] = []
        starts: list[int] = []  # of the words, in characters
        start = 0
        for at in range(size + 1):
            # A hyphen inside a word at the end of a line also marks the end of the line.
            parted = at < size and text[at] in _HYPHENS
            end_of_line = at == size or parted or text[at] in _LINE_ENDS
            if not end_of_line and not text[at].isspace():
                continue
            end = at + parted
            if start < end:
                head, tail = boxed(start), boxed(end - 1)
                if head is not None and tail is not None:
                    union = (min(head[0], tail[0]), min(head[1], tail[1]), max(head[2], tail[2]), max(head[3], tail[3]))
                    words.append(Word(text[start:end], union))
                    starts.append(start)
            start = at + 1
            if end_of_line and words:
                yield self._line(handle, words, starts)
                words, starts = [], []

    def _line(self, handle: Any, words: list[Word], starts: list[int]) -> Line:  # noqa: ANN401
        """Make a line of these words; `starts` are the indices of their first characters. The longest word determines
        the font, because a bullet may have another.
        """
        first = starts[max(range(len(words)), key=lambda which: len(words[which].text))]
        for which, (word, start) in enumerate(zip(words, starts, strict=True)):
            text = word.text
            if not text.isalpha():
                text = self._with_raised(handle, text, start, first)
            words[which] = word._replace(text=text.translate(_ODD))
        return Line(words, self._font_size(handle, first), bold=self._is_bold(handle, first))

    def _text(self, handle: Any, size: int) -> str:  # noqa: ANN401
        """Return the text of a page, with exactly one character for each that pdfium counts."""
        raw = self._raw
        buffer = (ctypes.c_ushort * (size + 1))()
        written = raw.FPDFText_GetText(handle, 0, size, buffer)
        text = bytes(buffer)[: 2 * max(written - 1, 0)].decode("utf-16-le", "replace")
        if len(text) == size:
            return text
        return "".join(
            chr(code) if (code := raw.FPDFText_GetUnicode(handle, at)) < 0x110000 else " " for at in range(size)
        )

    def _font_size(self, handle: Any, at: int) -> float:  # noqa: ANN401
        """Return the displayed font size of a character, in points."""
        raw = self._raw
        matrix = raw.FS_MATRIX()
        size: float = raw.FPDFText_GetFontSize(handle, at)
        if raw.FPDFText_GetMatrix(handle, at, ctypes.byref(matrix)):
            size *= (matrix.c**2 + matrix.d**2) ** 0.5
        return size

    def _with_raised(self, handle: Any, word: str, start: int, first: int) -> str:  # noqa: ANN401
        """Return a word with a raised number in it, if there is one, as superscripts. Its characters begin at `start`,
        those of the line at `first`.
        """
        found = _NUMBER.search(word)
        if found is None:
            return word
        digits = found.start("digits")
        beside = (
            start + found.start("before" if found["before"] else "after")
            if found["before"] or found["after"]
            else first
        )
        if start + digits == beside or not self._is_raised(handle, start + digits, beside):
            return word
        return word[:digits] + found["digits"].translate(_SUPERSCRIPTS) + word[found.end("digits") :]

    def _is_raised(self, handle: Any, at: int, beside: int) -> bool:  # noqa: ANN401
        """Whether a character is smaller than another character of its line, and higher."""
        size = self._font_size(handle, beside)
        if self._font_size(handle, at) > _SMALLER * size:
            return False
        return self._base(handle, at) - self._base(handle, beside) > _RAISED * size

    def _base(self, handle: Any, at: int) -> float:  # noqa: ANN401
        """Return the height of a character's base line, from the bottom of the page."""
        across, up = ctypes.c_double(), ctypes.c_double()
        self._raw.FPDFText_GetCharOrigin(handle, at, ctypes.byref(across), ctypes.byref(up))
        return up.value

    def _is_bold(self, handle: Any, at: int) -> bool:  # noqa: ANN401
        raw = self._raw
        name = ctypes.create_string_buffer(128)
        flags = ctypes.c_int()
        raw.FPDFText_GetFontInfo(handle, at, name, 128, ctypes.byref(flags))
        return raw.FPDFText_GetFontWeight(handle, at) >= 600 or any(
            mark in name.value for mark in (b"Bold", b"Black", b"CMBX")
        )


def _placing(page: Any, width: float, height: float) -> Callable[[Any], tuple[float, float, float, float]]:  # noqa: ANN401
    """Return a function from a rectangle in page coordinates to the rectangle as displayed, from the top left."""
    left, bottom = page.get_cropbox()[:2]
    turned = page.get_rotation()

    def place(box: Any) -> tuple[float, float, float, float]:  # noqa: ANN401
        x0, x1 = sorted((box.left - left, box.right - left))
        y0, y1 = sorted((box.bottom - bottom, box.top - bottom))
        if turned == 90:
            return y0, x0, y1, x1
        if turned == 180:
            return width - x1, y0, width - x0, y1
        if turned == 270:
            return width - y1, height - x1, width - y0, height - x0
        return x0, height - y1, x1, height - y0

    return place
