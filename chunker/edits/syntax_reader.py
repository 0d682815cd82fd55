"""Read a source text in windows by its syntax tree, which is parsed on from each edit.

tree before    |---------|----x----|---------|       x: the edit
tree now       |=========|----~----|=========|       what is the same is not parsed again, and has the same boundaries

Lines are the same if the parser has kept the subtrees of all units on them.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from chunker.chunkers import TextChunker
from chunker.edits.rows import Mark, Stand
from chunker.edits.windows import NotLocalError, Window, WindowReader
from chunker.formats import Outline, Scope
from chunker.formats.sketches import Inside, Sketch
from chunker.growing.pieces import ContextAt, context_behind

if TYPE_CHECKING:  # they are not there where nothing is compiled
    from chunker._native import CodeReading
    from chunker.formats.code.compiled_walk import CompiledWalk

_CHARACTERS_A_TOKEN = 4
# Wherever a chunk begins, the tree is there.
_HERE = Mark(0, "", 0, "")


class SyntaxReader:
    """Reads one text of a chunker; `before`: the reader of the text before an edit."""

    def __init__(
        self,
        chunker: TextChunker,
        source: str | None,
        walk: CompiledWalk,
        text: str,
        before: SyntaxReader | None = None,
    ) -> None:
        self._chunker, self._source, self._walk = chunker, source, walk
        self._size = len(text)
        # What is larger than a chunk has to be looked into.
        size = chunker.budget.max_tokens * _CHARACTERS_A_TOKEN
        known = None if before is None else before._reading  # noqa: SLF001  # it is of this very class
        self._reading: CodeReading | None = walk.read(text, size, known) if text else None
        self._sketch = None if self._reading is None else walk.sketch_of(self._reading)

    @property
    def notes(self) -> dict[str, str]:
        """See `WindowReader`."""
        return {} if self._sketch is None else self._sketch.notes

    @property
    def decided_by(self) -> int:
        """See `WindowReader`."""
        return 0

    def window(self, text: str, start: int, _mark: Mark, end: int, /) -> Window:
        """See `WindowReader`."""
        if self._reading is None or self._sketch is None:
            raise NotLocalError
        row = bisect_left(self._sketch.offsets, end)
        settled = self._sketch.offsets[row] if row < len(self._sketch.offsets) else len(text)
        context_at = None
        if self._chunker.context:
            around = self._walk.sketch_of(self._reading, (start, settled))
            context_at = self._chunker.context_of("", around, self._source)
        return SyntaxWindow(self._chunker, text, settled, self._sketch, context_at)

    def edited(self, text: str, start: int, end: int, /) -> tuple[WindowReader, int, int]:
        """See `WindowReader`."""
        made = SyntaxReader(self._chunker, self._source, self._walk, text, self)
        if self._reading is None or made._reading is None:
            raise NotLocalError
        same, same_end = made._reading.shared_with(self._reading)
        start, end = min(start, same), max(end, self._size - same_end)
        if self._chunker.context and not self._same_regions(made, start, end, made._size - self._size):
            return made, 0, self._size
        return made, start, end

    def _same_regions(self, made: SyntaxReader, start: int, end: int, longer: int) -> bool:
        """Whether all definitions but those inside of an edit are called as before and begin and end where they did."""
        if self._reading is None or made._reading is None:
            return False
        ours = [
            (first if first < start else first + longer, last if last <= start else last + longer, name)
            for first, last, name in self._reading.regions()
            if first < start or last > end
        ]
        theirs = [region for region in made._reading.regions() if region[0] < start or region[1] > end + longer]
        return ours == theirs


class SyntaxWindow(Window):
    """The sketch of all of a text, as one of the text up to `settled`."""

    def __init__(
        self, chunker: TextChunker, text: str, settled: int, sketch: Sketch, context_at: ContextAt | None
    ) -> None:
        super().__init__(chunker, text, settled)
        self._sketch = sketch
        self._whole_context = context_at

    def mark(self, _start: int) -> Mark:
        """See `Window`."""
        return _HERE

    def _part(self, start: int, behind: int, stand: Stand) -> Outline:
        whole, settled = self._sketch, self.settled
        rows = slice(bisect_left(whole.offsets, behind), bisect_left(whole.offsets, settled))
        heads = {
            offset - start: end - start for offset, end in whole.heads.items() if behind <= offset and end <= settled
        }
        heads.update((offset, end) for offset, end in stand.heads if end <= settled - start)
        offsets = whole.offsets[rows]
        closed = [offset - start for offset in offsets if offset in whole.closed]

        def look(offset: int) -> Inside:
            inside = whole.inside(offset + start)
            moved = {offset - start: end - start for offset, end in inside.heads.items()}
            return inside._replace(offsets=[offset - start for offset in inside.offsets], heads=moved)

        columns = ([offset - start for offset in offsets], whole.strengths[rows], whole.labels[rows])
        return Sketch.of(columns, closed, look, _no_scopes, finest=whole.finest, heads=heads)

    def _context_of(self, start: int) -> ContextAt:
        if self._whole_context is None:
            raise NotLocalError
        return context_behind(start, self._whole_context)


def _no_scopes(_inside: object) -> list[Scope]:
    """The contexts come from all of the text."""
    return []
