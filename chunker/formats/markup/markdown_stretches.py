"""Spans of Markdown that only a full parser can decide.

pulldown-cmark (pyromark) parses CommonMark with tables and footnotes, and says where each block and each word of markup
is. Making Python objects of them costs more than parsing, so it is asked about no more than has to be: from where plain blocks end

    - one              the stretch begins here
    - [ ] two
                       and ends after a blank line,
    Some words         before a line that no open block can claim

and twice as much where a fence or HTML is still open there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyromark

from chunker.formats.expressions import re
from chunker.formats.markup.markdown_lists import plain_list, tell
from chunker.formats.markup.markdown_reader import Reader

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES
_LIST_MARKS = frozenset("-+*0123456789")

# A place where a stretch for the parser may end: the next line continues no list, quote or paragraph.
# It is searched after lines that are not blank; otherwise each blank line would be read again for each one before it.
_STRETCH_END = re.compile(
    r"""
    \n (?: (?<=[^ \t\n]\n) | (?<=[^ \t\n][ ]\n) | (?<=[^ \t\n][ ]{2}\n) | (?<=[^ \t\n][ ]{3}\n) )
    ([ \t]*\n) (?: [ \t]*\n )*+ (?= [^\s*+0-9-] | \*{1,2} [^\s*] )
    """,
    re.VERBOSE,
)
# The starts of blocks that continue across any lines: fences, and HTML with an end of its own.
_OPENER = re.compile(r"^[ ]{0,3}(?:```|~~~|<(?:script|pre|style|textarea|[!?]))", re.MULTILINE | re.IGNORECASE)

_CONTAINERS = {"BlockQuote": "quote", "List": "list", "FootnoteDefinition": "footnote"}
_MATH = re.compile(r"\$\$(?s:.+)\$\$\s*")
_LEAVES = frozenset({"Paragraph", "Heading", "CodeBlock", "HtmlBlock", "Table"})


def read_stretch(copy: str, start: int, reader: Reader) -> int:
    """Parse a stretch that begins at `start`, and tell about it; where it ends."""
    size = 0
    while True:
        found = _STRETCH_END.search(copy, start + size)
        if found is None:
            parse(copy, start, len(copy), reader)
            return len(copy)
        end = found.end()
        if not size and copy[start] in _LIST_MARKS:
            steps = plain_list(copy, start, end)
            if steps is not None:
                tell(steps, reader)
                return end
        stretch = copy[start:end]
        if _OPENER.search(stretch) is None:
            parse(copy, start, end, reader)
            return end
        events = list(_events(stretch))
        if not _is_open(events, found.start(1) - start):
            _Stretch(copy, start, end, reader).read(iter(events))
            return end
        # Something at the end of the stretch is not closed yet. Twice as much each time: linear in the end.
        size = 2 * (end - start)


def parse(copy: str, start: int, end: int, reader: Reader) -> None:
    """Tell `reader` what the parser says of `copy[start:end]`, where no block is open at either end."""
    _Stretch(copy, start, end, reader).read(_events(copy[start:end]))


def _events(stretch: str) -> Iterator[tuple[Any, Any]]:
    return iter(pyromark.events_with_range(stretch, options=_OPTIONS, merge_text=True))


def _is_open(events: list[tuple[Any, Any]], blank: int) -> bool:
    """Whether the last block goes on at the blank line that ends the stretch; then it is not closed."""
    if not events:
        return False
    event, span = events[-1]
    return event.__class__ is dict and event.get("End") in ("CodeBlock", "HtmlBlock") and span["end"] > blank


class _Stretch:
    """A stretch of the copy, and how much of it the reader knows."""

    def __init__(self, copy: str, start: int, end: int, reader: Reader) -> None:
        self._copy = copy
        self._start = start
        self._end = end
        self._reader = reader
        self._told = start  # the reader knows about the lines before
        self._line = start, start  # the line that was asked for last
        self._prose: tuple[int, int] | None = None  # in a tight list a paragraph has no event of its own

    def read(self, events: Iterator[tuple[Any, Any]]) -> None:
        """Tell the reader what the parser says, and about the lines that it is silent on."""
        leaf_end = self._start
        rows: list[int] = []
        for event, span in events:
            start = self._start + span["start"]
            if event.__class__ is dict:
                tag = event.get("Start") or event.get("End")
                name = tag if tag.__class__ is str or tag is None else next(iter(tag))
                if name in _CONTAINERS or name == "Item":
                    self._end_prose()
                    self._container(name, start, begins="Start" in event)
                elif start >= leaf_end and name in _LEAVES:
                    self._end_prose()
                    leaf_end = self._start + span["end"]
                    if name != "Table":
                        self._leaf(name, tag, start, leaf_end)
                elif name == "Table":
                    self._reader.table(*self._lines(start, leaf_end), rows)
                    rows = []
                elif name == "TableRow" and "Start" in event:
                    rows.append(self._line_start(start))
                elif start >= leaf_end:
                    self._inline(start, self._start + span["end"])
            elif event == "Rule":
                self._end_prose()
                leaf_end = self._start + span["end"]
                self._reader.leaf(*self._lines(start, leaf_end), "rule")
            elif start >= leaf_end:
                self._inline(start, self._start + span["end"])
        self._end_prose()
        if self._told < self._end:
            self._reader.lines(self._told, self._end)

    def _container(self, name: str, start: int, *, begins: bool) -> None:
        if not begins:
            if name != "Item":
                self._reader.close()
            return
        # The parser lets a list that is indented by a tab begin with the line end before it.
        start = self._line_start(start + self._copy.startswith("\n", start))
        if start > self._told:
            self._reader.lines(self._told, start)
        if name == "Item":
            self._reader.item(start)
        else:
            self._reader.open(start, _CONTAINERS[name])
        self._told = max(self._told, self._line_end(start))

    def _leaf(self, name: str, tag: Any, start: int, end: int) -> None:  # noqa: ANN401  # what the parser made of it
        if name == "Paragraph":
            self._paragraph(start, end)
        elif name == "Heading":
            self._reader.heading(*self._lines(start, end), int(tag["Heading"]["level"][1:]))
        elif name == "CodeBlock":
            info = tag["CodeBlock"]
            self._reader.code(*self._lines(start, end), None if info == "Indented" else info["Fenced"])
        else:
            self._reader.leaf(*self._lines(start, end), "html")

    def _inline(self, start: int, end: int) -> None:
        if start < end:  # an empty cell at the end of a text stands after its table
            self._prose = (start if self._prose is None else self._prose[0]), end

    def _end_prose(self) -> None:
        if self._prose is not None:
            start, end = self._prose
            self._prose = None
            self._paragraph(start, end)

    def _paragraph(self, start: int, end: int) -> None:
        if self._copy.startswith("$$", start) and _MATH.fullmatch(self._copy, start, end):
            self._reader.leaf(*self._lines(start, end), "math")
        else:
            self._reader.paragraph(*self._lines(start, end))

    # --- lines

    def _lines(self, start: int, end: int) -> tuple[int, int]:
        """The lines of a leaf; those before it that nobody claims are told about, and from here on it is those after it."""
        start, end = self._line_start(start), self._line_end(max(start, end - 1))
        if start > self._told:
            self._reader.lines(self._told, start)
        self._told = max(self._told, end)
        return start, end

    def _line_start(self, offset: int) -> int:
        start, end = self._line
        if not start <= offset < end:
            start = self._copy.rfind("\n", self._start, offset) + 1 or self._start
            self._line = start, self._copy.find("\n", offset, self._end) + 1 or self._end
        return start

    def _line_end(self, offset: int) -> int:
        start, end = self._line
        if start <= offset < end:
            return end
        return self._copy.find("\n", offset, self._end) + 1 or self._end
