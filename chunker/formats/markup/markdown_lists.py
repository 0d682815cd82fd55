"""Plain lists of Markdown, as most lists are: items of prose, nested by indentation.

    - one                open list, item, paragraph
      goes on
    - two                item, paragraph
      1. deep            open list, item, paragraph
                         (blank lines)
         more of it      paragraph
                         close, close

A list is plain if each of its lines is blank, an item whose text begins plainly, or plain text. Anything else (code,
quotes, tabs, empty items) is left to the parser, and so are cases for rarely needed rules of CommonMark.
"""

from __future__ import annotations

from typing import NamedTuple

from chunker.formats.expressions import re
from chunker.formats.markup.markdown_handler import BlockHandler

# The start of a line that is certainly plain text: no list, quote, heading, rule, fence, HTML, table or definition
# begins like this, and the line is not an underline. A paragraph of such lines ends before a blank line, a heading or a
# fence.
PLAIN = r"""(?:
    [A-Za-z\x02"'(,.;/\\!@%&{}\])^?]
  | \*{1,2} (?=[^\s*])
  | _{1,2} (?=[^\s_])
  | `{1,2} (?=[^`\n])
  | -{1,2} (?=[A-Za-z])
  | [0-9]++ (?![0-9.)])
  | \[ (?!\^) (?! [^\]\[\\\n]*+ (?: \]: | [\\\n] | \Z ) )
)"""
# A line of a plain list.
_LINE = re.compile(
    rf"""
    ([ ]*+) (?: ( [-+*] | [0-9]{{1,9}}[.)] ) ([ ]{{1,4}}) (?={PLAIN}) | (?={PLAIN}) | (?=\n) )
    [^\n]*+ (?: \n | \Z )
    """,
    re.VERBOSE,
)


class ListStep(NamedTuple):
    """A call of the handler: "open", "item", "paragraph" or "close"."""

    kind: str
    start: int
    end: int


def tell(steps: list[ListStep], handler: BlockHandler) -> None:
    """Report the steps to a handler."""
    for kind, start, end in steps:
        if kind == "paragraph":
            handler.paragraph(start, end)
        elif kind == "item":
            handler.item(start)
        elif kind == "open":
            handler.open(start, "list")
        else:
            handler.close()


def plain_list(copy: str, start: int, end: int) -> list[ListStep] | None:
    """Return the blocks of `copy[start:end]`, which begins with a list; None if the list is not plain."""
    walk = _Walk()
    at = start
    while at < end:
        match = _LINE.match(copy, at, end)
        if match is None:
            return None
        indent, marker, pad = match.groups()
        if marker is not None:
            if not walk.item(at, len(indent), marker, len(pad)):
                return None
        elif match.end() - at - len(indent) <= 1 and copy[match.end() - 1] == "\n":
            walk.blank(at)
        elif not walk.text(at, len(indent)):
            return None
        at = match.end()
    walk.blank(end)
    walk.close_to(0)
    return walk.steps


class _Walk:
    """The open lists and items while lines are read."""

    def __init__(self) -> None:
        self.steps: list[ListStep] = []
        self._items: list[int] = []  # the column where the content of each open item begins
        self._lists: list[str] = []  # the kind of each open list: its bullet, or the mark after its numbers
        self._paragraph: int | None = None  # the start of the open paragraph

    def item(self, at: int, column: int, marker: str, pad: int) -> bool:
        """Handle a line that may begin an item. Returns False if it might not."""
        depth = self._depth_at(column)
        if column - (self._items[depth - 1] if depth else 0) > 3:
            return False
        kind = marker[-1]
        interrupts = self._paragraph is not None and depth == len(self._items)
        if interrupts and len(marker) > 1 and marker[:-1] != "1":
            return False
        self.blank(at)
        del self._items[depth:]
        self.close_to(depth + 1)
        if len(self._lists) == depth + 1 and self._lists[depth] != kind:
            self.close_to(depth)
        if len(self._lists) == depth:
            self._lists.append(kind)
            self.steps.append(ListStep("open", at, at))
        self.steps.append(ListStep("item", at, at))
        self._items.append(column + len(marker) + pad)
        self._paragraph = at
        return True

    def text(self, at: int, column: int) -> bool:
        """Handle a line of text. Returns False if it might be code."""
        if self._paragraph is not None:
            return True  # the paragraph continues, for any indentation
        depth = self._depth_at(column)
        if column - (self._items[depth - 1] if depth else 0) > 3:
            return False
        del self._items[depth:]
        self.close_to(depth)
        self._paragraph = at
        return True

    def blank(self, at: int) -> None:
        """Handle a blank line, or anything else that ends a paragraph."""
        if self._paragraph is not None:
            self.steps.append(ListStep("paragraph", self._paragraph, at))
            self._paragraph = None

    def close_to(self, depth: int) -> None:
        """Close all lists but the outermost `depth`."""
        while len(self._lists) > depth:
            self._lists.pop()
            self.steps.append(ListStep("close", 0, 0))

    def _depth_at(self, column: int) -> int:
        """Return the number of open items that contain a line with this indentation."""
        depth = len(self._items)
        while depth and column < self._items[depth - 1]:
            depth -= 1
        return depth
