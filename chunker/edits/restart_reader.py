"""Read a text in windows by the places where its format can be read anew (`chunker.formats.restarting`)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from chunker.chunkers import TextChunker
from chunker.edits.rows import Mark, Stand
from chunker.edits.windows import NotLocalError, TooNarrowError, Window, WindowReader
from chunker.formats import Outline
from chunker.formats.restarting import Restarts
from chunker.growing.pieces import ContextAt, context_behind


class Chunking(NamedTuple):
    """The chunker of a text, its source, and the rules by which it can be read from its middle."""

    chunker: TextChunker
    source: str | None
    rules: Restarts


class RestartReader:
    """Reads the texts of a chunker by the rules of its format."""

    ends_at_marks = False

    def __init__(self, chunker: TextChunker, source: str | None, rules: Restarts) -> None:
        self._chunking = Chunking(chunker, source, rules)
        self._notes = rules.outline("").notes

    @property
    def notes(self) -> dict[str, str]:
        """See `WindowReader`."""
        return self._notes

    @property
    def decided_by(self) -> int:
        """See `WindowReader`."""
        return self._chunking.rules.decided_by

    def window(self, text: str, start: int, mark: Mark, end: int, _closing: str, /) -> Window:
        """See `WindowReader`."""
        window = RestartWindow(self._chunking, text, start, mark, end)
        if start == 0 and end == len(text):
            self._notes = window.outline.notes
        elif window.outline.notes != self._notes:
            raise NotLocalError
        return window

    def edited(self, _text: str, _start: int, _end: int, _longer: int, /) -> WindowReader:
        """See `WindowReader`."""
        return self


class RestartWindow(Window):
    """The outline of `text` from a mark, at `start`, up to `end`."""

    def __init__(self, chunking: Chunking, text: str, start: int, mark: Mark, end: int) -> None:
        chunker, self._source, rules = chunking
        self._rules = rules
        whole = mark.preamble + text[start:end] if start or end < len(text) else text
        head = len(mark.preamble)
        self._shift = start - head  # from offsets of the outline to those of the text
        self._whole = whole
        self.outline = outline = rules.outline(whole)
        places = rules.places(whole, outline, head + 1)
        settled = len(whole)
        if end < len(text):
            # The last place may be none: what follows could be a part of it, or make something else of it.
            if len(places) < 2:
                raise TooNarrowError
            settled = places[-2]
            places = places[:-2]
        first = bisect_left(outline.offsets, head)
        if first == len(outline.offsets) or outline.offsets[first] != head:
            raise NotLocalError
        behind = bisect_left(outline.offsets, settled)
        self._offsets = [offset + self._shift for offset in outline.offsets[first:behind]]
        self._strengths, self._labels = outline.strengths[first:behind], outline.labels[first:behind]
        if start:
            self._strengths[0], self._labels[0] = mark.strength, mark.label
        super().__init__(chunker, text, settled + self._shift)
        self._first_mark = mark
        self._start = start
        self._places = [place + self._shift for place in places]
        self._marks: dict[int, Mark] = {}

    def mark(self, start: int) -> Mark:
        """See `Window`."""
        index = bisect_right(self._places, start) - 1
        if index < 0:
            return self._first_mark._replace(offset=self._start - start)
        place = self._places[index]
        known = self._marks.get(place)
        if known is None:
            number = bisect_left(self._offsets, place)
            preamble = self._rules.preamble(self._whole, self.outline, place - self._shift)
            known = self._marks[place] = Mark(0, preamble, self._strengths[number], self._labels[number])
        return known._replace(offset=place - start)

    def _part(self, start: int, behind: int, _stand: Stand) -> Outline:
        first = bisect_left(self._offsets, behind)
        return Outline.of_columns(
            [offset - start for offset in self._offsets[first:]],
            self._strengths[first:],
            self._labels[first:],
            finest=self.outline.finest,
        )

    def _context_of(self, start: int) -> ContextAt:
        return context_behind(start - self._shift, self._chunker.context_of("", self.outline, self._source))
