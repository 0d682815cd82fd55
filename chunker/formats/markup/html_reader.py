"""The reader of HTML: it goes over the tags of a text in order, and finds its boundaries, scopes and restart states.

A boundary is before a tag that opens a block, or before the indentation of its line. Tags need not match: an unmatched
end tag is ignored, and an unclosed element ends with the element around it, or where HTML says so (`<li>` ends an item,
any block a paragraph). Comments belong to the next block. Long scripts and style sheets are cut by their own formats.
The compiled twin is chunker/cpp/src/formats/html.cpp.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from html import unescape

from chunker.formats.code.parser_copies import copy_for_parsers
from chunker.formats.columns import Columns
from chunker.formats.embedded import EmbeddedSpan
from chunker.formats.expressions import re
from chunker.formats.markup.html_restarts import RestartState, States
from chunker.formats.markup.html_tags import (
    BARRIERS,
    BLOCKS,
    ENDED_BY,
    LABELS,
    RAW,
    SECTION_ENDS,
    TABLE_PARTS,
    VOID,
    Tag,
    tags,
)
from chunker.formats.outline import Outline, Scope, Strength
from chunker.formats.sections import Heading, sections
from chunker.formats.segmentation import prose_sentence_ends

_SECTION = Strength.STRUCTURE + 1_000  # minus the level of the heading
_BLOCK = Strength.STRUCTURE + 700  # minus _STEP for each block around it
_STEP = 3
_DEEPEST = 230
_KEPT = -2  # between a heading and a block that should stay whole
IN_HEADINGS = frozenset({"center", "div", "link", "meta"})  # any other block ends an unclosed heading
KEPT_WHOLE = frozenset({"code", "script", "style", "table", "textarea"})

_NONBLANK = re.compile(r"[^ \t\n]")
_ANY_TAG = re.compile(r"<[^<>]*+>")
_LANGUAGE_OF_SCRIPT = re.compile(r"""\btype\s*=\s*["']?[^"'\s>]*?(json|typescript|babel|python)""", re.IGNORECASE)
_OTHER_SCRIPT = re.compile(
    r"""\btype\s*=\s*["']?(?!module|text/javascript|application/javascript|application/ecmascript)[\w/]""",
    re.IGNORECASE,
)
_SHORT_COMMENT = 300  # characters of a comment that describes the next block


def read_html(text: str) -> HtmlReader:
    """Return the reader of a text, which has read all of it."""
    reader = HtmlReader(text)
    for tag in tags(reader.copy):
        reader.read(tag)
    reader.close()
    return reader


def language_of_tag(tag: str) -> str:
    """Return the language of the content of a script or style sheet, from its opening tag."""
    if tag[1:6].lower() == "style":
        return "css"
    if found := _LANGUAGE_OF_SCRIPT.search(tag):
        return {"babel": "javascript"}.get(found[1].lower(), found[1].lower())
    return "" if _OTHER_SCRIPT.search(tag) else "javascript"


def heading_text(source: str) -> str:
    """Return the text of a heading on one line, without its tags."""
    return " ".join(unescape(_ANY_TAG.sub(" " if "\n" in source else "", source)).split())


@dataclass(slots=True)
class _Element:
    """An open block. `start` is the offset of its boundary, `state` its number in the recorded states. The other fields are
    for tables: the end of the header, whether the first row has begun, its cells, whether a row after the header was
    met, and whether a section begins inside. The rows of a table header are those of the table before it.
    """

    name: str
    start: int
    header_end: int = 0
    rows: int = 0
    data_cells: int = 0
    header_cells: int = 0
    kept: bool = False
    tangled: bool = False
    state: int = -1


@dataclass(slots=True)
class _Opening:
    """Tags that have opened blocks that are still empty: they are not cut from each other."""

    start: int
    strength: int
    label: str
    glued: bool  # directly after a heading, or the header of a table
    place: RestartState | None  # the state before them, if parsing can resume there


class HtmlReader:
    """Reads the tags of one text in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.copy = copy_for_parsers(text)
        self._columns = Columns(text, self.copy)
        self._open: list[_Element] = []
        self._places: defaultdict[str, list[int]] = defaultdict(list)  # name -> indices into `_open`
        self._barriers: list[int] = []
        self._sectioning: list[int] = []
        self._opening: _Opening | None = None
        self._run: int | None = None  # the start of the text that continues
        self._after_break = False
        self._at = 0  # everything before is read
        self._headings: list[Heading] = []
        self._heading_start: int | None = None  # the start of the text of an open heading
        self._heading_place = 0  # the index of that heading in `_open`
        self._section_ends: dict[int, list[int]] = defaultdict(list)  # headings by the element that ends them
        self._glued = 0  # the level of the heading directly before, 0 if there is none
        self._quoted = True  # whether the tags so far have all their quotation marks
        self.states = States()

    def read(self, tag: Tag) -> None:
        """Handle a tag, and the text before it."""
        self._quoted = tag.quoted
        self._text_until(tag.start)
        if tag.name in BLOCKS and not self._is_stray(tag):
            self._end_run(tag.start)
            self._after_break = False
            if tag.closes:
                self._close(tag)
            else:
                self._begin(tag)
        elif tag.name in RAW:
            self._end_run(tag.start)
            self._raw(tag)
        elif tag.name == "!":
            self._comment(tag)
        elif tag.name == "br":
            self._break(tag)
        elif self._run is None and not tag.closes:
            self._begin_run(tag.start)
        self._at = tag.end

    def close(self) -> None:
        """Handle the end of the text."""
        size = len(self._text)
        self._text_until(size)
        self._end_run(size)
        self._pop_to(0, size)
        self._flush()

    def result(self) -> Outline:
        """Return the outline of the text that was read."""
        return self._columns.outline(sections(self._headings, len(self._text)))

    # --- blocks

    def _begin(self, tag: Tag) -> None:
        name = tag.name
        self._end_for(tag)
        start = self._columns.cut_before(tag.start)
        table = self._table() if name in ("tr", "thead") else None
        rows = table.rows if table is not None else 0
        heading = len(name) == 2 and name[0] == "h" and name[1] in "123456"
        if heading:
            self._begin_heading(int(name[1]), start, tag.end)
        elif name == "tr":
            self._begin_row(start)
        else:
            self._cell(name)
            self._opens(start, self._level(), LABELS.get(name, name))
        if name in VOID:
            self._flush()
            return
        opening = self._opening
        self._places[name].append(len(self._open))
        if name in BARRIERS:
            self._barriers.append(len(self._open))
        if name in SECTION_ENDS:
            self._sectioning.append(len(self._open))
        around = self._open[-1].state if self._open else -1
        element = _Element(name, start if opening is None else min(start, opening.start))
        element.state = self.states.open(around, name)
        self._open.append(element)
        if name == "table":
            element.start = start
            element.tangled = not self._is_cut(start, tag.start)
        elif name == "thead":
            element.rows = rows
        elif table is not None and table.kept and not self.states.has_rows(table.state):
            closed = self._open[self._places["table"][-1] + 1 :]
            closing = "".join(f"</{each.name}>" for each in reversed(closed))
            self.states.begin_rows(table.state, table.start, tag.end, closing)

    def _end_for(self, tag: Tag) -> None:
        """End the open elements that the tag ends."""
        name = tag.name
        if self._heading_start is not None and name not in IN_HEADINGS:
            self._pop_to(self._heading_place, tag.start)
        if self._open and self._open[-1].name == "p":
            self._pop_to(len(self._open) - 1, tag.start)
        ended = ENDED_BY.get(name)
        if ended is not None:
            keep = len(self._open)
            while keep and self._open[keep - 1].name in ended:
                keep -= 1
            self._pop_to(keep, tag.start)

    def _opens(self, start: int, strength: int, label: str, *, glued: bool = False) -> _Opening:
        opening = self._opening
        if opening is None:
            place = self._place(start)
            opening = self._opening = _Opening(start, strength, label, glued=bool(self._glued), place=place)
        elif strength > opening.strength or label in KEPT_WHOLE:
            opening.strength, opening.label = max(strength, opening.strength), label
        opening.glued |= glued
        return opening

    def _flush(self) -> None:
        """Add the boundary of the opened blocks, because they have content now: all begin where the first one does."""
        opening = self._opening
        self._opening = None
        if opening is None:
            return
        if not opening.glued:
            self._columns.put(opening.start, opening.strength, opening.label)
            if opening.place is not None:
                self.states.places.append(opening.place)
        elif opening.label in KEPT_WHOLE:
            self._columns.put(opening.start, opening.strength + _KEPT, opening.label)

    def _place(self, start: int) -> RestartState | None:
        """Return the state before a boundary at `start`; None if parsing cannot resume there."""
        if start <= self._columns.offsets[-1] or self._glued or self._after_break or self._heading_start is not None:
            return None
        if not self._quoted or self._places["thead"] or not all(map(self._is_known, self._places["table"])):
            return None
        return self.states.place(start, self._open[-1].state if self._open else -1)

    def _is_known(self, place: int) -> bool:
        """Whether the header of an open table is known, or that it has none."""
        table = self._open[place]
        if table.tangled or (table.header_end and not self.states.has_rows(table.state)):
            return False
        return table.header_end > 0 or table.rows > 1 or (table.rows == 1 and table.data_cells > 0)

    def _is_cut(self, start: int, tag: int) -> bool:
        """Whether there is only white space between a boundary and the tag after it."""
        return _NONBLANK.search(self.copy, start, tag) is None

    def _is_stray(self, tag: Tag) -> bool:
        """Whether the tag closes nothing: no element of its name is open, or only one around the table with this
        cell.
        """
        if not tag.closes:
            return False
        places = self._places.get(tag.name)
        barrier = self._barriers[-1] if self._barriers and tag.name not in TABLE_PARTS else -1
        return not places or places[-1] < barrier

    def _close(self, tag: Tag) -> None:
        self._flush()
        self._pop_to(self._places[tag.name][-1], tag.end)

    def _pop_to(self, keep: int, end: int) -> None:
        """Close all but the outermost `keep` blocks; the closed blocks end at `end`."""
        while len(self._open) > keep:
            element = self._open.pop()
            place = len(self._open)
            self._places[element.name].pop()
            self.states.close(place)
            if self._barriers and self._barriers[-1] == place:
                self._barriers.pop()
            if self._sectioning and self._sectioning[-1] == place:
                self._sectioning.pop()
            if self._heading_start is not None and element.name[0] == "h":
                self._end_heading(self._heading_start, end)
            for index in self._section_ends.pop(place, ()):
                self._headings[index] = self._headings[index]._replace(end=end)
            if element.name in TABLE_PARTS:
                self._end_part(element, end)

    def _level(self) -> int:
        return _BLOCK - _STEP * min(len(self._open), _DEEPEST)

    # --- headings

    def _begin_heading(self, level: int, start: int, text_start: int) -> None:
        place = self._sectioning[-1] if self._sectioning else None
        if place is not None and self._open[place].name not in ("article", "section"):
            self._opens(start, self._level(), "heading")
            return
        opening = self._opens(start, _SECTION - level, "section")
        opening.glued = 0 < self._glued < level
        self._headings.append(Heading(opening.start, level, ""))
        if place is not None:
            self._section_ends[place].append(len(self._headings) - 1)
        tables = self._places["table"]
        self.states.begin_section(0 if place is None else place + 1, level, in_table=bool(tables))
        if tables:
            self._open[tables[0]].tangled = True
        self._heading_start = text_start
        self._heading_place = len(self._open)

    def _end_heading(self, start: int, end: int) -> None:
        heading = self._headings[-1]
        self._headings[-1] = heading._replace(name=heading_text(self._text[start:end]))
        self.states.end_title(start, end)
        self._glued = heading.level
        self._heading_start = None

    # --- tables

    def _table(self) -> _Element | None:
        places = self._places["table"]
        return self._open[places[-1]] if places else None

    def _begin_row(self, start: int) -> None:
        table = self._table()
        glued = False
        if table is not None:
            table.rows += 1
            below_header = table.header_end > 0 and not table.kept
            table.kept |= below_header
            # The first row stays with the caption, and the row after the header with the header.
            glued = below_header or (table.rows == 1 and self._opening is None)
        self._opens(start, self._level(), "row", glued=glued)

    def _cell(self, name: str) -> None:
        table = self._table()
        if table is not None:
            table.data_cells += name == "td"
            table.header_cells += name == "th"

    def _end_part(self, element: _Element, end: int) -> None:
        if element.name == "table":
            if element.header_end and element.kept:
                self._columns.scopes.append(
                    Scope(element.start, end, "", self._text[element.start : element.header_end])
                )
            return
        table = self._table()
        if table is None or table.header_end:
            return
        only_headers = table.rows == 1 and table.header_cells and not table.data_cells
        # A table header after a row is like any other row.
        first = element.name == "thead" and not element.rows
        if first or (element.name == "tr" and only_headers and not self._places["thead"]):
            table.header_end = end

    # --- text

    def _text_until(self, end: int) -> None:
        if self._run is None and self._at < end:
            nonblank = _NONBLANK.search(self.copy, self._at, end)
            if nonblank is not None:
                self._begin_run(nonblank.start())

    def _begin_run(self, start: int) -> None:
        if self._after_break and self._opening is None:
            self._columns.put(self._columns.cut_before(start), Strength.LINE, "line")
        elif self._opening is None and not self._glued:
            self._columns.put(self._columns.cut_before(start), self._level(), "text")
        self._after_break = False
        self._flush()
        self._run = start
        if self._heading_start is None:
            self._glued = 0

    def _end_run(self, end: int) -> None:
        if self._run is None:
            return
        start, self._run = self._run, None
        if self._places["pre"]:
            self._columns.verbatim(start, end)
            return
        end = start + len(self.copy[start:end].rstrip(" \t\n"))
        text = self._text[start:end]
        if "<" in text:
            # A tag after a full stop must not hide the end of the sentence, and text inside a tag ends no sentence.
            text = _ANY_TAG.sub(lambda tag: ")" * len(tag[0]), text)
        self._columns.prose(start, end, [start + offset for offset in prose_sentence_ends(text)])

    def _break(self, tag: Tag) -> None:
        if self._heading_start is not None or self._places["pre"]:
            return
        if self._run is None:
            self._begin_run(tag.start)
        self._end_run(tag.end)
        self._after_break = True

    def _comment(self, tag: Tag) -> None:
        """Handle a comment, which belongs to the next block if one begins directly after it."""
        if self._run is not None:
            return
        self._opens(self._columns.cut_before(tag.start), self._level(), "comment")
        if tag.end - tag.start < _SHORT_COMMENT:
            return
        self._flush()
        self._columns.verbatim(tag.start, tag.end)
        self._glued = 0

    def _raw(self, tag: Tag) -> None:
        """Handle a script or style sheet, to its end."""
        self._opens(self._columns.cut_before(tag.start), self._level(), tag.name)
        self._flush()
        self._glued = 0
        # The tag stays with the first line.
        first = self.copy.find("\n", tag.content_start, tag.content_end) + 1
        if tag.name != "textarea" and first:
            last = max(first, self.copy.rfind("\n", first, tag.content_end) + 1)
            self._columns.code(EmbeddedSpan(first, last), language_of_tag(self._text[tag.start : tag.content_start]))
        else:
            self._columns.verbatim(tag.content_start, tag.content_end)
