"""PPTX: slides in order, each under its title, with text, items, tables and the speaker notes.

A place is the number of the slide and the box of the shape, in points from the top left corner.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET  # for its types; zipped.py parses

from chunker.files.readers import ReadText, TextBuilder
from chunker.files.readers.pages import table_text
from chunker.files.readers.zipped import Package, attribute, below, child, local, relation

_PRESENTATION = "ppt/presentation.xml"
_EMU_A_POINT = 12_700
_TITLES = frozenset({"title", "ctrTitle"})
# Repeated on each slide: the date, the number, the footer.
_RUNNING = frozenset({"dt", "ftr", "sldNum", "hdr"})
_TEXTS = frozenset({"t", "br"})
_SHAPES = frozenset({"sp", "graphicFrame"})
_Shape = tuple[str | None, list[float] | None, ET.Element]


def read_slides(content: bytes) -> ReadText:
    """Read a PPTX.

    Raises:
        DocumentError: It is encrypted, damaged, or unpacks to too much.
    """
    package = Package(content)
    presentation = package.xml(_PRESENTATION)
    related = package.related(_PRESENTATION)
    ids = child(presentation, "sldIdLst")
    names = [related.get(relation(one), "") for one in (ids if ids is not None else ())]
    builder = TextBuilder()
    for number, name in enumerate(names, 1):
        if package.has(name):
            for text, box in _slide(package, name):
                builder.add(text, {"slide": number, "box": box} if box else {"slide": number})
    return builder.built({"slides": len(names)})


def _slide(package: Package, name: str) -> Iterator[tuple[str, list[float] | None]]:
    shapes: list[_Shape] = []
    for shape in below(package.xml(name), _SHAPES, frozenset({"Fallback"})):
        place = next(below(shape, frozenset({"ph"}), frozenset()), None)
        kind = attribute(place, "type") if place is not None else None
        if kind not in _RUNNING:
            shapes.append((kind, _box(shape), shape))
    # The title first, then from top to bottom. A shape without a box inherits that of its layout, which is below the
    # title.
    shapes.sort(key=lambda one: (one[0] not in _TITLES, *_corner(one[1])))
    for kind, box, shape in shapes:
        table = next(below(shape, frozenset({"tbl"}), frozenset()), None)
        if table is not None:
            yield (
                table_text(
                    [[_cell(cell) for cell in row if local(cell) == "tc"] for row in table if local(row) == "tr"]
                ),
                box,
            )
        elif kind in _TITLES:
            yield f"# {' '.join(text for text, _ in _paragraphs(shape))}", box
        else:
            found = list(_paragraphs(shape))
            listed = kind in {"body", "obj", None} and len(found) > 1
            yield "\n".join(f"{'  ' * depth}- {text}" if listed or depth else f"{text}\n" for text, depth in found), box
    notes = next((part for part in package.related(name).values() if "/notesSlides/" in f"/{part}"), None)
    if notes is not None and package.has(notes):
        for shape in below(package.xml(notes), frozenset({"sp"}), frozenset({"Fallback"})):
            place = next(below(shape, frozenset({"ph"}), frozenset()), None)
            if attribute(place, "type") == "body":
                yield "\n\n".join(text for text, _ in _paragraphs(shape)), None


def _corner(box: list[float] | None) -> tuple[float, float]:
    return (box[1], box[0]) if box else (-1.0, -1.0)


def _box(shape: ET.Element) -> list[float] | None:
    frame = next(below(shape, frozenset({"xfrm"}), frozenset({"txBody"})), None)
    values: list[Any] = [attribute(child(frame, "off"), "x"), attribute(child(frame, "off"), "y")]
    values += [attribute(child(frame, "ext"), "cx"), attribute(child(frame, "ext"), "cy")]
    try:
        left, top, width, height = (int(value) / _EMU_A_POINT for value in values)
    except (TypeError, ValueError):
        return None
    return [round(side, 1) for side in (left, top, left + width, top + height)]


def _paragraphs(shape: ET.Element) -> Iterator[tuple[str, int]]:
    """Yield the non-blank paragraphs of a shape, and their depths."""
    for paragraph in below(shape, frozenset({"p"}), frozenset()):
        text = "".join(" " if local(one) == "br" else one.text or "" for one in below(paragraph, _TEXTS, frozenset()))
        depth = attribute(child(paragraph, "pPr"), "lvl") or "0"
        if text.strip():
            yield " ".join(text.split()), min(int(depth), 8) if depth.isdigit() else 0


def _cell(cell: ET.Element) -> str:
    return " ".join(text for text, _ in _paragraphs(cell))
