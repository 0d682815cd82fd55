"""Explicit markup of reStructuredText: directives, footnotes, targets and comments.

.. note::              block; its body is one level deeper
.. code-block:: c      kept whole if it fits
.. function:: f(x)     a scope, named by its argument
.. list-table::        a scope that repeats the header rows
.. [1] Text            a footnote
.. _target:            belongs to the next block, as "index" and "module" do
.. Anything else       a comment

The content of a directive is read like the rest of the text, unless its name is in `_VERBATIM`.
"""

from __future__ import annotations

import re

from chunker.formats.embedded import EmbeddedSpan
from chunker.formats.markup import restructuredtext_lines as rst
from chunker.formats.markup.restructuredtext_blocks import Blocks, OpenBlock
from chunker.formats.markup.restructuredtext_lines import Line
from chunker.formats.outline import Scope

# Directives whose content is not reStructuredText, or is not running text.
_VERBATIM = frozenset(
    """bibliography code code-block csv-table digraph doctest graph graphviz highlight ifconfig image index ipython jupyter-execute
    literalinclude math mermaid parsed-literal plot productionlist prompt raw runblock sourcecode tabularcolumns testcode testoutput testsetup
    uml""".split()  # noqa: SIM905  # a list of words is easier to read than a list of strings
)
_CODE = frozenset({"code", "code-block", "ipython", "prompt", "sourcecode", "testcode", "testsetup"})
# Directives that describe the next block.
_LEADING = frozenset(
    """currentmodule highlight index module py:currentmodule py:module sectionauthor tabularcolumns""".split()  # noqa: SIM905  # words are easier to read than strings
)
# Directives of Sphinx that describe an object.
_OBJECTS = re.compile(
    r"(?:\w+:)?(?:attribute|c?function|class|classmethod|constant|data|decorator|enum|exception|function|macro|member|method|namespace"
    r"|object|opcode|option|property|staticmethod|struct|type|union|var|variable)$"
)
_HEADER_ROWS = re.compile(r":header-rows:\s*([0-9]+)")


def read_explicit(blocks: Blocks, row: int) -> int:
    """Read the markup that begins with two dots at `row`. Returns the row at which to read on."""
    line = blocks.lines[row]
    after = blocks.after_body(row + 1, line.indent)
    directive = rst.DIRECTIVE.match(line.text)
    if directive is not None:
        return _directive(blocks, row, after, directive)
    if rst.FOOTNOTE.match(line.text):
        blocks.begin(line.start, "footnote")
        body = blocks.at(row + 1)
        blocks.columns.prose(blocks.copy.find("]", line.text_start) + 1, line.end)
        if body is not None and after > row + 1:
            blocks.enter(OpenBlock(body.indent, "footnote", line.start))
        return row + 1
    if after == row + 1 or rst.TARGET.match(line.text[2:].lstrip()):
        blocks.lead_by(row)
    else:
        blocks.leaf(row, after, "comment")
    return after


def _directive(blocks: Blocks, row: int, after: int, match: re.Match[str]) -> int:
    line = blocks.lines[row]
    name = match[1].lower()
    if name in _LEADING:
        blocks.lead_by(row)
        return after
    body = row + 1  # options and a continued argument stay with the directive
    while body < after and not blocks.lines[body].after_blank:
        body += 1
    if name in _VERBATIM:
        blocks.begin(line.start, "code" if name in _CODE else name, whole=True)
        if body < after:
            _verbatim(blocks, name, line.text[match.end() :], body, after)
            if name == "csv-table":
                header = blocks.text[line.start : blocks.lines[body].start]
                blocks.columns.scopes.append(Scope(line.start, blocks.end_before(after), "", header))
        return after
    argument = line.text[match.end() :].strip()
    blocks.begin(line.start, name, whole=name.endswith("table"))
    if name == "list-table":
        _list_table(blocks, line, body, after)
    if body < after:
        known = " ".join(blocks.text[line.text_start + match.end() : line.end].split()) if _OBJECTS.match(name) else ""
        indent = blocks.lines[body].indent
        source = "" if name == "list-table" else blocks.opening(line, indent)
        blocks.enter(OpenBlock(indent, name, line.start, known, source))
    elif argument:
        blocks.columns.prose(line.start, blocks.end_before(body))
    return body


def _verbatim(blocks: Blocks, name: str, argument: str, body: int, after: int) -> None:
    first, end = blocks.lines[body].start, blocks.end_before(after)
    if name in _CODE:
        blocks.columns.code(EmbeddedSpan(first, end, blocks.lines[body].text_start - first), argument)
    else:
        blocks.columns.verbatim(first, end)


def _list_table(blocks: Blocks, line: Line, body: int, after: int) -> None:
    """Add a scope that repeats the header rows of a list table."""
    found = _HEADER_ROWS.search(blocks.copy, line.start, blocks.lines[body].start if body < after else line.end)
    if found is None or body == after:
        return
    indent = blocks.lines[body].indent
    rows = [row.start for row in blocks.lines[body:after] if row.indent == indent and row.text[0] in "*-+"]
    header = int(found[1][:3])
    if 0 < header < len(rows):
        blocks.columns.scopes.append(
            Scope(line.start, blocks.end_before(after), "", blocks.text[line.start : rows[header]])
        )
