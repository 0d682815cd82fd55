"""Convert documents of Docling to texts with pages and boxes.

    from docling.document_converter import DocumentConverter            # with its models, some gigabytes

    def read(content: bytes) -> ReadText:                               # an entry point of `bpe_chunker.readers`
        stream = DocumentStream(name="a.pdf", stream=BytesIO(content))
        return text_of_docling(DocumentConverter().convert(stream).document)

Docling is not imported: only public methods of the document are called (docling-core 2).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from chunker.files.readers import ReadText

_RUNNING = frozenset({"page_header", "page_footer"})
_LEVELS = 6


class DoclingDocument(Protocol):
    """Protocol of the parts of `docling_core.types.doc.DoclingDocument` that are used."""

    def iterate_items(self) -> Any:  # noqa: ANN401
        """Yield the items in reading order, each with its depth."""
        ...


def text_of_docling(document: DoclingDocument) -> ReadText:
    """Convert a document of Docling to Markdown, each item with its page and box, without page headers and footers.

    Args:
        document: A `DoclingDocument`.

    Returns:
        The text; boxes are in points from the top left corner of the page, for any origin in the document.
    """
    return ReadText.of_parts(_parts(document))


def _parts(document: Any) -> Iterator[tuple[str, dict[str, Any]]]:  # noqa: ANN401
    for item, depth in document.iterate_items():
        label = str(getattr(getattr(item, "label", ""), "value", getattr(item, "label", "")))
        if label not in _RUNNING:
            yield _markdown(item, label, depth, document), _place(item, document)


def _markdown(item: Any, label: str, depth: int, document: Any) -> str:  # noqa: ANN401
    text = str(getattr(item, "text", "") or "")
    if label == "table":
        return str(item.export_to_markdown(doc=document))
    if label == "title":
        return f"# {text}"
    if label == "section_header":
        return f"{'#' * min(int(getattr(item, 'level', 1)) + 1, _LEVELS)} {text}"
    if label == "list_item":
        mark = str(getattr(item, "marker", "") or "-")
        return f"{'  ' * max(depth - 2, 0)}{mark if mark[0].isalnum() else '-'} {text}"
    return f"```\n{text}\n```" if label == "code" else text


def _place(item: Any, document: Any) -> dict[str, Any]:  # noqa: ANN401
    found = getattr(item, "prov", None) or []
    if not found:
        return {}
    first = found[0]
    page = document.pages.get(first.page_no)
    box = first.bbox if page is None else first.bbox.to_top_left_origin(page_height=page.size.height)
    return {"page": first.page_no, "box": [round(float(side), 1) for side in (box.l, box.t, box.r, box.b)]}
