"""Offsets where parsing of YAML can resume: each document, and each key or item but the first of its mapping or list, with
the comments before it. The state to resume from is the columns of the open mappings and lists.

    servers:
      - port: 1
        host: a        from the second member on, after the preamble  x:
                                                                        -
                                                                          x: 1
The blank line at the end of a preamble makes a comment belong to the next member.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from chunker.formats.expressions import re
from chunker.formats.nesting import NestingRank, strength_at
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline
from chunker.formats.restarting import Restarts

# Deeper collections are small.
_DEEPEST = 4
_DEPTHS = {
    strength_at(depth, rank): (depth, rank)
    for depth in range(_DEEPEST + 1)
    for rank in (NestingRank.FIRST, NestingRank.MEMBER, NestingRank.COMMENTED)
}
# A column further to the right would make preambles long.
_LAST_COLUMN = 100
# The first characters decide whether the whole text is one flow collection.
_BEGINNING = re.compile(r"\ufeff?(?:\s++|#[^\r\n]*+)*+.?.?", re.DOTALL)
_LINE_START = re.compile(r"(\ufeff?[ \t]*+)((?:-(?:[ \t]++|(?=[\r\n]|\Z)))*+)(#?)")

# The column and the first characters of a collection: "-" for a list, "x:" for a mapping.
_Level = tuple[int, str]
_MAPPING, _LIST = "x:", "-"


class YamlRestarts(Restarts):
    """Restart rules for YAML that begins as `text` does."""

    # The contexts of items and documents contain their numbers.
    numbered: ClassVar[str | None] = "item"

    def __init__(self, outline: OutlineOf, text: str) -> None:
        super().__init__(outline)
        match = _BEGINNING.match(text)
        self.decided_by = len(text) if match is None else match.end()
        self._known: tuple[str, dict[int, list[_Level]]] = ("", {})

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the starts of documents, and of most members."""
        return [offset for offset in self._levels(text, outline) if offset >= start]

    def preamble(self, text: str, outline: Outline, place: int, /) -> str:
        """Return a member of each open collection."""
        levels = self._levels(text, outline)[place]
        lines = "\n".join(" " * column + begin for column, begin in levels)
        return f"{lines} 1\n\n" if levels else ""

    def _levels(self, text: str, outline: Outline) -> dict[int, list[_Level]]:
        if self._known[0] is not text:
            self._known = text, dict(_places(text, outline))
        return self._known[1]


def _places(text: str, outline: Outline) -> Iterator[tuple[int, list[_Level]]]:
    """Yield the offsets where parsing can resume, with the collections that are open there, outermost first."""
    levels: list[_Level] = []
    begun: tuple[int, int] | None = None  # a member that begins with comments: its start and its rank
    for offset, strength, label in zip(outline.offsets, outline.strengths, outline.labels, strict=True):
        if label == "document" and offset:
            levels = []
            yield offset, []
            continue
        known: tuple[int, int] | None = _DEPTHS.get(strength) if offset else (0, NestingRank.FIRST)
        if known is None:
            continue
        depth, rank = known
        line = _LINE_START.match(text, offset or text.startswith("\ufeff"))
        if line is None or (line[3] and not line[2]):
            begun = offset, rank
            continue
        top = offset
        if rank == NestingRank.COMMENTED and begun is not None:
            top, rank = begun
        begun = None
        opened = _levels_of(line[1], line[2])
        is_known = rank == NestingRank.MEMBER and levels[depth : depth + 1] == opened[:1]
        levels = [*levels[:depth], *opened]
        if is_known and opened[0][0] <= _LAST_COLUMN:
            yield top, levels[: depth + 1]


def _levels_of(indentation: str, dashes: str) -> list[_Level]:
    """Return the collections that a line with a member may begin, or have members in: a list for each dash, and a
    mapping.
    """
    column = len(indentation)
    if not dashes:
        return [(column, _MAPPING)]
    levels = []
    while dashes:
        levels.append((column, _LIST))
        rest = dashes[1:].lstrip(" \t")
        column += len(dashes) - len(rest)
        dashes = rest
    return [*levels, (column, _MAPPING)]
