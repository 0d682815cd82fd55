"""The lines of each file that a map may show, with their prices, kept from map to map."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator

from chunker.counting import TokenCounter
from chunker.files.discovery import printable
from chunker.mapping.lines import depths, left_out, line_of, parents
from chunker.mapping.mapped_files import MappedFile
from chunker.mapping.ranks import name_columns


class Sheet:
    """The lines of a file, a row each: its name, then its definitions.

    Args:
        file: The file.
        numbers: The numbers of the names so far, to which new ones are added.

    Attributes:
        file: The file.
        lines: Its lines.
        marks: For each line the mark that stands for it if it is left out; "" for the name of the file.
        sizes: For each line the number of rows in it, itself included, packed as array("q").
        columns: The part of the file in the graph of names: `NameColumns`, packed.
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
        """The price of each line and of each mark, in tokens with its line end, packed as array("q"). At least 1; -1 for the file, which leaves no mark.

        A blank line follows each file. The tokens that it adds after a mark are in the price of the file's name. After
        the last line it may add more or fewer: the difference is in the price of that line, which ends the file
        whenever it is chosen.
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
    """The tokens that a blank line adds between a line and the next file; often 0, where several line ends are one token."""
    return counter.count(f"{line}\n\na") - counter.count(f"{line}\na")


def _sizes(deep: list[int]) -> array[int]:
    """For each row the number of rows in it, itself included; `deep` is its depth."""
    sizes = array("q", range(len(deep), 0, -1))
    open_ones: list[int] = []
    for row, depth in enumerate(deep):
        while open_ones and deep[open_ones[-1]] >= depth:
            begun = open_ones.pop()
            sizes[begun] = row - begun
        open_ones.append(row)
    return sizes
