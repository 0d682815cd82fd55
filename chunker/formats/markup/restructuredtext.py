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

A scan of lines and their indentation, with a stack of open blocks. Every boundary except those of sentences is at a
line start. Section levels are in the order of the first use of their adornments. Directives that describe an object,
such as `.. function:: open(path)`, are scopes, too.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from chunker.formats.code.parser_copies import copy_for_parsers
from chunker.formats.columns import Columns, Heading, sections
from chunker.formats.embedded import EmbeddedSpan
from chunker.formats.markup import restructuredtext_lines as rst
from chunker.formats.markup.restructuredtext_lines import Line, is_adornment, lines_of
from chunker.formats.outline import Outline, Scope, Strength

_SECTION = Strength.STRUCTURE + 1_000  # minus the level of the title
_BLOCK = Strength.STRUCTURE + 700  # minus three for each block around it
_ITEM = 2  # an item, relative to its contents
_APART = 1  # a block after two or more blank lines, relative to other blocks
_DEEPEST = 200
_KEPT = -2  # a block that should stay whole, after an introduction
_LOWEST = 40  # the lowest level of a section

# Directives whose content is not reStructuredText, or is not running text.
_VERBATIM = frozenset(
    """bibliography code code-block csv-table digraph doctest graph graphviz highlight ifconfig image index ipython jupyter-execute
    literalinclude math mermaid parsed-literal plot productionlist prompt raw runblock sourcecode tabularcolumns testcode testoutput testsetup
    uml""".split()  # noqa: SIM905  # a list of words is easier to read than a list of strings
)
_CODE = frozenset({"code", "code-block", "ipython", "prompt", "sourcecode", "testcode", "testsetup"})
# Directives that describe the next block.
_LEADING = frozenset(
    {
        "currentmodule",
        "highlight",
        "index",
        "module",
        "py:currentmodule",
        "py:module",
        "sectionauthor",
        "tabularcolumns",
    }
)
# Directives of Sphinx that describe an object.
_OBJECTS = re.compile(
    r"(?:\w+:)?(?:attribute|c?function|class|classmethod|constant|data|decorator|enum|exception|function|macro|member|method|namespace"
    r"|object|opcode|option|property|staticmethod|struct|type|union|var|variable)$"
)
_HEADER_ROWS = re.compile(r":header-rows:\s*([0-9]+)")


class RestructuredTextFormat:
    """reStructuredText, as parsed by docutils and Sphinx."""

    language: str | None = "restructuredtext"

    def outline(self, text: str) -> Outline:
        """Return the sections, directives, items, rows and sentences of `text`. The scopes are the sections, named by
        their titles, the objects that directives describe, and tables with a header.

        Linear; any str is reStructuredText.
        """
        if not text:
            return Outline([], finest=Strength.SENTENCE)
        return _Walk(text).outline()


class _Context(NamedTuple):
    """An open block: its content is indented by `indent` columns."""

    indent: int
    kind: str
    start: int
    name: str = ""


class _Walk:
    """One pass over the lines of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._copy = copy_for_parsers(text)
        self._columns = Columns(text, self._copy)
        self._lines = lines_of(self._copy, int(text.startswith("\ufeff")))
        self._open: list[_Context] = []
        self._headings: list[Heading] = []
        self._levels: dict[str, int] = {}
        self._glued = 0  # the level of the title directly before, _LOWEST for another introduction
        self._lead: int | None = None  # the start of the targets directly before

    def outline(self) -> Outline:
        """Read the whole text."""
        row = 0
        while row < len(self._lines):
            line = self._lines[row]
            self._close_to(line)
            row = self._section(row) or self._body(row)
        self._close_all(len(self._text))
        return self._columns.outline(sections(self._headings, len(self._text)))

    # --- what is open

    @property
    def _indent(self) -> int:
        return self._open[-1].indent if self._open else 0

    def _close_to(self, line: Line) -> None:
        """Close the blocks that this line does not belong to; open a quote if it is indented more than the innermost
        block.
        """
        while self._open and line.indent < self._open[-1].indent:
            self._close(line.start)
        if self._open and self._open[-1].kind == "list" and not self._is_item(line):
            self._close(line.start)
        if line.indent > self._indent:
            self._begin(line.start, "quote")
            self._enter(_Context(line.indent, "quote", line.start))

    def _close(self, end: int) -> None:
        context = self._open.pop()
        if context.name and end > context.start:
            self._columns.scopes.append(Scope(context.start, end, context.name))
        self._glued = 0

    def _close_all(self, end: int) -> None:
        while self._open:
            self._close(end)

    def _enter(self, context: _Context) -> None:
        self._open.append(context)
        self._glued = _LOWEST

    def _level(self) -> int:
        return _BLOCK - 3 * min(len(self._open), _DEEPEST)

    def _begin(self, start: int, label: str, *, whole: bool = False, bonus: int = 0) -> int:
        """Begin a block. Returns its start with the targets before it."""
        if self._lead is not None:
            start = self._lead
            self._lead = None
        if not self._glued:
            apart = self._copy.endswith("\n\n\n", 0, start)
            self._columns.put(start, self._level() + max(bonus, apart * _APART), label)
        elif whole:
            self._columns.put(start, self._level() + _KEPT, label)
        self._glued = 0
        return start

    def _is_item(self, line: Line) -> bool:
        return any(expression.match(line.text) for expression in (rst.BULLET, rst.ENUMERATOR, rst.FIELD, rst.OPTION))

    # --- sections

    def _section(self, row: int) -> int:
        """Read a title, if one begins on this line. Returns the row after it, 0 if there is none."""
        line = self._lines[row]
        if self._open or line.indent > 0:
            return 0
        if rst.ADORNMENT.match(line.text):
            title, under = self._at(row + 1), self._at(row + 2)
            if (
                title is not None
                and under is not None
                and not title.after_blank
                and not under.after_blank
                and under.text == line.text
                and is_adornment(title, under)
                and not rst.ADORNMENT.match(title.text)
            ):
                return self._title(line.start, title, row + 3, line.text[0] * 2)
            if len(line.text) >= 4 and line.after_blank and (title is None or title.after_blank):
                self._begin(line.start, "rule")
                return row + 1
            return 0
        under = self._at(row + 1)
        if (
            under is not None
            and not under.after_blank
            and under.indent == 0
            and is_adornment(line, under)
            and line.after_blank
        ):
            return self._title(line.start, line, row + 2, under.text[0])
        return 0

    def _title(self, start: int, title: Line, behind: int, style: str) -> int:
        level = min(self._levels.setdefault(style, len(self._levels) + 1), _LOWEST - 1)
        above, self._glued = self._glued, 0
        if self._lead is not None:
            start, self._lead = self._lead, None
        if not above or above >= level:
            self._columns.put(start, _SECTION - level, "section")
        self._headings.append(Heading(start, level, " ".join(self._text[title.text_start : title.end].split())))
        self._glued = level
        return behind

    def _at(self, row: int) -> Line | None:
        return self._lines[row] if row < len(self._lines) else None

    # --- bodies: each method reads a block that begins at `row`, and returns the row after it

    def _body(self, row: int) -> int:
        line = self._lines[row]
        text = line.text
        if text[0] == "." and rst.EXPLICIT.match(text):
            return self._explicit(row)
        if text[0] == "_" and rst.TARGET.match(text):
            return self._lead_by(row, row + 1)
        if text[0] == "+" and rst.GRID.match(text):
            return self._grid(row)
        if text[0] == "=" and rst.SIMPLE.match(text):
            return self._simple(row)
        if text[0] == "|" and rst.LINE_BLOCK.match(text):
            return self._leaf(row, self._behind_block(row), "lines")
        if text[0] == ">" and rst.DOCTEST.match(text):
            return self._leaf(row, self._behind_block(row), "code")
        for expression, label in (
            (rst.BULLET, "item"),
            (rst.ENUMERATOR, "item"),
            (rst.FIELD, "field"),
            (rst.OPTION, "option"),
        ):
            match = expression.match(text)
            if match is not None and (expression is not rst.ENUMERATOR or self._is_enumerated(row, len(match[1]))):
                return self._item(row, match, label)
        return self._paragraph(row)

    def _behind_block(self, row: int) -> int:
        """Return the row after this block of lines, which a blank line or a smaller indentation ends."""
        indent = self._lines[row].indent
        row += 1
        while row < len(self._lines) and not self._lines[row].after_blank and self._lines[row].indent >= indent:
            row += 1
        return row

    def _behind_body(self, row: int, indent: int) -> int:
        """Return the row after the lines from `row` on that are indented by more than `indent`."""
        while row < len(self._lines) and self._lines[row].indent > indent:
            row += 1
        return row

    def _end_of(self, behind: int) -> int:
        return self._lines[behind - 1].end

    def _leaf(self, row: int, behind: int, label: str) -> int:
        line = self._lines[row]
        self._begin(line.start, label, whole=True)
        self._columns.verbatim(line.start, self._end_of(behind))
        return behind

    def _paragraph(self, row: int) -> int:
        lines = self._lines
        line = lines[row]
        behind = row + 1
        while behind < len(lines) and not lines[behind].after_blank and lines[behind].indent == line.indent:
            behind += 1
        after = self._at(behind)
        indented = after is not None and after.indent > line.indent
        if indented and after is not None and not after.after_blank and behind == row + 1:
            # A term, and its definition indented after it.
            self._begin(line.start, "item")
            self._enter(_Context(after.indent, "definition", line.start))
            return behind
        last = lines[behind - 1]
        if line.text != "::":
            self._begin(line.start, "paragraph")
            self._columns.prose(line.start, last.end)
        if last.text.endswith("::"):
            end = self._behind_body(behind, line.indent) if indented else behind
            if end > behind:
                self._glued = self._glued or _LOWEST
                return self._leaf(behind, end, "code")
        return behind

    def _is_enumerated(self, row: int, width: int) -> bool:
        """Whether this line is an item; False if the next line shows that it is text, such as "A. Einstein"."""
        line, after = self._lines[row], self._at(row + 1)
        if after is None or after.after_blank or after.indent != line.indent:
            return (
                after is None or after.after_blank or after.indent == line.indent + width or after.indent < line.indent
            )
        return rst.ENUMERATOR.match(after.text) is not None

    def _item(self, row: int, match: re.Match[str], label: str) -> int:
        line, after = self._lines[row], self._at(row + 1)
        if not (self._open and self._open[-1].kind == "list" and self._open[-1].indent == line.indent):
            start = self._begin(line.start, "list")
            self._enter(_Context(line.indent, "list", start))
            self._begin(line.start, label, bonus=_ITEM)
        else:
            self._glued = 0
            self._begin(line.start, label, bonus=_ITEM)
        indent = line.indent + len(match[1])
        if label != "item":
            # The content of a field is indented like its second line.
            indent = after.indent if after is not None and after.indent > line.indent else line.indent + 1
        self._enter(_Context(indent, "item", line.start))
        behind = row + 1
        if len(line.text) > len(match[1]) or label != "item":
            inner = line.text[len(match[1]) :]
            if label == "item" and (rst.BULLET.match(inner) or rst.ENUMERATOR.match(inner)):
                # "- - a": only the outer list is added; the inner one begins with its second item.
                return behind
            while (
                behind < len(self._lines)
                and not self._lines[behind].after_blank
                and self._lines[behind].indent == indent
            ):
                behind += 1
            self._glued = 0
            self._columns.prose(line.start, self._end_of(behind))
            if self._lines[behind - 1].text.endswith("::"):
                end = self._behind_body(behind, indent - 1)
                following = self._at(behind)
                if end > behind and following is not None and following.indent > indent:
                    self._glued = _LOWEST
                    return self._leaf(behind, self._behind_body(behind, indent), "code")
        return behind

    # --- explicit markup

    def _explicit(self, row: int) -> int:
        line = self._lines[row]
        behind = self._behind_body(row + 1, line.indent)
        directive = rst.DIRECTIVE.match(line.text)
        if directive is not None:
            return self._directive(row, behind, directive)
        if rst.FOOTNOTE.match(line.text):
            self._begin(line.start, "footnote")
            body = self._at(row + 1)
            self._columns.prose(self._copy.find("]", line.text_start) + 1, line.end)
            if body is not None and behind > row + 1:
                self._enter(_Context(body.indent, "footnote", line.start))
            return row + 1
        if behind == row + 1 or rst.TARGET.match(line.text[2:].lstrip()):
            return self._lead_by(row, behind)
        return self._leaf(row, behind, "comment")

    def _lead_by(self, row: int, behind: int) -> int:
        """Add targets and short comments to the next block."""
        if self._lead is None and not self._glued:
            self._lead = self._lines[row].start
            self._columns.put(self._lead, self._level(), "target")
        return behind

    def _directive(self, row: int, behind: int, match: re.Match[str]) -> int:
        line = self._lines[row]
        name = match[1].lower()
        if name in _LEADING:
            return self._lead_by(row, behind)
        body = row + 1  # options and a continued argument stay with the directive
        while body < behind and not self._lines[body].after_blank:
            body += 1
        if name in _VERBATIM:
            self._begin(line.start, "code" if name in _CODE else name, whole=True)
            if body < behind:
                self._verbatim(name, row, body, behind, line.text[match.end() :])
            return behind
        argument = line.text[match.end() :].strip()
        self._begin(line.start, name, whole=name.endswith("table"))
        if name == "list-table":
            self._list_table(line, body, behind)
        if body < behind:
            known = " ".join(self._text[line.text_start + match.end() : line.end].split()) if _OBJECTS.match(name) else ""
            self._enter(_Context(self._lines[body].indent, name, line.start, known))
        elif argument:
            self._columns.prose(line.start, self._end_of(body))
        return body

    def _verbatim(self, name: str, row: int, body: int, behind: int, argument: str) -> None:
        start, first, end = self._lines[row].start, self._lines[body].start, self._end_of(behind)
        if name in _CODE:
            self._columns.code(EmbeddedSpan(first, end, self._lines[body].text_start - first), argument)
        else:
            self._columns.verbatim(first, end)
        if name == "csv-table":
            self._columns.scopes.append(Scope(start, end, "", self._text[start:first]))

    def _list_table(self, line: Line, body: int, behind: int) -> None:
        """Add a scope that repeats the header rows of a list table."""
        found = _HEADER_ROWS.search(self._copy, line.start, self._lines[body].start if body < behind else line.end)
        if found is None or body == behind:
            return
        indent = self._lines[body].indent
        rows = [row.start for row in self._lines[body:behind] if row.indent == indent and row.text[0] in "*-+"]
        header = int(found[1][:3])
        if 0 < header < len(rows):
            self._columns.scopes.append(
                Scope(line.start, self._end_of(behind), "", self._text[line.start : rows[header]])
            )

    # --- tables

    def _grid(self, row: int) -> int:
        behind = self._behind_block(row)
        rows = self._lines[row:behind]
        starts = [after.start for line, after in pairwise(rows) if line.text[0] == "+" and after.text[0] != "+"]
        header = next((line.end for line in rows if rst.GRID_HEADER.match(line.text)), None)
        self._table(rows, starts, header)
        return behind

    def _simple(self, row: int) -> int:
        lines = self._lines
        borders = [row]
        at = row + 1
        while at < len(lines) and lines[at].indent >= lines[row].indent:
            if rst.SIMPLE.match(lines[at].text):
                borders.append(at)
                after = self._at(at + 1)
                if after is None or after.after_blank or len(borders) == 3:
                    break
            at += 1
        else:
            if len(borders) == 1:
                return self._paragraph(row)
        behind = borders[-1] + 1
        header = lines[borders[1]].end if len(borders) > 2 else None
        starts = [line.start for line in lines[row + 1 : behind - 1] if line.indent == lines[row].indent]
        self._table(lines[row:behind], starts, header)
        return behind

    def _table(self, rows: list[Line], starts: list[int], header: int | None) -> None:
        """Add a table. `starts`: the starts of its rows; `header`: the end of its header, if there is one."""
        start, end = rows[0].start, rows[-1].end
        self._begin(start, "table", whole=True)
        first = header if header is not None else start
        below = [offset for offset in starts if offset >= first]
        strong = set(below[1:])  # the first row stays with the header
        for line in rows[1:-1] if rows[-1].text[0] in "+=" else rows[1:]:
            if line.start in strong:
                self._columns.put(line.start, Strength.LINE, "row")
            elif line.start > first:
                self._columns.put(line.start, Strength.SENTENCE - 1, "line")
        if header is not None and strong:
            self._columns.scopes.append(Scope(start, end, "", self._text[start:header]))
