"""The sketch of a Markdown text: the offsets of its units, and the work left to refine them.

    # Guide                  ^0 section     heading 0..8
    Some words. In two       -              left for later: prose 8..40, in the unit at 0, with its heading
    lines.
    ```python                ^41 code       left for later: fence 41..61, in the unit at 41
    a = 1
    ```

Its twin in C++ is chunker/cpp/src/markdown_sketch.cpp, which has the same strengths and labels.
"""

from __future__ import annotations

from chunker.formats.columns import Columns
from chunker.formats.markup.markdown_blocks import read_plain
from chunker.formats.outline import Strength

_SECTION = Strength.STRUCTURE + 1_000  # minus the level of the heading
_BLOCK = Strength.STRUCTURE + 200  # minus _STEP for each quote or list around it
_STEP = 3
_ITEM = -1  # an item, relative to the block of its list
_DEEPEST = 50  # deeper blocks are as strong as this depth
_KEPT = -2  # between a heading and a block that should stay whole

# The work to refine a unit: "prose", "verbatim", "fence" (code in a language of its own), "yaml" or "toml"; its start
# and its end.
Work = tuple[str, int, int]


class MarkdownSketch:
    """Handler of the blocks of one text (`markdown_handler.BlockHandler`), which records its boundaries. `copy` is the parser
    copy of the text.
    """

    def __init__(self, copy: str) -> None:
        self._copy = copy
        self._columns = Columns(copy, copy)
        self._works: dict[int, list[Work]] = {}
        self._headings: list[tuple[int, int, int]] = []
        self._tables: list[tuple[int, int, int]] = []
        self._depth = 0
        self._glued = 0  # the level of the heading directly before, 0 if there is none
        self._first_item = False
        self._beginning = 0

    def read_plain(self, start: int) -> int:
        """Read the plain blocks from `start` on. Returns the offset of the first block that is not plain, or the
        end.
        """
        return read_plain(self._copy, start, self)

    # --- what there is in the end

    def columns(self) -> tuple[list[int], list[int], list[str]]:
        """Return offsets, strengths and labels of the boundaries."""
        return self._columns.offsets, self._columns.strengths, self._columns.labels

    def closed(self) -> list[int]:
        """Return the offsets of units with work left for later."""
        return list(self._works)

    def work_in(self, unit: int) -> list[Work]:
        """Return the work left for later in the unit that begins at the offset `unit`."""
        return self._works.get(unit, [])

    def headings(self) -> list[tuple[int, int, int]]:
        """Return start, end and level of the headings outside quotes and lists."""
        return self._headings

    def tables(self) -> list[tuple[int, int, int]]:
        """Return the start, the end, and the start of the first row of tables with several rows."""
        return self._tables

    # --- what stands before the blocks

    def begin(self, start: int) -> None:
        """Make the block at `start`, after a byte order mark, begin at 0."""
        self._beginning = start
        self._columns.begin(start)

    def front_matter(self, start: int, end: int, language: str) -> None:
        """Handle the front matter before the text, without the lines around it."""
        self._put_off(language, start, end)

    def strengthen(self, start: int) -> None:
        """Make the first boundary at or after `start` as strong as a section."""
        self._columns.strengthen(start, _SECTION)

    # --- blocks: what `BlockHandler` asks for

    def heading(self, start: int, end: int, level: int) -> None:
        """See `BlockHandler`."""
        level_before = self._glued
        if self._depth:
            self._block(start, "heading")
        else:
            if not level_before or level_before >= level:
                self._columns.put(start, _SECTION - level, "section")
            self._headings.append((start, end, level))
        self._glued = level

    def paragraph(self, start: int, end: int) -> None:
        """See `BlockHandler`."""
        self._block(start, "paragraph")
        self._glued = 0
        self._put_off("prose", start, end)

    def code(self, start: int, end: int, info: str | None) -> None:
        """See `BlockHandler`."""
        self._whole(start, "code")
        self._put_off("verbatim" if info is None else "fence", start, end)

    def table(self, start: int, end: int, rows: list[int]) -> None:
        """See `BlockHandler`."""
        self._whole(start, "table")
        for row in rows[1:]:  # the first row stays with the header
            self._columns.put(row, Strength.LINE, "row")
        if len(rows) > 1:
            self._tables.append((start, end, rows[0]))

    def leaf(self, start: int, end: int, label: str) -> None:
        """See `BlockHandler`."""
        if label == "rule":
            self._block(start, label)
            self._glued = 0
        else:
            self._whole(start, label)
            self._put_off("verbatim", start, end)

    def lines(self, start: int, end: int) -> None:
        """See `BlockHandler`."""
        first = True
        while start < end:
            next_line = self._copy.find("\n", start, end) + 1 or end
            if not self._is_blank(start, next_line):
                if start > self._beginning:
                    self._columns.put(start, *self._unclaimed(start, first=first))
                first = False
            start = next_line

    def open(self, start: int, label: str) -> None:
        """See `BlockHandler`."""
        self._block(start, label)
        self._depth += 1
        self._first_item = True

    def item(self, start: int) -> None:
        """See `BlockHandler`."""
        if not self._first_item:
            self._glued = 0  # only the first item stays with a heading
        if not self._glued:
            self._columns.put(start, self._level() + 3 + _ITEM, "item")
        self._first_item = False

    def close(self) -> None:
        """See `BlockHandler`."""
        self._depth -= 1
        self._glued = 0

    # --- boundaries

    def _level(self) -> int:
        return _BLOCK - _STEP * min(self._depth, _DEEPEST)

    def _unclaimed(self, start: int, *, first: bool) -> tuple[int, str]:
        """Return strength and label of a line that belongs to no block; `first`: whether it is the first of such
        lines.
        """
        before = self._copy.rfind("\n", 0, max(start - 1, 0)) + 1
        blank = self._copy[start - 1] == "\n" and self._is_blank(before, start)
        # Stronger than all boundaries inside the block before: that block is a unit of its own.
        apart = not self._glued and (first or blank)
        if blank:
            return self._level() if apart else Strength.PARAGRAPH, "paragraph"
        return Strength.STRUCTURE if apart else Strength.LINE, "line"

    def _is_blank(self, start: int, end: int) -> bool:
        return not self._copy[start:end].strip(" \t>\n")

    def _put_off(self, kind: str, start: int, end: int) -> None:
        self._works.setdefault(self._columns.offsets[-1], []).append((kind, start, end))

    def _block(self, start: int, label: str) -> None:
        if not self._glued:
            self._columns.put(start, self._level(), label)

    def _whole(self, start: int, label: str) -> None:
        """Add a block that should stay whole, even if that separates it from its heading."""
        self._columns.put(start, self._level() + (_KEPT if self._glued else 0), label)
        self._glued = 0
