"""EPUB: the chapters of a book in the order of its spine, each a page of XHTML. A place is the name of a part, such as
"OEBPS/ch1.xhtml".
"""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from chunker.errors import DamagedDocumentError
from chunker.files.readers import ReadText, TextBuilder
from chunker.files.readers.web_page import add_page
from chunker.files.readers.zipped import Package, attribute, below, child, local

_CONTAINER = "META-INF/container.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/html"})


def read_book(content: bytes) -> ReadText:
    """Read an EPUB.

    Raises:
        DocumentError: It is encrypted, damaged, or unpacks to too much.
    """
    package = Package(content)
    root = next(below(package.xml(_CONTAINER), frozenset({"rootfile"}), frozenset()), None)
    name = attribute(root, "full-path")
    if name is None:
        raise DamagedDocumentError(f"{_CONTAINER} in it names no book")
    book = package.xml(name)
    manifest = child(book, "manifest")
    parts = {
        attribute(one, "id"): posixpath.normpath(
            posixpath.join(posixpath.dirname(name), unquote(attribute(one, "href") or ""))
        )
        for one in (manifest if manifest is not None else ())
        if attribute(one, "media-type") in _PAGES
    }
    spine = child(book, "spine")
    builder = TextBuilder()
    for one in spine if spine is not None else ():
        part = parts.get(attribute(one, "idref"))
        if local(one) == "itemref" and part is not None and package.has(part):
            add_page(builder, package.read(part).decode("utf-8", "replace"), {"part": part})
    return builder.built()
