"""The lines that a map may have of each file, with their prices, kept from map to map."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator

from chunker.counting import TokenCounter
from chunker.mapping.ranks import name_columns
from chunker.mapping.reading import MappedFile
from chunker.mapping.skeletons import depths, left_out, line_of, parents


class Sheet:
    """The lines of a file: its name, and one for each definition. The columns have a row for each, but those of names."""

    __slots__ = ("_counter", "_ends", "_first", "_placed", "_prices", "columns", "file", "lines", "marks")

    def __init__(self, file: MappedFile, numbers: dict[str, int]) -> None:
        self.file = file
        definitions = file.symbols.definitions
        deep = depths(parents(definitions))
        self.lines = [file.name, *map(line_of, definitions, deep)]
        self.marks = ["", *map(left_out, deep)]
        self._ends = _ends([-1, *deep])
        self._first = 0
        self._placed = self._ends
        self.columns = name_columns(file, numbers).packed()
        self._counter: TokenCounter | None = None
        self._prices: tuple[array[int], array[int]] | None = None

    def prices(self, counter: TokenCounter) -> tuple[array[int], array[int]]:
        """The tokens of each line and of each mark, with its line end; at least 1, and -1 for the mark of the file, which has none."""
        if self._prices is None or self._counter is not counter:
            known: dict[str, int] = {}
            for line in {*self.lines, *self.marks}:
                known[line] = max(1, counter.count(f"{line}\n"))
            marks = array("q", [known[mark] for mark in self.marks])
            marks[0] = -1
            self._counter, self._prices = counter, (array("q", [known[line] for line in self.lines]), marks)
        return self._prices

    def ends(self, first: int) -> array[int]:
        """Of each row the number of the next that is not in it, where the first has this number."""
        if self._first != first:
            self._first, self._placed = first, array("q", [first + end for end in self._ends])
        return self._placed

    def shown(self, chosen: Collection[int]) -> Iterator[str]:
        """The lines of the chosen rows, with a mark where some are left out."""
        marked = False
        for row, line in enumerate(self.lines):
            if row in chosen:
                marked = False
                yield line
            elif not marked:
                marked = True
                yield self.marks[row]


def _ends(deep: list[int]) -> array[int]:
    """Of each row the number of the next that is not in it."""
    ends = array("q", [len(deep)]) * len(deep)
    open_ones: list[int] = []
    for row, depth in enumerate(deep):
        while open_ones and deep[open_ones[-1]] >= depth:
            ends[open_ones.pop()] = row
        open_ones.append(row)
    return ends
