"""The readers of documents by file suffix: our own, and those of other packages from the entry point group
`bpe_chunker.readers`.

    [project.entry-points."bpe_chunker.readers"]
    pdf = "package.module:read"         # a function from bytes to a `chunker.files.readers.ReadText`

A reader of another package replaces ours. It is imported when a file with its suffix is read. `docling.py` converts a
document of Docling to a `ReadText`.
"""

from __future__ import annotations

import functools
import io
import os
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from chunker.errors import ChunkerError, DocumentError, DocumentTooLargeError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from chunker.files.readers import ReadText

__all__ = ["read_document_bytes", "read_document_file"]

GROUP = "bpe_chunker.readers"
MAX_FILE_BYTES = 1 << 30

# Suffix -> module in this folder, and function.
_OWN = {
    "docx": ("word", "read_word"),
    "eml": ("mail", "read_mail"),
    "epub": ("book", "read_book"),
    "pdf": ("pdf", "read_pdf"),
    "pptx": ("slides", "read_slides"),
    "xlsx": ("sheets", "read_sheets"),
}

# A part that every archive of the format has -> its suffix.
_PARTS = {
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "xl/workbook.xml": "xlsx",
    "META-INF/container.xml": "epub",
}

Reader = Callable[[bytes], "ReadText"]


def ending_of(path: str) -> str | None:
    """Return the suffix of a document, in lower case and without its dot; None for other files.

    >>> ending_of("a/Report.PDF"), ending_of("a.py"), ending_of("pdf")
    ('pdf', None, None)
    """
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    ending = ending.lower()
    return ending if stem and dot and (ending in _OWN or ending in _others()) else None


def ending_of_content(content: bytes) -> str | None:
    """Return the suffix for a document without a name, by its first bytes or the parts of its archive; None for other
    content.

    >>> ending_of_content(b"%PDF-1.7 ..."), ending_of_content(b"A text.")
    ('pdf', None)
    """
    if content.startswith(b"%PDF-"):
        return "pdf"
    if not content.startswith(b"PK\x03\x04"):
        return None
    import zipfile  # noqa: PLC0415  # few texts are archives

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError):
        return None
    return next((ending for part, ending in _PARTS.items() if part in names), None)


def read_document_bytes(content: bytes, ending: str) -> ReadText:
    """Read a document.

    Args:
        content: Its bytes.
        ending: The suffix of such files: "pdf", "docx", "pptx", "xlsx", "epub", "eml", or one with a reader in another
            package.

    Returns:
        Its text as Markdown, with places.

    Raises:
        MissingExtraError: A package that reads it is not installed.
        DocumentError: It cannot be read; `chunker.errors` lists the subclasses.
    """
    if len(content) > MAX_FILE_BYTES:
        raise DocumentTooLargeError(f"it has {len(content):,} bytes, more than {MAX_FILE_BYTES:,}")
    found = _reader(ending.lower().removeprefix("."))
    if found is None:
        raise DocumentError(f"no reader is known for .{ending}; there are {', '.join(sorted({*_OWN, *_others()}))}")
    return found(content)


def read_document_file(path: str | os.PathLike[str]) -> ReadText:
    """Read the document in a file, as `read_document_bytes` does.

    Args:
        path: The file; its suffix selects the reader.

    Returns:
        Its text as Markdown, with places.

    Raises:
        OSError: The file cannot be read.
        MissingExtraError: A package that reads it is not installed.
        DocumentError: It is no document that can be read; `chunker.errors` lists the subclasses.
    """
    file = Path(path)
    return read_document_bytes(file.read_bytes(), ending_of(file.name) or file.suffix)


def _reader(ending: str) -> Reader | None:
    if ending in _others():
        return functools.partial(_read_by_another, _others()[ending])
    if ending not in _OWN:
        return None
    module, name = _OWN[ending]
    own: Reader = getattr(import_module(f"chunker.files.readers.{module}"), name)
    return own


def _read_by_another(point: EntryPoint, content: bytes) -> ReadText:
    try:
        read: ReadText = point.load()(content)
    except (ChunkerError, MemoryError):
        raise
    except Exception as error:  # a foreign reader may raise anything; the other files of a folder are read all the same
        raise DocumentError(f"its reader, {point.value}, failed: {type(error).__name__}: {error}") from error
    return read


@functools.cache
def _others() -> dict[str, EntryPoint]:
    # Imported late: the import takes as long as reading a short document.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return dict(_by_ending(entry_points(group=GROUP)))


def _by_ending(points: object) -> Iterator[tuple[str, EntryPoint]]:
    for point in sorted(points, key=lambda one: one.name):  # type: ignore[call-overload]
        yield point.name.lower().removeprefix("."), point
