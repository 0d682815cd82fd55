"""Map the parts of a text to places in its file: pages and boxes of a PDF, slides, rows of sheets, cells of a notebook.

text     "# Results\\n\\nSales rose.\\n..."
parts    (0, {"page": 1, "box": [72.0, 90.5, 210.2, 110.0]})       from this character up to the next part
(11, {"page": 1, "box": [72.0, 120.0, 523.0, 168.4]})
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Places:
    """The parts of a text: the start of each, in characters and ascending, and its place in the file, as JSON
    values.
    """

    starts: Sequence[int]
    where: Sequence[Mapping[str, Any]]

    def between(self, start: int, end: int) -> list[Mapping[str, Any]]:
        """Return the places of the parts that overlap `text[start:end]`, in order, each once.

        >>> Places([0, 5, 9], [{"cell": 1}, {"cell": 2}, {"cell": 3}]).between(4, 9)
        [{'cell': 1}, {'cell': 2}]
        """
        first = max(bisect_right(self.starts, start) - 1, 0)
        found: list[Mapping[str, Any]] = []
        for place in self.where[first : bisect_left(self.starts, end)]:
            if found and _are_rows_of_one_sheet(found[-1], place):
                found[-1] = {**place, "rows": [found[-1]["rows"][0], place["rows"][1]]}
            elif not found or found[-1] != place:
                found.append(place)
        return found

    def moved(self, offsets: Sequence[int], shorter: Sequence[int]) -> Places:
        """Return the places in the text after shortening. `offsets` are the offsets of the marks in the shorter text;
        `shorter` says how many characters were removed up to each mark.
        """
        old = [offset + before for offset, before in zip(offsets, (0, *shorter), strict=False)]
        taken = (0, *shorter)
        return Places([start - taken[bisect_left(old, start)] for start in self.starts], self.where)


def _are_rows_of_one_sheet(above: Mapping[str, Any], below: Mapping[str, Any]) -> bool:
    return "rows" in above and "rows" in below and above["sheet"] == below["sheet"]
