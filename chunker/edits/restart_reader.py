"""Read a text in windows, by the offsets where its format can resume parsing (`chunker.formats.restarting`)."""

from __future__ import annotations

from typing import NamedTuple

from chunker.chunkers import TextChunker
from chunker.edits.blocks import BlockText
from chunker.edits.rows import Mark
from chunker.edits.windows import Read, TooNarrowError, Window, WindowReader
from chunker.formats import Outline
from chunker.formats.restarting import NotLocalError, Restarts
from chunker.formats.sketches import sketching
from chunker.native import native


class Chunking(NamedTuple):
    """The chunker of a text, its source, and the rules for parsing it from the middle."""

    chunker: TextChunker
    source: str | None
    rules: Restarts

    def read(self, text: str) -> Outline:
        """Return the outline of a text, or its sketch if the grower can go on from the middle of a sketch."""
        chunker = self.chunker
        sketches = native() is not None and sketching(chunker.format) is not None
        return (
            chunker.sketch(text)
            if sketches and type(chunker).outline is TextChunker.outline
            else self.rules.outline(text)
        )


class RestartReader:
    """Reads the texts of a chunker in windows, by the rules of its format."""

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

    def window(self, text: BlockText, start: int, mark: Mark, end: tuple[int, str], _kept: int, /) -> Window:
        """See `WindowReader`."""
        window = RestartWindow(self._chunking, text, start, mark, end[0])
        if start == 0 and end[0] == len(text):
            self._notes = window.outline.notes
        elif window.outline.notes != self._notes:
            raise NotLocalError
        return window

    def edited(self, text: BlockText, start: int, _end: int, _longer: int, /) -> WindowReader:
        """See `WindowReader`."""
        rules = self._chunking.rules
        if start < rules.sample_size and not rules.hold_for(text.slice(0, rules.sample_size)):
            raise NotLocalError
        return self


class RestartWindow(Window):
    """The outline of `text` from a mark, at `start`, up to `end`."""

    def __init__(self, chunking: Chunking, text: BlockText, start: int, mark: Mark, end: int) -> None:
        chunker, source, rules = chunking
        self._rules = rules
        self._whole = whole = mark.preamble + text.slice(start, end) if start or end < len(text) else str(text)
        head = len(mark.preamble)
        outline = chunking.read(whole)
        places = rules.places(whole, outline, head + 1)
        settled = len(whole)
        if end < len(text):
            # The last restart offset may be wrong: the text after the window could continue its block or change its
            # meaning.
            if len(places) < 2:
                raise TooNarrowError
            settled = places[-2]
            places = places[:-2]
        self._preambles: dict[int, str] = {}
        super().__init__(chunker, source, text, (start, mark), Read(outline, head, settled, places))

    def _preamble(self, number: int) -> str:
        place = self._places[number]
        if place not in self._preambles:
            self._preambles[place] = self._rules.preamble(self._whole, self.outline, place)
        return self._preambles[place]
