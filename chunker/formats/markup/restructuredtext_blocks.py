"""The blocks of reStructuredText that are open while its lines are read, and the boundaries at which they begin.

    - one          "list" at 0, "item" at 2
      .. note::    "note" at 5
         Text.     <- belongs to all three
    Two            <- closes them: it is indented by 0

A block begins with a boundary, unless an introduction stands directly before it: a title, a directive, a target.
These stay with the block.
"""

from __future__ import annotations

from typing import NamedTuple

from chunker.formats.code.parser_copies import copy_for_parsers
from chunker.formats.columns import Columns
from chunker.formats.markup import restructuredtext_lines as rst
from chunker.formats.markup.restructuredtext_lines import Line, lines_of
from chunker.formats.markup.restructuredtext_restarts import LONGEST_TITLE, PARAGRAPH, Title
from chunker.formats.outline import Scope, Strength
from chunker.formats.sections import Heading

_SECTION = Strength.STRUCTURE + 1_000  # minus the level of the title
BLOCK = Strength.STRUCTURE + 700  # minus three for each block around it
_APART = 1  # a block after two or more blank lines, relative to other blocks
_DEEPEST = 200
_KEPT = -2  # a block that should stay whole, after an introduction
LOWEST = 40  # the lowest level of a section


class OpenBlock(NamedTuple):
    """An open block. Its content is indented by `indent` columns. `source` opens it and all blocks around it; "" if
    nothing short does.
    """

    indent: int
    kind: str
    start: int
    name: str = ""
    source: str = ""


class Blocks:
    """The lines of a text, the blocks that are open, and the boundaries, titles and scopes found so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.copy = copy_for_parsers(text)
        self.columns = Columns(text, self.copy)
        self.lines = lines_of(self.copy, int(text.startswith("\ufeff")))
        self.open: list[OpenBlock] = []
        self.headings: list[Heading] = []
        self.levels: dict[str, int] = {}
        self.titles: list[Title] = []
        self.inner: list[tuple[int, str]] = []  # the starts of blocks directly in directives, and what opens these
        self.certain = len(text)  # no text after this one can change how it is read up to here
        self.glued = 0  # the level of the title directly before, LOWEST for another introduction
        self._lead: int | None = None  # the start of the targets directly before

    @property
    def _indent(self) -> int:
        return self.open[-1].indent if self.open else 0

    def close_to(self, line: Line) -> None:
        """Close the blocks that this line does not belong to; open a quote if it is indented more than the innermost
        block.
        """
        while self.open and line.indent < self.open[-1].indent:
            self._close(line.start)
        if self.open and self.open[-1].kind == "list" and not self._is_item(line):
            self._close(line.start)
        if line.indent > self._indent:
            self.begin(line.start, "quote")
            self.enter(OpenBlock(line.indent, "quote", line.start))

    def _close(self, end: int) -> None:
        block = self.open.pop()
        if block.name and end > block.start:
            self.columns.scopes.append(Scope(block.start, end, block.name))
        self.glued = 0

    def close_all(self, end: int) -> None:
        """Close all blocks at the end of the text."""
        while self.open:
            self._close(end)

    def enter(self, block: OpenBlock) -> None:
        """Open a block: the next lines are its content, if they are indented enough."""
        self.open.append(block)
        self.glued = LOWEST

    def opening(self, line: Line, indent: int) -> str:
        """Return text that opens again the directive of this line, with content indented by `indent` columns, and all
        blocks around it; "" if the blocks around are not directives, or a line is long.
        """
        around = self.open[-1].source if self.open else PARAGRAPH
        if not around or len(line.text) > LONGEST_TITLE:
            return ""
        source = self.text[line.text_start : line.text_start + len(line.text)]
        return f"{around}{' ' * line.indent}{source}\n\n{' ' * indent}{PARAGRAPH}"

    def _level(self) -> int:
        return BLOCK - 3 * min(len(self.open), _DEEPEST)

    def begin(self, start: int, label: str, *, whole: bool = False, bonus: int = 0) -> int:
        """Begin a block. Returns its start with the targets before it."""
        if self._lead is not None:
            start = self._lead
            self._lead = None
        if not self.glued:
            apart = self.copy.endswith("\n\n\n", 0, start)
            self.columns.put(start, self._level() + max(bonus, apart * _APART), label)
            if self.open and self.open[-1].source and label != "quote":
                self.inner.append((start, self.open[-1].source))
        elif whole:
            self.columns.put(start, self._level() + _KEPT, label)
        self.glued = 0
        return start

    def _is_item(self, line: Line) -> bool:
        return any(expression.match(line.text) for expression, _ in rst.ITEMS.get(line.text[0], ()))

    def lead_by(self, row: int) -> None:
        """Add the target or short comment at `row` to the next block."""
        if self._lead is None and not self.glued:
            self._lead = self.lines[row].start
            self.columns.put(self._lead, self._level(), "target")

    def begin_section(self, start: int, title: Line, style: str) -> None:
        """Begin a section. The order in which the styles of adornments appear makes their levels."""
        level = min(self.levels.setdefault(style, len(self.levels) + 1), LOWEST - 1)
        level_before, self.glued = self.glued, 0
        if self._lead is not None:
            start, self._lead = self._lead, None
        if not level_before or level_before >= level:
            self.columns.put(start, _SECTION - level, "section")
        name = " ".join(self.text[title.text_start : title.end].split())
        self.headings.append(Heading(start, level, name))
        self.titles.append(Title(start, level, name, style, len(self.levels)).after(self.titles))
        self.glued = level

    def at(self, row: int) -> Line | None:
        """Return the line of this row, None after the last one."""
        return self.lines[row] if row < len(self.lines) else None

    def after_block(self, row: int) -> int:
        """Return the row after this block of lines, which a blank line or a smaller indentation ends."""
        indent = self.lines[row].indent
        row += 1
        while row < len(self.lines) and not self.lines[row].after_blank and self.lines[row].indent >= indent:
            row += 1
        return row

    def after_body(self, row: int, indent: int) -> int:
        """Return the row after the lines from `row` on that are indented by more than `indent`."""
        while row < len(self.lines) and self.lines[row].indent > indent:
            row += 1
        return row

    def end_before(self, row: int) -> int:
        """Return the end of the line before this row."""
        return self.lines[row - 1].end

    def leaf(self, row: int, after: int, label: str) -> None:
        """Add the lines from `row` to `after` as one block, which is not read any further."""
        line = self.lines[row]
        self.begin(line.start, label, whole=True)
        self.columns.verbatim(line.start, self.end_before(after))
