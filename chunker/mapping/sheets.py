"""The lines that a map may have of each file, with their prices, kept from map to map."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator

from chunker.counting import TokenCounter
from chunker.files.discovery import printable
from chunker.mapping.ranks import name_columns
from chunker.mapping.reading import MappedFile
from chunker.mapping.skeletons import depths, left_out, line_of, parents


class Sheet:
    """The lines of a file: its name, and one for each definition, a row each.

    Args:
        file: The file.
        numbers: The numbers of the names so far, to which new ones are added.

    Attributes:
        file: The file.
        lines: Its lines.
        marks: Of each the mark that stands for it where it is left out; "" for the name of the file.
        sizes: How many rows each is with those in it, packed as array("q").
        columns: What the graph of names has of the file: `NameColumns`, packed.
    """

    __slots__ = ("_counter", "_prices", "columns", "file", "lines", "marks", "sizes")

    def __init__(self, file: MappedFile, numbers: dict[str, int]) -> None:
        self.file = file
        definitions = file.symbols.definitions
        deep = depths(parents(definitions))
        self.lines = [printable(file.name), *map(line_of, definitions, deep)]
        self.marks = ["", *map(left_out, deep)]
        self.sizes = _sizes([-1, *deep]).tobytes()
        self.columns = name_columns(file, numbers).packed()
        self._counter: TokenCounter | None = None
        self._prices = b"", b""

    def prices(self, counter: TokenCounter) -> tuple[bytes, bytes]:
        """The tokens of each line and of each mark, with its line end, packed as array("q"); at least 1, and -1 for the mark of the file, which has none.

        The file is followed by a blank line. What it costs after a mark is in the price of the name; what it costs after the last line, beyond that,
        is in the price of that line: it ends the file whenever it is chosen.
        """
        if self._counter is not counter:
            known = {line: max(1, counter.count(f"{line}\n")) for line in {*self.lines, *self.marks}}
            lines, marks = ([known[line] for line in side] for side in (self.lines, self.marks))
            blank = _price_of_blank_line(counter, self.marks[-1])
            lines[0] = max(1, lines[0] + blank)
            lines[-1] = max(1, lines[-1] + _price_of_blank_line(counter, self.lines[-1]) - blank)
            marks[0] = -1
            self._counter, self._prices = counter, (array("q", lines).tobytes(), array("q", marks).tobytes())
        return self._prices

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


def _price_of_blank_line(counter: TokenCounter, line: str) -> int:
    """The tokens that a blank line adds between a line and the next file: none where all line ends are one token, as after most letters."""
    return counter.count(f"{line}\n\na") - counter.count(f"{line}\na")


def _sizes(deep: list[int]) -> array[int]:
    """How many rows each is with those in it."""
    sizes = array("q", range(len(deep), 0, -1))
    open_ones: list[int] = []
    for row, depth in enumerate(deep):
        while open_ones and deep[open_ones[-1]] >= depth:
            begun = open_ones.pop()
            sizes[begun] = row - begun
        open_ones.append(row)
    return sizes
