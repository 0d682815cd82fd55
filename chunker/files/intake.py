"""Turn a file into the text to chunk: leave some files out, and convert others.

    .env                     left out, as it holds secrets                                  (secrets.py)
    uv.lock, app.min.js      left out, as a program wrote it                                (machine_made.py)
    report.pdf               read as Markdown, with pages and boxes                         (readers/)
    plot.ipynb, flow.svg     read as the cells of the notebook, as the words of the drawing
    page.md                  read, and embedded pictures shortened                          (shortening.py)

This applies to files only, never to a text that is passed to a chunker. A file that the user named is never left out as
generated.
"""

# Modules that few files need are imported in functions: their expressions take time to compile.
# ruff: noqa: PLC0415

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from chunker.errors import DocumentError, MissingExtraError, NotebookError, NoTextError
from chunker.files.discovery import STANDARD_INPUT, FoundFile, Problem, portable, reason_of
from chunker.files.documents import Document, codec_named, read_document, read_stream
from chunker.files.readers import ReadText
from chunker.files.readers.table import ending_of, ending_of_content, read_document_bytes
from chunker.files.secrets import LEFT_OUT_BY_NAME, LEFT_OUT_BY_TEXT, begins_with_key, named_as_secret

if TYPE_CHECKING:
    from chunker.files.machine_made import Evidence

DRAWING = "drawing without words"
UNREAD = "unread document"
LARGE_FILE = "file over 1 MiB"  # of maps alone
# The conversions of files that were not left out, in the words of the summary.
EMBEDDED = "embedded data"
NOTEBOOK = "notebook"
WORDS_OF_DRAWING = "drawing"
WEB_PAGE = "web page"
_WEB_PAGES = (".html", ".htm", ".xhtml")
# In characters: shorter texts are not searched for embedded data.
SHORTEST_DATA = 64


@dataclass(frozen=True, slots=True)
class Intake:
    """Settings that choose which files to read, and which of their content.

    Args:
        secrets: Read files that hold secrets.
        generated: Read files that a program wrote.
        verbatim: Read notebooks, drawings and embedded data unchanged.
        encoding: The encoding of files that are not UTF-8; see `chunker.files.documents`.
        standard_input: The name of standard input, instead of "-".
        web_text: Convert HTML pages to their text: headings, paragraphs, lists and tables, without tags and navigation.
    """

    secrets: bool = False
    generated: bool = False
    verbatim: bool = False
    encoding: str = "utf-8"
    standard_input: str = STANDARD_INPUT
    web_text: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "encoding", codec_named(self.encoding))

    def read(self, file: FoundFile) -> Document | Problem:
        """Return the text of a file as it is to be chunked, or the reason why there is none."""
        problem = self.judge_name(file)
        if problem is not None:
            return problem
        if file.path == STANDARD_INPUT:
            return self._read_standard_input(file)
        ending = ending_of(file.path)
        if ending is None:
            return self._accept(read_document(file, self.encoding), file)
        try:
            content = Path(file.path).read_bytes()
        except OSError as error:
            return Problem(file.path, reason_of(error))
        return self._read_document(content, file, ending)

    def read_bytes(self, content: bytes, file: FoundFile) -> Document | Problem:
        """Do the same as `read` for the content of a file that the caller has read."""
        problem = self.judge_name(file)
        if problem is not None:
            return problem
        ending = ending_of(file.path)
        if ending is not None:
            return self._read_document(content, file, ending)
        return self._accept(read_stream(io.BytesIO(content), file, self.encoding), file)

    def _read_standard_input(self, file: FoundFile) -> Document | Problem:
        """Read a text, or a document that is recognized by its name or its first bytes."""
        try:
            if sys.stdin is None:
                return Problem(file.path, "standard input is closed")
            content = sys.stdin.buffer.read()
        except OSError as error:
            return Problem(file.path, reason_of(error))
        ending = ending_of(self.standard_input) or ending_of_content(content)
        if ending is not None:
            return self._read_document(content, replace(file, path=self.standard_input), ending)
        return self._accept(read_stream(io.BytesIO(content), file, self.encoding), file)

    def _accept(self, document: Document | Problem, file: FoundFile) -> Document | Problem:
        return self.accept(document, named=file.named, by_people=file.by_people)

    def _read_document(self, content: bytes, file: FoundFile, ending: str) -> Document | Problem:
        try:
            made = read_document_bytes(content, ending)
        except (MissingExtraError, NoTextError) as error:
            return Problem(file.path, f"not read: {error}", failed=file.named, rule=UNREAD)
        except DocumentError as error:
            return Problem(file.path, f"not read: {error}")
        found = Document(file.path, made.text, ending, len(content), made.format, made.places, notes=made.notes)
        if not self.secrets and begins_with_key(found.text):
            return Problem(file.path, LEFT_OUT_BY_TEXT, failed=file.named)
        return found

    def accept(self, document: Document | Problem, *, named: bool, by_people: bool = False) -> Document | Problem:
        """Return the part of a text that is worth chunking, after its name has been accepted. `by_people`: keep the
        text even if it looks generated.
        """
        if isinstance(document, Problem):
            return document
        if document.path == STANDARD_INPUT:
            document = replace(document, path=self.standard_input)
        if not self.secrets and begins_with_key(document.text):
            return Problem(document.path, LEFT_OUT_BY_TEXT, failed=named)
        is_page = self.web_text and document.path.lower().endswith(_WEB_PAGES)
        read = _page_text(document) if is_page else document
        short = read if self.verbatim else _shortened(read, named=named)
        if isinstance(short, Problem) or self.generated or named or by_people:
            return short
        from chunker.files.machine_made import made_by_text

        # A page says in a comment that a program wrote it, and its text has no comments: check the source of the page.
        evidence = made_by_text(short.path, document.text if is_page else short.text)
        return short if evidence is None else _left_out(short.path, evidence)

    def judge_name(self, file: FoundFile) -> Problem | None:
        """Return the reason to leave a file out because of its name, or None."""
        if not self.secrets and _has_secret_name(file):
            return Problem(file.path, LEFT_OUT_BY_NAME, failed=file.named)
        if self.generated or file.named or file.by_people:
            return None
        from chunker.files.machine_made import made_by_name

        evidence = made_by_name(file.path)
        return None if evidence is None else _left_out(file.path, evidence)


def done_to(document: Document) -> str | None:
    """Return the conversion that was applied to a file, or None."""
    if document.encoding in {NOTEBOOK, WORDS_OF_DRAWING}:
        return document.encoding
    return None if document.shortened is None else EMBEDDED


def _has_secret_name(file: FoundFile) -> bool:
    """Whether a file, or the target of a link that the user named, has the name of a secret."""
    return named_as_secret(file.path) or (file.named and named_as_secret(portable(os.path.realpath(file.path))))


def _left_out(path: str, evidence: Evidence) -> Problem:
    return Problem(path, str(evidence), failed=False, rule=evidence.rule)


def _shortened(document: Document, *, named: bool) -> Document | Problem:
    """Return a text in readable form, without embedded data."""
    if document.path.lower().endswith(".ipynb"):
        document = _cells(document)
    elif document.path.lower().endswith(".svg"):
        words = _words(document)
        if words is not None and (words.text or not named):
            return _read_as(document, WORDS_OF_DRAWING, words) if words.text else _without_words(document.path)
    if len(document.text) < SHORTEST_DATA:
        return document
    from chunker.files.shortening import shorten

    text, shortened = shorten(document.text)
    if shortened is None:
        return document
    if document.places is not None:  # places name cells, not offsets in the file, so spans do not change
        return replace(document, text=text, places=document.places.moved(shortened.offsets, shortened.characters))
    left_out = f"{shortened.left_out:,} characters of embedded data"
    return replace(document, text=text, shortened=shortened, notes={**document.notes, "left_out": left_out})


def _page_text(document: Document) -> Document:
    """Return a page as its text; unchanged if it has no text."""
    from chunker.files.readers.web_page import read_web_page

    made = read_web_page(document.text)
    return _read_as(document, WEB_PAGE, made) if made.text.strip() else document


def _words(document: Document) -> ReadText | None:
    from chunker.files.readers.drawing import is_drawing, read_drawing

    return read_drawing(document.text) if is_drawing(document.path, document.text) else None


def _without_words(path: str) -> Problem:
    from chunker.files.machine_made import Evidence

    return _left_out(path, Evidence(DRAWING))


def _cells(document: Document) -> Document:
    """Return a notebook as its cells; unchanged if it is not a notebook after all."""
    from chunker.formats.data.notebook import notebook_parts

    try:
        parts = [(text, {"cell": number}) for text, number in notebook_parts(document.text, outputs=True)]
    except NotebookError:
        return document
    return _read_as(document, NOTEBOOK, ReadText.of_parts(parts))


def _read_as(document: Document, reader: str, made: ReadText) -> Document:
    return Document(document.path, made.text, reader, document.size, made.format, made.places, notes=made.notes)
