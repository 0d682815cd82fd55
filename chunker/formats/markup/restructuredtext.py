"""reStructuredText: sections by their adornments, then directives, items, rows and sentences.

    .. _guide:                     a target belongs to the next block
    Guide                section              scope "Guide"
    =====
    First. Second.       none; sentence       a title stays with the next block
    .. note::            block                its body is one level deeper; the first part stays with it
       Text.             none
    .. code-block:: c    block                kept whole if it fits
       int x;            none
    - one                block (list)
    - two                item
    ===  ===             block (table)        scope without a name: its header is repeated in a context
     a    b
    ===  ===
     1    2              none
     3    4              row
    ===  ===

A scan of lines and their indentation. `restructuredtext_blocks` has the stack of open blocks, and
`restructuredtext_directives` reads what begins with two dots. Every boundary except those of sentences is at a
line start. Section levels are in the order of the first use of their adornments. Directives that describe an object,
such as `.. function:: open(path)`, are scopes, too.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import ClassVar

from chunker.formats.declarations import LanguageNames
from chunker.formats.markup import restructuredtext_lines as rst
from chunker.formats.markup.restructuredtext_blocks import BLOCK, LOWEST, Blocks, OpenBlock
from chunker.formats.markup.restructuredtext_directives import read_explicit
from chunker.formats.markup.restructuredtext_lines import Line, is_adornment
from chunker.formats.markup.restructuredtext_restarts import RestructuredTextRestarts, TitledOutline
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Scope, Strength
from chunker.formats.restarting import Restarts
from chunker.formats.sections import sections

_ITEM = 2  # an item, relative to its contents


class RestructuredTextFormat:
    """reStructuredText, as parsed by docutils and Sphinx."""

    name: ClassVar[str] = "restructuredtext"
    languages: ClassVar[dict[str, LanguageNames]] = {"reStructuredText": {"suffixes": [".rst", ".rest"]}}
    language: str | None = name

    def outline(self, text: str) -> Outline:
        """Return the sections, directives, items, rows and sentences of `text`. The scopes are the sections, named by
        their titles, the objects that directives describe, and tables with a header.

        Linear; any str is reStructuredText.
        """
        if not text:
            return Outline([], finest=Strength.SENTENCE)
        return _Walk(text).outline()

    def restarts(self, _outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for resuming: see `chunker.formats.restarting`."""
        return RestructuredTextRestarts(_titled_outline, BLOCK)


def _titled_outline(text: str) -> TitledOutline:
    if not text:
        outline = TitledOutline([], finest=Strength.SENTENCE)
        outline.titles, outline.styles, outline.inner, outline.certain = [], [], {}, 0
        return outline
    walk = _Walk(text)
    found, blocks = walk.outline(), walk.blocks
    outline = TitledOutline.of_columns(found.offsets, found.strengths, found.labels, found.scopes, finest=found.finest)
    outline.titles, outline.styles, outline.inner = blocks.titles, list(blocks.levels), dict(blocks.inner)
    outline.certain = blocks.certain
    return outline


class _Walk:
    """One pass over the lines of one text."""

    def __init__(self, text: str) -> None:
        self.blocks = Blocks(text)

    def outline(self) -> Outline:
        """Read the whole text."""
        row = 0
        while row < len(self.blocks.lines):
            line = self.blocks.lines[row]
            self.blocks.close_to(line)
            row = self._section(row) or self._body(row)
        self.blocks.close_all(len(self.blocks.text))
        return self.blocks.columns.outline(sections(self.blocks.headings, len(self.blocks.text)))

    # --- sections

    def _section(self, row: int) -> int:
        """Read a title, if one begins on this line. Returns the row after it, 0 if there is none."""
        line = self.blocks.lines[row]
        if self.blocks.open or line.indent > 0:
            return 0
        if rst.ADORNMENT.match(line.text):
            title, under = self.blocks.at(row + 1), self.blocks.at(row + 2)
            if (
                title is not None
                and under is not None
                and not title.after_blank
                and not under.after_blank
                and under.text == line.text
                and is_adornment(title, under)
                and not rst.ADORNMENT.match(title.text)
            ):
                self.blocks.begin_section(line.start, title, line.text[0] * 2)
                return row + 3
            if len(line.text) >= 4 and line.after_blank and (title is None or title.after_blank):
                self.blocks.begin(line.start, "rule")
                return row + 1
            return 0
        under = self.blocks.at(row + 1)
        if (
            under is not None
            and not under.after_blank
            and under.indent == 0
            and is_adornment(line, under)
            and line.after_blank
        ):
            self.blocks.begin_section(line.start, line, under.text[0])
            return row + 2
        return 0

    # --- bodies: each method reads a block that begins at `row`, and returns the row after it

    def _body(self, row: int) -> int:
        line = self.blocks.lines[row]
        text = line.text
        if text[0] == "." and rst.EXPLICIT.match(text):
            return read_explicit(self.blocks, row)
        if text[0] == "_" and rst.TARGET.match(text):
            self.blocks.lead_by(row)
            return row + 1
        if text[0] == "+" and rst.GRID.match(text):
            return self._grid(row)
        if text[0] == "=" and rst.SIMPLE.match(text):
            return self._simple(row)
        if text[0] == "|" and rst.LINE_BLOCK.match(text):
            return self._leaf(row, self.blocks.after_block(row), "lines")
        if text[0] == ">" and rst.DOCTEST.match(text):
            return self._leaf(row, self.blocks.after_block(row), "code")
        for expression, label in rst.ITEMS.get(text[0], ()):
            match = expression.match(text)
            if match is not None and (expression is not rst.ENUMERATOR or self._is_enumerated(row, len(match[1]))):
                return self._item(row, match, label)
        return self._paragraph(row)

    def _leaf(self, row: int, end_row: int, label: str) -> int:
        self.blocks.leaf(row, end_row, label)
        return end_row

    def _paragraph(self, row: int) -> int:
        lines = self.blocks.lines
        line = lines[row]
        end_row = row + 1
        while end_row < len(lines) and not lines[end_row].after_blank and lines[end_row].indent == line.indent:
            end_row += 1
        after = self.blocks.at(end_row)
        indented = after is not None and after.indent > line.indent
        if indented and after is not None and not after.after_blank and end_row == row + 1:
            # A term, and its definition indented after it.
            self.blocks.begin(line.start, "item")
            self.blocks.enter(OpenBlock(after.indent, "definition", line.start))
            return end_row
        last = lines[end_row - 1]
        if line.text != "::":
            self.blocks.begin(line.start, "paragraph")
            self.blocks.columns.prose(line.start, last.end)
        if last.text.endswith("::"):
            end = self.blocks.after_body(end_row, line.indent) if indented else end_row
            if end > end_row:
                self.blocks.glued = self.blocks.glued or LOWEST
                return self._leaf(end_row, end, "code")
        return end_row

    def _is_enumerated(self, row: int, width: int) -> bool:
        """Whether this line is an item; False if the next line shows that it is text, such as "A. Einstein"."""
        line, after = self.blocks.lines[row], self.blocks.at(row + 1)
        if after is None or after.after_blank or after.indent != line.indent:
            return (
                after is None or after.after_blank or after.indent == line.indent + width or after.indent < line.indent
            )
        return rst.ENUMERATOR.match(after.text) is not None

    def _item(self, row: int, match: re.Match[str], label: str) -> int:
        line, after = self.blocks.lines[row], self.blocks.at(row + 1)
        if not (
            self.blocks.open and self.blocks.open[-1].kind == "list" and self.blocks.open[-1].indent == line.indent
        ):
            start = self.blocks.begin(line.start, "list")
            self.blocks.enter(OpenBlock(line.indent, "list", start))
            self.blocks.begin(line.start, label, bonus=_ITEM)
        else:
            self.blocks.glued = 0
            self.blocks.begin(line.start, label, bonus=_ITEM)
        indent = line.indent + len(match[1])
        if label != "item":
            # The content of a field is indented like its second line.
            indent = after.indent if after is not None and after.indent > line.indent else line.indent + 1
        self.blocks.enter(OpenBlock(indent, "item", line.start))
        end_row = row + 1
        if len(line.text) > len(match[1]) or label != "item":
            inner = line.text[len(match[1]) :]
            if label == "item" and (rst.BULLET.match(inner) or rst.ENUMERATOR.match(inner)):
                # "- - a": only the outer list is added; the inner one begins with its second item.
                return end_row
            while (
                end_row < len(self.blocks.lines)
                and not self.blocks.lines[end_row].after_blank
                and self.blocks.lines[end_row].indent == indent
            ):
                end_row += 1
            self.blocks.glued = 0
            self.blocks.columns.prose(line.start, self.blocks.end_before(end_row))
            if self.blocks.lines[end_row - 1].text.endswith("::"):
                end = self.blocks.after_body(end_row, indent - 1)
                following = self.blocks.at(end_row)
                if end > end_row and following is not None and following.indent > indent:
                    self.blocks.glued = LOWEST
                    return self._leaf(end_row, self.blocks.after_body(end_row, indent), "code")
        return end_row

    # --- tables

    def _grid(self, row: int) -> int:
        end_row = self.blocks.after_block(row)
        rows = self.blocks.lines[row:end_row]
        starts = [after.start for line, after in pairwise(rows) if line.text[0] == "+" and after.text[0] != "+"]
        header = next((line.end for line in rows if rst.GRID_HEADER.match(line.text)), None)
        self._table(rows, starts, header)
        return end_row

    def _simple(self, row: int) -> int:
        lines = self.blocks.lines
        borders = [row]
        at = row + 1
        while at < len(lines) and lines[at].indent >= lines[row].indent:
            if rst.SIMPLE.match(lines[at].text):
                borders.append(at)
                after = self.blocks.at(at + 1)
                if after is None or after.after_blank or len(borders) == 3:
                    break
            at += 1
        else:
            if at == len(lines):
                self.blocks.certain = min(self.blocks.certain, lines[row].start)  # the next border may follow
            if len(borders) == 1:
                return self._paragraph(row)
        end_row = borders[-1] + 1
        header = lines[borders[1]].end if len(borders) > 2 else None
        starts = [line.start for line in lines[row + 1 : end_row - 1] if line.indent == lines[row].indent]
        self._table(lines[row:end_row], starts, header)
        return end_row

    def _table(self, rows: list[Line], starts: list[int], header: int | None) -> None:
        """Add a table. `starts`: the starts of its rows; `header`: the end of its header, if there is one."""
        start, end = rows[0].start, rows[-1].end
        self.blocks.begin(start, "table", whole=True)
        first = header if header is not None else start
        below = [offset for offset in starts if offset >= first]
        strong = set(below[1:])  # the first row stays with the header
        for line in rows[1:-1] if rows[-1].text[0] in "+=" else rows[1:]:
            if line.start in strong:
                self.blocks.columns.put(line.start, Strength.LINE, "row")
            elif line.start > first:
                self.blocks.columns.put(line.start, Strength.SENTENCE - 1, "line")
        if header is not None and strong:
            self.blocks.columns.scopes.append(Scope(start, end, "", self.blocks.text[start:header]))
