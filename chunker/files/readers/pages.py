"""Convert the lines of pages to Markdown blocks: headings, paragraphs, items and tables, without text that repeats on
every page.

- **Running heads** and page numbers are dropped: lines near the upper or lower edge that occur at the same place on
  three pages, except for digits.
- **Headings** are short, and in a larger font than most of the text, or completely bold; the largest size is the first
  level.
- **Paragraphs** end before a line that is indented or further down, and after a short line that ends a sentence. A
  paragraph continues in the next column or on the next page if its sentence does. A word hyphenated at the end of a
  line is joined.
- **Items** begin with a bullet or a number.
- **Footnotes** come after the last paragraph of their column, including its continuation in the next column or page.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from chunker.errors import DocumentTooLargeError
from chunker.files.readers.footnotes import bind_marks, join_raised, mark_of, notes_below, refer, references_of
from chunker.files.readers.page_text import Block, Line, Page, Part, union
from chunker.files.readers.reading_order import Element, Table, reading_order
from chunker.formats.expressions import re

# Including the empty cells that make the rows of a table equally long.
MAX_CELLS = 10_000_000
_EDGE = 0.14  # share of the page height at its edges where running heads are
_REPEATED = 3  # pages
_FOOT = 0.7  # share of the page height below which a footnote may continue
_LARGER = 1.13
_LONGEST_HEADING = 200
_LEVELS = 6
_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_FIRST_NUMBER = re.compile(r"\A\W*(\d{1,4})\b")
_LAST_NUMBER = re.compile(r"\b(\d{1,4})\W*\Z")
# U+0088 is the bullet in LaTeX's own fonts, which do not declare their characters.
_BULLET = re.compile(r"[•◦▪▫‣⁃·●○■□–—*\uf0b7\uf0a7\x88-][ \t]+(?=\S)")
_NUMBER = re.compile(r"(?:\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d{1,3}\])[ \t]+(?=\S)")
_STOPS = (".", "!", "?", ":", ";", "。", "؟")
_MARKDOWN = re.compile(r"(?=#{1,6}[ \t]|>|```|~~~|\+[ \t])")


@dataclass(slots=True)
class _Paragraph:
    """Lines that belong together, all on one page."""

    lines: list[Line]
    page: int
    is_item: bool = False
    level: int = 0  # of a heading, from 1; 0 for other text
    mark: str = ""  # of a footnote
    rest: list[_Paragraph] = field(default_factory=list)  # of a footnote, on the pages after it

    @property
    def text(self) -> str:
        text = ""
        for line in self.lines:
            text = _joined(text, line.text)
        return text


def blocks_of(pages: list[Page]) -> Iterator[Block]:
    """Yield the blocks of all pages, in order. About linear in the lines."""
    for page in pages:
        join_raised(page)
    references = {page.number: references_of(page) for page in pages}
    _drop_running_heads(pages, references)
    body = _body_size(pages)
    for page in pages:
        bind_marks(page, references[page.number], body)
    levels = _levels(pages, body)
    found: list[_Paragraph | tuple[Table, int]] = []
    note: _Paragraph | None = None
    for page, runs in reading_order(pages, body):
        parted: list[tuple[Sequence[Element], list[_Paragraph]]] = []
        for run in runs:
            goes_on = note is not None and not (note.rest or [note])[-1].text.endswith(_STOPS)
            text, notes = notes_below(run, references[page.number], body, _FOOT * page.height if goes_on else None)
            own = [_Paragraph(one.lines, page.number, mark=one.mark) for one in notes]
            if note is not None and own and not own[0].mark:
                note.rest.append(own.pop(0))
            note = own[-1] if own else note
            parted.append((text, own))
        marks = frozenset(one.mark for _, own in parted for one in own)
        for text, own in parted:
            refer(text, marks)
            lines: list[Line] = []
            for element in text:
                if isinstance(element, Table):
                    found += _paragraphs(lines, page.number)
                    found.append((element, page.number))
                    lines = []
                else:
                    lines.append(element)
            found += [*_paragraphs(lines, page.number), *own]
    for one in found:
        if isinstance(one, _Paragraph) and not one.mark:
            one.level = _level(one, body, levels)
    yield from _blocks(found)


def _drop_running_heads(pages: list[Page], references: Mapping[int, frozenset[str]]) -> None:
    at_edges = {page.number: _at_edges(page) for page in pages}
    seen: dict[object, set[int]] = defaultdict(set)
    for number, lines in at_edges.items():
        for line in lines:
            for mark in _marks(line, number, references[number]):
                seen[mark].add(number)
    least = min(_REPEATED, max(len(pages), 2))
    for page in pages:
        dropped = {
            id(line)
            for line in at_edges[page.number]
            if any(len(seen[mark]) >= least for mark in _marks(line, page.number, references[page.number]))
        }
        page.lines = [line for line in page.lines if id(line) not in dropped]


def _at_edges(page: Page) -> list[Line]:
    """Return the lines near the upper and lower edge that a gap separates from the text between."""
    edge = _EDGE * page.height
    found: list[Line] = []
    lines = sorted(page.lines, key=lambda line: line.box[1])
    for ordered, is_top in ((lines, True), (lines[::-1], False)):
        at_edge: list[Line] = []
        for line in ordered:
            inside = line.box[3] < edge if is_top else line.box[1] > page.height - edge
            if at_edge:
                nearest = at_edge[-1].box
                gap = line.box[1] - nearest[3] if is_top else nearest[1] - line.box[3]
                if gap > 0.6 * line.height:
                    found += at_edge
                    at_edge = []
            if not inside:
                break
            at_edge.append(line)
        else:
            found += at_edge
    return found


def _marks(line: Line, page: int, references: frozenset[str]) -> Iterator[object]:
    """Yield the features that a running head has on all pages: its text without numbers, its vertical position and its
    size; and the difference between the number at its start or end and the page number, unless the number is the mark
    of a footnote.
    """
    # The number of the page may be in the line, or far from it in a line of its own.
    text = _DIGITS.sub("#", line.text.lower())
    yield text.strip("# ") or "#", round(line.box[1] / 4), round(line.size)
    first = [] if mark_of(line, references) else _FIRST_NUMBER.findall(line.text)
    for number in {*first, *_LAST_NUMBER.findall(line.text)}:
        yield int(number) - page, round(line.box[1] / 4)


def _body_size(pages: list[Page]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            sizes[round(line.size * 2) / 2] += len(line.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _levels(pages: list[Page], body: float) -> list[float]:
    """Return the font sizes of headings, the largest first."""
    sizes = Counter(
        round(line.size * 2) / 2
        for page in pages
        for line in page.lines
        if line.size > _LARGER * body and len(line.text) > 1
    )
    return sorted(sizes, reverse=True)[: _LEVELS - 1]


def _level(paragraph: _Paragraph, body: float, levels: list[float]) -> int:
    text = paragraph.text
    if len(text) > _LONGEST_HEADING or not any(char.isalpha() for char in text):
        return 0
    size = round(paragraph.lines[0].size * 2) / 2
    if size > _LARGER * body and size in levels:
        return levels.index(size) + 1
    bold = all(line.bold for line in paragraph.lines) and not text.endswith((".", ",", ";"))
    return (
        min(len(levels) + 1, _LEVELS)
        if bold and len(paragraph.lines) <= 2 and size >= 0.95 * body and not _BULLET.match(text)
        else 0
    )


def _paragraphs(lines: list[Line], page: int) -> list[_Paragraph]:
    """Split a run of lines into paragraphs."""
    if not lines:
        return []
    right = sorted(line.box[2] for line in lines)[int(0.9 * (len(lines) - 1))]
    pitches = sorted(below.box[1] - above.box[1] for above, below in pairwise(lines) if below.box[1] > above.box[1])
    pitch = pitches[len(pitches) // 3] if pitches else 0.0
    found: list[_Paragraph] = []
    for number, line in enumerate(lines):
        is_item = bool(_BULLET.match(line.text) or _NUMBER.match(line.text))
        if not found or is_item or _begins(found[-1], line, lines[number - 1], pitch, right):
            found.append(_Paragraph([line], page, is_item))
        else:
            found[-1].lines.append(line)
    return found


def _begins(paragraph: _Paragraph, line: Line, above: Line, pitch: float, right: float) -> bool:
    """Whether a line begins a paragraph after the last line of another."""
    size = max(line.size, above.size)
    down = line.box[1] - above.box[1]
    if abs(line.size - above.size) > 0.12 * size or line.bold != above.bold:
        return line.bold != above.bold or down > 0.5 * size
    if down > max(1.35 * pitch, 0.1) and down > 1.35 * size:
        return True
    left = min(one.box[0] for one in paragraph.lines[1:]) if len(paragraph.lines) > 1 else paragraph.lines[0].box[0]
    if not paragraph.is_item and line.box[0] > left + 0.8 * size:
        return True
    if paragraph.is_item and len(paragraph.lines) == 1:
        return line.box[0] < above.box[0] - 0.8 * size or (
            line.box[0] <= above.box[0] + 1 and above.text.endswith(_STOPS) and _short(above, right)
        )
    return above.text.endswith(_STOPS) and _short(above, right) and line.box[0] <= left + 1


def _short(line: Line, right: float) -> bool:
    return line.box[2] < right - 0.15 * max(right - line.box[0], 1.0)


def _blocks(found: list[_Paragraph | tuple[Table, int]]) -> Iterator[Block]:
    parts: list[Part] = []  # the parts of a paragraph that may continue
    notes: list[Block] = []  # footnotes that wait for the end of the paragraph
    open_paragraph: _Paragraph | None = None
    for one in found:
        if isinstance(one, _Paragraph) and one.mark:
            note = [_part(one, _markdown(one))]
            for rest in one.rest:
                _continue(note, rest)
            notes.append(Block(note))
            continue
        if isinstance(one, _Paragraph) and open_paragraph is not None and _goes_on(open_paragraph, one):
            _continue(parts, one)
            open_paragraph = one
            continue
        if parts:
            yield Block(parts)
        yield from notes
        parts, notes, open_paragraph = [], [], None
        if isinstance(one, _Paragraph):
            parts = [_part(one, _markdown(one))]
            open_paragraph = one if not one.level else None
        else:
            table, page = one
            yield Block([Part(table_text(table.rows), page, table.box)])
    if parts:
        yield Block(parts)
    yield from notes


def _part(paragraph: _Paragraph, text: str) -> Part:
    return Part(text, paragraph.page, union([line.box for line in paragraph.lines]))


def _continue(parts: list[Part], rest: _Paragraph) -> None:
    """Append a continuation to the parts of a paragraph."""
    before = parts[-1]
    joined = _joined(before.text, rest.text)
    parts[-1] = before._replace(text=joined[: len(joined) - len(rest.text)])
    parts.append(_part(rest, rest.text))


def _goes_on(above: _Paragraph, below: _Paragraph) -> bool:
    """Whether a paragraph continues the previous one in the next column or on the next page."""
    moved = below.page != above.page or below.lines[0].box[1] < above.lines[-1].box[1]
    text = below.text
    return (
        moved
        and not below.level
        and not below.is_item
        and not above.text.endswith(_STOPS)
        and (text[:1].islower() or above.text.endswith("-"))
        and abs(above.lines[-1].size - below.lines[0].size) < 0.6
    )


def _markdown(paragraph: _Paragraph) -> str:
    text = paragraph.text
    if paragraph.mark:
        return f"[^{paragraph.mark}]: {text}"
    if paragraph.level:
        return f"{'#' * paragraph.level} {text}"
    if paragraph.is_item and _BULLET.match(text):
        return f"- {_BULLET.sub('', text, count=1)}"
    return f"\\{text}" if _MARKDOWN.match(text) else text


def table_text(rows: list[list[str]]) -> str:
    """Format rows as a Markdown table; the first row is the header.

    >>> print(table_text([["Item", "Price"], ["a|b", "1"]]))
    | Item | Price |
    | --- | --- |
    | a\\|b | 1 |
    """
    width = max(map(len, rows))
    if width * len(rows) > MAX_CELLS:
        raise DocumentTooLargeError(f"a table in it has {width:,} columns and {len(rows):,} rows")
    lines = [
        "| "
        + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in [*row, *[""] * (width - len(row))])
        + " |"
        for row in rows
    ]
    return "\n".join([lines[0], "| " + " | ".join(["---"] * width) + " |", *lines[1:]])


def _joined(text: str, more: str) -> str:
    """Join two lines of a paragraph, and a word that was hyphenated between them.

    >>> _joined("a para-", "graph"), _joined("the Anglo-", "Saxon"), _joined("one", "two"), _joined("", "one")
    ('a paragraph', 'the Anglo-Saxon', 'one two', 'one')
    """
    if not text:
        return more
    if text.endswith("-") and len(text) > 1 and text[-2].isalpha():
        return text[:-1] + more if more[:1].islower() else text + more
    return f"{text} {more}"
