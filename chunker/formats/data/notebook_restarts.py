"""Offsets where parsing of notebooks can resume: each cell but the first.

{"cells": [
  {"cell_type": "markdown", ...},
  {"cell_type": "code", ...},       from here, after the preamble  {"cells":[0,
"""

from __future__ import annotations

from itertools import takewhile
from typing import ClassVar

from chunker.formats.expressions import re
from chunker.formats.nesting import strength_at
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline
from chunker.formats.restarting import Restarts

_ROOT = re.compile(r"\ufeff?\s*+\{")
_CELL = re.compile(r"\s*+\{")
_DEPTH = strength_at(2)  # of cells, as elements of a list inside the root
_PREAMBLE = '{"cells":[0,\n'


class NotebookRestarts(Restarts):
    """Restart rules for notebooks. `outline_as_json` returns the outline of a text as any JSON."""

    # The contexts of cells contain their numbers.
    numbered: ClassVar[str | None] = "cell"

    def __init__(self, outline: OutlineOf, outline_as_json: OutlineOf) -> None:
        super().__init__(outline)
        self._outline_as_json = outline_as_json

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the starts of the cells that are objects in a list inside the only object of `text`."""
        if _ROOT.match(text) is None:
            return []
        cells = {offset for offset, label in zip(outline.offsets, outline.labels, strict=True) if label == "cell"}
        if not cells:
            return []
        json = self._outline_as_json(text)
        rows = zip(json.offsets[1:], json.strengths[1:], strict=True)
        return [
            offset
            for offset, strength in takewhile(lambda row: row[1] < strength_at(0), rows)
            if offset >= start and strength == _DEPTH and offset in cells and _CELL.match(text, offset)
        ]

    def preamble(self, _text: str, _outline: Outline, _place: int, /) -> str:
        """Return a notebook with a cell, up to the next one."""
        return _PREAMBLE
