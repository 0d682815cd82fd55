r"""Offsets where parsing of HTML can resume: most tags that open a block. The state to resume from is the open elements and
the headings of the open sections.

    <h1>Guide</h1>
    <div><ul>
      <li>one                the preamble there:
      <li>two                <h1>Guide</h1><div><ul><style></style>
      ^ from here

An open table is one whose header is known: the preamble repeats the table up to the row after its header, or has two
empty rows if it has none. The reader records the states (`States`); their compiled twin is
chunker/cpp/src/formats/html_states.cpp.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from html import escape
from typing import NamedTuple

from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline
from chunker.formats.restarting import Restarts

_NONE = -1
# Characters of the elements, the tables or the titles of a preamble; a longer one costs more than it saves.
_LONGEST = 4_000
_EMPTY_ROWS = "<tr></tr><tr></tr>"
# An element without content: after it, no tag or text continues what is in the preamble.
_END = "<style></style>\n"


class OpenElement(NamedTuple):
    """An element in the state: the one around it, by its number, and its name. Of a table with a header also the span of
    the text up to the row after the header, and the tags that close what is open there.
    """

    parent: int
    name: str
    start: int = 0
    end: int = 0
    closing: str = ""


class OpenSection(NamedTuple):
    """A section in the state: the one around it, by its number, how many elements are around its heading, of those that
    end sections; its level, and the span of its title.
    """

    parent: int
    depth: int
    level: int
    start: int = 0
    end: int = 0


class RestartState(NamedTuple):
    """An offset where parsing can resume: the innermost open element and section, by their numbers; -1 for none."""

    offset: int
    element: int
    section: int


class States:
    """The states of a reader of HTML at the offsets where parsing can resume."""

    def __init__(self) -> None:
        self.places: list[RestartState] = []
        self.elements: list[OpenElement] = []
        self.sections: list[OpenSection] = []
        self._sizes: list[int] = []  # of the preambles of the elements
        self._title_sizes: list[int] = []  # of those of the sections
        self._in_tables: list[bool] = []  # whether a section, or one around it, begins inside a table
        self._section = _NONE

    def open(self, parent: int, name: str) -> int:
        """Record that an element is open inside `parent`. Returns its number."""
        size = len(name) + 2 + (self._sizes[parent] if parent != _NONE else 0)
        self.elements.append(OpenElement(parent, name))
        self._sizes.append(size)
        return len(self.elements) - 1

    def begin_rows(self, number: int, start: int, end: int, closing: str) -> None:
        """Record that text[start:end] of a table ends with the row after its header."""
        self.elements[number] = self.elements[number]._replace(start=start, end=end, closing=closing)
        self._sizes[number] += end - start + len(closing)

    def begin_section(self, depth: int, level: int, *, in_table: bool) -> None:
        """Record a heading, which ends the sections of its level and of lower ones."""
        while self._section != _NONE and self.sections[self._section].level >= level:
            self._section = self.sections[self._section].parent
        parent = self._section
        self.sections.append(OpenSection(parent, depth, level))
        self._title_sizes.append(0)
        self._in_tables.append(in_table or (parent != _NONE and self._in_tables[parent]))
        self._section = len(self.sections) - 1

    def end_title(self, start: int, end: int) -> None:
        """Record the span of the title of the last heading."""
        self.sections[-1] = self.sections[-1]._replace(start=start, end=end)
        parent = self.sections[-1].parent
        self._title_sizes[-1] = end - start + (self._title_sizes[parent] if parent != _NONE else 0)

    def close(self, depth: int) -> None:
        """Record that all elements but the outermost `depth` are closed."""
        while self._section != _NONE and self.sections[self._section].depth > depth:
            self._section = self.sections[self._section].parent

    def place(self, offset: int, element: int) -> RestartState | None:
        """Return the state at `offset`, inside `element`; None if its preamble is too long, or if the sections would end
        with a table.
        """
        section = self._section
        if section != _NONE and (self._in_tables[section] or self._title_sizes[section] > _LONGEST):
            return None
        if element != _NONE and self._sizes[element] > _LONGEST:
            return None
        return RestartState(offset, element, section)

    def has_rows(self, number: int) -> bool:
        """Whether the row after the header of a table is known."""
        return self.elements[number].end > 0

    def columns(self) -> Found:
        """Return all that was recorded."""
        return self.places, self.elements, self.sections


Found = tuple[list[RestartState], list[OpenElement], list[OpenSection]]


class HtmlRestarts(Restarts):
    """Restart rules for HTML. `states_of` returns the states of a text, `title_of` the title of a heading from its
    source.
    """

    def __init__(self, outline: OutlineOf, states_of: Callable[[str], Found], title_of: Callable[[str], str]) -> None:
        super().__init__(outline)
        self._states_of = states_of
        self._title_of = title_of
        self._known: tuple[str, list[int], Found] = ("", [], ([], [], []))

    def places(self, text: str, _outline: Outline, start: int, /) -> list[int]:
        """Return the tags that open a block, outside of headings and not directly after one, before the first tag with a
        missing quotation mark.
        """
        offsets = self._read(text)[0]
        return offsets[bisect_left(offsets, start) :]

    def preamble(self, text: str, _outline: Outline, place: int, /) -> str:
        """Return the tags of the open elements, and the titles of the open sections."""
        offsets, (places, elements, sections) = self._read(text)
        _, number, section = places[bisect_left(offsets, place)]
        opened = []
        while number != _NONE:
            number, name, start, end, closing = elements[number]
            opened.append(f"\n{text[start:end]}{closing}" if end else f"<{name}>{_EMPTY_ROWS * (name == 'table')}")
        opened.append("")
        opened.reverse()
        titles = [""] * len(opened)
        while section != _NONE:
            section, depth, level, start, end = sections[section]
            title = escape(self._title_of(text[start:end]), quote=False)
            titles[depth] = f"<h{level}>{title}</h{level}>{titles[depth]}"
        return "".join(tag + title for tag, title in zip(opened, titles, strict=True)) + _END

    def _read(self, text: str) -> tuple[list[int], Found]:
        if self._known[0] is not text:
            found = self._states_of(text)
            self._known = text, [place[0] for place in found[0]], found
        return self._known[1:]
