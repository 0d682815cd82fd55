"""Spans of Markdown that only a full parser can decide.

pulldown-cmark (pyromark) parses CommonMark with tables and footnotes, and reports the span of each block and each
inline element. Creating Python objects for them costs more than parsing, so it parses as little as possible: from the
end of the plain blocks

    - one              the span begins here
    - [ ] two
                       and ends after a blank line,
    Some words         before a line that cannot belong to an open block

and twice as much if a fence or HTML is still open there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyromark

from chunker.formats.expressions import re
from chunker.formats.markup.markdown_handler import BlockHandler

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES

# The end of a span for the parser: the next line continues no list, quote or paragraph. Searched only after non-blank
# lines; otherwise each blank line would be read again for each one before it.
_SPAN_END = re.compile(
    r"""
    \n (?: (?<=[^ \t\n]\n) | (?<=[^ \t\n][ ]\n) | (?<=[^ \t\n][ ]{2}\n) | (?<=[^ \t\n][ ]{3}\n) )
    ([ \t]*\n) (?: [ \t]*\n )*+ (?= [^\s*+0-9-] | \*{1,2} [^\s*] )
    """,
    re.VERBOSE,
)
# The starts of blocks that may contain any lines: fences, and HTML with an end of its own.
_OPENER = re.compile(r"^[ ]{0,3}(?:```|~~~|<(?:script|pre|style|textarea|[!?]))", re.MULTILINE | re.IGNORECASE)
# HTML with an end of its own; any other ends at a blank line.
_WITH_ITS_END = re.compile(r"[ ]{0,3}<(?:script|pre|style|textarea|[!?])", re.IGNORECASE)

_CONTAINERS = {"BlockQuote": "quote", "List": "list", "FootnoteDefinition": "footnote"}
_MATH = re.compile(r"\$\$(?s:.+)\$\$\s*")
_LEAVES = frozenset({"Paragraph", "Heading", "CodeBlock", "HtmlBlock", "Table"})


def read_span(copy: str, start: int, handler: BlockHandler) -> int:
    """Parse a span that begins at `start`, and report its blocks. Returns its end."""
    size = 0
    while True:
        found = _SPAN_END.search(copy, start + size)
        if found is None:
            parse(copy, start, len(copy), handler)
            return len(copy)
        end = found.end()
        text = copy[start:end]
        if _OPENER.search(text) is None:
            parse(copy, start, end, handler)
            return end
        events = list(_events(text))
        if not _is_open(events, found.start(1) - start):
            _SpanReader(copy, start, end, handler).read(iter(events))
            return end
        # A block at the end of the span is not closed yet. Doubling the span each time keeps the total linear.
        size = 2 * (end - start)


def parse(copy: str, start: int, end: int, handler: BlockHandler) -> None:
    """Report the blocks that the parser finds in `copy[start:end]` to `handler`; no block is open at either end."""
    _SpanReader(copy, start, end, handler).read(_events(copy[start:end]))


def _events(text: str) -> Iterator[tuple[Any, Any]]:
    return iter(pyromark.events_with_range(text, options=_OPTIONS, merge_text=True))


def _is_open(events: list[tuple[Any, Any]], blank: int) -> bool:
    """Whether the last block continues at the blank line that ends the span, so that it is not closed."""
    if not events:
        return False
    event, span = events[-1]
    return event.__class__ is dict and event.get("End") in ("CodeBlock", "HtmlBlock") and span["end"] > blank


class _SpanReader:
    """A span of the copy, and how much of it has been reported."""

    def __init__(self, copy: str, start: int, end: int, handler: BlockHandler) -> None:
        self._copy = copy
        self._start = start
        self._end = end
        self._handler = handler
        self._told = start  # the lines before have been reported
        self._line = start, start  # the span of the line that was requested last
        self._prose: tuple[int, int] | None = None  # in a tight list a paragraph has no event of its own

    def read(self, events: Iterator[tuple[Any, Any]]) -> None:
        """Report the blocks that the parser found, and the lines that belong to none."""
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
                    self._handler.table(*self._lines(start, leaf_end), rows)
                    rows = []
                elif name == "TableRow" and "Start" in event:
                    rows.append(self._line_start(start))
                elif start >= leaf_end:
                    self._inline(start, self._start + span["end"])
            elif event == "Rule":
                self._end_prose()
                leaf_end = self._start + span["end"]
                self._handler.leaf(*self._lines(start, leaf_end), "rule")
            elif start >= leaf_end:
                self._inline(start, self._start + span["end"])
        self._end_prose()
        if self._told < self._end:
            self._handler.lines(self._told, self._end)

    def _container(self, name: str, start: int, *, begins: bool) -> None:
        if not begins:
            if name != "Item":
                self._handler.close()
            return
        # For a list that is indented by a tab, the parser reports the line end before it as its start.
        start = self._line_start(start + self._copy.startswith("\n", start))
        if start > self._told:
            self._handler.lines(self._told, start)
        if name == "Item":
            self._handler.item(start)
        else:
            self._handler.open(start, _CONTAINERS[name])
        self._told = max(self._told, self._line_end(start))

    def _leaf(self, name: str, tag: Any, start: int, end: int) -> None:  # noqa: ANN401  # what the parser made of it
        if name == "Paragraph":
            self._paragraph(start, end)
        elif name == "Heading":
            self._handler.heading(*self._lines(start, end), int(tag["Heading"]["level"][1:]))
        elif name == "CodeBlock":
            info = tag["CodeBlock"]
            self._handler.code(*self._lines(start, end), None if info == "Indented" else info["Fenced"])
        else:
            if _WITH_ITS_END.match(self._copy, start) is None:
                # A blank line with more indentation than its list is, for the parser, a part of the HTML that it ends.
                end = start + len(self._copy[start:end].rstrip(" \t\n"))
            self._handler.leaf(*self._lines(start, end), "html")

    def _inline(self, start: int, end: int) -> None:
        if start < end:  # an empty cell at the end of a text is reported after its table
            self._prose = (start if self._prose is None else self._prose[0]), end

    def _end_prose(self) -> None:
        if self._prose is not None:
            start, end = self._prose
            self._prose = None
            self._paragraph(start, end)

    def _paragraph(self, start: int, end: int) -> None:
        if self._copy.startswith("$$", start) and _MATH.fullmatch(self._copy, start, end):
            self._handler.leaf(*self._lines(start, end), "math")
        else:
            self._handler.paragraph(*self._lines(start, end))

    # --- lines

    def _lines(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the lines of a leaf. Reports the lines before it that belong to no block."""
        start, end = self._line_start(start), self._line_end(max(start, end - 1))
        if start > self._told:
            self._handler.lines(self._told, start)
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
