"""DOCX: headings, paragraphs, items, tables and footnotes in the order of the body. Page headers and footers are
separate parts of the file, and left out.

Read with the standard library alone: the format is XML in a zip file, and of its two hundred elements a dozen have
text. A place is the number of the block in the body, from 1, and its page if Word has recorded page breaks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree import ElementTree as ET  # for its types; zipped.py parses

from chunker.errors import DamagedDocumentError
from chunker.files.readers import ReadText, TextBuilder
from chunker.files.readers.pages import table_text
from chunker.files.readers.zipped import Package, attribute, below, child, local

_BODY = "word/document.xml"
_TEXTS = frozenset(
    """t tab br cr noBreakHyphen footnoteReference endnoteReference lastRenderedPageBreak delText""".split()  # noqa: SIM905  # words are easier to read than strings
)
# Deleted and moved text, text in boxes (read separately), and replacements for older programs.
_SKIPPED = frozenset({"del", "moveFrom", "txbxContent", "Fallback", "instrText", "pPr", "rPr"})
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_LEVELS = 6
_DEEPEST = 32


@dataclass(slots=True)
class _Style:
    level: int | None = None  # of a heading, from 1; None for other text
    numbering: tuple[str, int] | None = None
    based_on: str | None = None


@dataclass(slots=True)
class _State:
    styles: dict[str, _Style]
    formats: dict[tuple[str, int], str]  # the formats of numberings: "bullet", "decimal", ...
    counts: dict[tuple[str, int], int] = field(default_factory=lambda: defaultdict(int))
    page: int = 1
    has_pages: bool = False


def read_word(content: bytes) -> ReadText:
    """Read a DOCX.

    Raises:
        DocumentError: It is encrypted, damaged, or unpacks to too much.
    """
    package = Package(content)
    body = child(package.xml(_BODY), "body")
    if body is None:
        raise DamagedDocumentError("it has no body")
    state = _State(_styles(package), _formats(package))
    state.has_pages = next(below(body, frozenset({"lastRenderedPageBreak"}), frozenset()), None) is not None
    builder = TextBuilder()
    for number, block in enumerate(_content(body), 1):
        first = state.page
        for text in _texts(block, state):
            builder.add(text, _place(number, first, state))
    for kind in ("footnote", "endnote"):
        for mark, text in _notes(package, kind):
            builder.add(f"[^{mark}]: {text}", {kind: mark})
    return builder.built()


def _place(block: int, page: int, state: _State) -> dict[str, Any]:
    return {"page": page, "block": block} if state.has_pages else {"block": block}


def _content(body: ET.Element) -> Iterator[ET.Element]:
    """Yield the paragraphs and tables of a body, including those in controls and tracked changes."""
    pending = list(reversed(body))
    while pending:
        block = pending.pop()
        if local(block) in {"p", "tbl"}:
            yield block
        elif local(block) in {"sdt", "sdtContent", "ins", "moveTo", "customXml", "smartTag"}:
            pending.extend(reversed(block))


def _texts(block: ET.Element, state: _State) -> Iterator[str]:
    if local(block) == "tbl":
        yield _table(block, state, 0)
        return
    yield _paragraph(block, state)
    for box in below(block, frozenset({"txbxContent"}), frozenset({"Fallback", "del"})):
        for inner in _content(box):
            yield _plain(inner, state) if local(inner) == "p" else _table(inner, state, 1)


def _paragraph(block: ET.Element, state: _State) -> str:
    text = _plain(block, state)
    if not text:
        return ""
    name = attribute(child(block, "pPr", "pStyle"), "val")
    level = _level(block, name, state)
    if level is not None:
        return f"{'#' * level} {' '.join(text.split())}"
    numbering = _numbering(block, name, state)
    if numbering is None or numbering[0] == "0":
        return text
    depth = numbering[1]
    if state.formats.get(numbering, "bullet") in {"bullet", "none"}:
        return f"{'  ' * depth}- {text}"
    state.counts[numbering] += 1
    for deeper in range(depth + 1, 9):
        state.counts.pop((numbering[0], deeper), None)
    return f"{'   ' * depth}{state.counts[numbering]}. {text}"


def _plain(block: ET.Element, state: _State) -> str:
    parts: list[str] = []
    for one in below(block, _TEXTS, _SKIPPED):
        name = local(one)
        if name == "t":
            parts.append(one.text or "")
        elif name == "lastRenderedPageBreak":
            state.page += 1
        elif name.endswith("Reference"):
            parts.append(f"[^{attribute(one, 'id')}]")
        elif name != "br" or attribute(one, "type") is None:
            parts.append(_SIGNS.get(name, ""))
    return "".join(parts).strip()


def _table(block: ET.Element, state: _State, depth: int) -> str:
    rows: list[list[str]] = []
    for row in (one for one in block if local(one) == "tr"):
        cells: list[str] = []
        for cell in (one for one in row if local(one) == "tc"):
            goes_on = (
                child(cell, "tcPr", "vMerge") is not None
                and attribute(child(cell, "tcPr", "vMerge"), "val") != "restart"
            )
            texts = [] if goes_on or depth > _DEEPEST else [_cell(inner, state, depth) for inner in _content(cell)]
            cells.append(" ".join(" ".join(text.split()) for text in texts if text))
            span = attribute(child(cell, "tcPr", "gridSpan"), "val") or "1"
            cells += [""] * (min(int(span), 64) - 1 if span.isdigit() else 0)
        rows.append(cells)
    return table_text(rows) if rows and any(map(any, rows)) else ""


def _cell(block: ET.Element, state: _State, depth: int) -> str:
    return _plain(block, state) if local(block) == "p" else _table(block, state, depth + 1).replace("\n", " ")


def _level(block: ET.Element, name: str | None, state: _State) -> int | None:
    own = attribute(child(block, "pPr", "outlineLvl"), "val")
    if own is not None and own.isdigit() and int(own) < _LEVELS:
        return int(own) + 1
    return next((style.level for style in _chain(name, state) if style.level is not None), None)


def _numbering(block: ET.Element, name: str | None, state: _State) -> tuple[str, int] | None:
    own = _number(child(block, "pPr", "numPr"))
    if own is not None:
        return own
    return next((style.numbering for style in _chain(name, state) if style.numbering is not None), None)


def _chain(name: str | None, state: _State) -> Iterator[_Style]:
    """Yield a style and those that it is based on."""
    seen: set[str] = set()
    while name is not None and name not in seen and name in state.styles:
        seen.add(name)
        yield state.styles[name]
        name = state.styles[name].based_on


def _number(properties: ET.Element | None) -> tuple[str, int] | None:
    number = attribute(child(properties, "numId"), "val")
    depth = attribute(child(properties, "ilvl"), "val") or "0"
    return None if number is None else (number, min(int(depth), 8) if depth.isdigit() else 0)


def _styles(package: Package) -> dict[str, _Style]:
    if not package.has("word/styles.xml"):
        return {}
    found: dict[str, _Style] = {}
    for one in package.xml("word/styles.xml"):
        if local(one) != "style" or attribute(one, "type") != "paragraph":
            continue
        name = (attribute(child(one, "name"), "val") or "").lower()
        outline = attribute(child(one, "pPr", "outlineLvl"), "val")
        level = None
        if name == "title":
            level = 1
        elif name.startswith("heading ") and name[8:].isdigit():
            level = min(int(name[8:]), _LEVELS)
        elif outline is not None and outline.isdigit() and int(outline) < _LEVELS:
            level = int(outline) + 1
        style = _Style(level, _number(child(one, "pPr", "numPr")), attribute(child(one, "basedOn"), "val"))
        found[attribute(one, "styleId") or ""] = style
    return found


def _formats(package: Package) -> dict[tuple[str, int], str]:
    if not package.has("word/numbering.xml"):
        return {}
    root = package.xml("word/numbering.xml")
    kinds: dict[str, dict[int, str]] = {}
    for one in root:
        if local(one) == "abstractNum":
            levels = (level for level in one if local(level) == "lvl")
            kinds[attribute(one, "abstractNumId") or ""] = {
                int(attribute(level, "ilvl") or 0): attribute(child(level, "numFmt"), "val") or "bullet"
                for level in levels
            }
    return {
        (attribute(one, "numId") or "", depth): kind
        for one in root
        if local(one) == "num"
        for depth, kind in kinds.get(attribute(child(one, "abstractNumId"), "val") or "", {}).items()
    }


def _notes(package: Package, kind: str) -> Iterator[tuple[str, str]]:
    name = f"word/{kind}s.xml"
    if not package.has(name):
        return
    state = _State({}, {})
    for note in package.xml(name):
        if attribute(note, "type") is None:  # the others are rules between text and notes
            text = " ".join(_plain(block, state) for block in _content(note))
            yield attribute(note, "id") or "", text.strip()
