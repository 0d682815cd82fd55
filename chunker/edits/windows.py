"""A window of a text, read and chunked as if the whole text were there.

    ....|~~~~~~~~|=================|-----------|--------|....
        mark     start             edge        settled  end
                 chunks from here              boundaries up to here are those of the whole text
                                   chunks that begin up to here are those of the whole text

How far does a chunk look? It is filled until it is over the budget, and a unit in it may be asked whether it would fit into a chunk of its own. So
a chunk that has two budgets of settled text before it comes out as it would. `settled` is a boundary: no unit is seen in part.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from chunker.chunkers import TextChunker
from chunker.edits.rows import EditedRow, Mark, Stand
from chunker.formats import Outline
from chunker.formats.restarting import Restarts
from chunker.growing.compiled import grower_of
from chunker.growing.pieces import context_behind, no_context
from chunker.growing.units import Place

# No place of a text: the end of a unit that reaches out of a window.
FAR = 1 << 60
_BUDGETS = 2
_SPARE_TOKENS = 128
_CHARACTERS_A_TOKEN = 4


class NotLocalError(Exception):
    """The text has to be read as a whole."""


def looked_at(chunker: TextChunker) -> int:
    """Tokens behind its start that say how a chunk comes out."""
    return _BUDGETS * chunker.budget.max_tokens + _SPARE_TOKENS


def edge_before(chunker: TextChunker, text: str, end: int, start: int) -> int:
    """The last offset from which a chunk depends on nothing behind text[:end]; `start`, from which the text is known, if there is none."""
    limit = looked_at(chunker)
    size = limit * _CHARACTERS_A_TOKEN
    while True:
        at = max(end - size, start)
        if chunker.tokenizer.count_up_to(text[at:end], limit) is None:
            return at
        if at == start:
            return start - 1
        size += size // 2


class Chunking(NamedTuple):
    """The chunker of a text, its source, and the rules by which it can be read from its middle."""

    chunker: TextChunker
    source: str | None
    rules: Restarts


class Made(NamedTuple):
    """A row, how far it is from its start to that of the next, and how the grower stands there."""

    row: EditedRow
    step: int
    stand: Stand


class Window:
    """The outline of `text` from a mark, at `start`, up to `end`, and the chunks that can be grown by it.

    Raises `NotLocalError` if nothing of it is certain.
    """

    def __init__(self, chunking: Chunking, text: str, start: int, mark: Mark, end: int) -> None:
        self._chunker, self._source, rules = chunking
        self._rules = rules
        self._text = text
        whole = mark.preamble + text[start:end] if start or end < len(text) else text
        head = len(mark.preamble)
        self._shift = start - head  # from offsets of the outline to those of the text
        self._whole = whole
        self.outline = outline = rules.outline(whole)
        places = rules.places(whole, outline, head + 1)
        self.is_last = end == len(text)
        settled = len(whole)
        if not self.is_last:
            # The last place may be none: what follows could be a part of it, or make something else of it.
            if len(places) < 2:
                raise NotLocalError
            settled = places[-2]
            places = places[:-2]
        first = bisect_left(outline.offsets, head)
        if first == len(outline.offsets) or outline.offsets[first] != head:
            raise NotLocalError
        behind = bisect_left(outline.offsets, settled)
        self.offsets = [offset + self._shift for offset in outline.offsets[first:behind]]
        self.strengths, self.labels = outline.strengths[first:behind], outline.labels[first:behind]
        if start:
            self.strengths[0], self.labels[0] = mark.strength, mark.label
        self.settled = settled + self._shift
        self._first_mark = mark
        self._start = start
        self._places = [place + self._shift for place in places]
        self._marks: dict[int, Mark] = {}

    def mark(self, start: int) -> Mark:
        """The last place at `start` or before it where the text can be read anew, from there."""
        index = bisect_right(self._places, start) - 1
        if index < 0:
            return self._first_mark._replace(offset=self._start - start)
        place = self._places[index]
        known = self._marks.get(place)
        if known is None:
            number = bisect_left(self.offsets, place)
            preamble = self._rules.preamble(self._whole, self.outline, place - self._shift)
            known = self._marks[place] = Mark(0, preamble, self.strengths[number], self.labels[number])
        return known._replace(offset=place - start)

    def grow(self, start: int, stand: Stand) -> Iterator[Made]:
        """The chunks from `start` on that are certain, by a grower that stands so."""
        text = self._text[start : self.settled]
        front = [self._inside(place, len(text)) for place in stand.front]
        first = bisect_left(self.offsets, start + stand.behind)
        outline = Outline.of_columns(
            [offset - start for offset in self.offsets[first:]],
            self.strengths[first:],
            self.labels[first:],
            finest=self.outline.finest,
        )
        rows = outline.offsets
        chunker = self._chunker
        context_at = no_context
        if chunker.context:
            context_at = context_behind(start - self._shift, chunker.context_of("", self.outline, self._source))
        grower = grower_of(text, outline, chunker.tokenizer, chunker.budget, context_at)
        grower.resume(front, stand.overlapping)
        edge = None
        if not self.is_last:
            edge = edge_before(chunker, text, len(text), 0)
            if edge < 0:
                return
        at = 0
        while (piece := grower.one(edge)) is not None:
            places, behind, overlapping = grower.ahead()
            row_ahead = rows[behind] if behind < len(rows) else len(text)
            after = places[0].offset if places else row_ahead
            row = EditedRow(
                piece.start - at, piece.end - at, piece.context, piece.tokens, piece.label, stand, self.mark(start + at)
            )
            front = [self._outside(place, after, len(text)) for place in places]
            stand = Stand(tuple(front), row_ahead - after, overlapping)
            yield Made(row, after - at, stand)
            at = after

    def _inside(self, place: Place, size: int) -> Place:
        return place if place.enclosing_end <= size else place._replace(enclosing_end=size)

    def _outside(self, place: Place, start: int, size: int) -> Place:
        end = FAR if place.enclosing_end == size and not self.is_last else place.enclosing_end - start
        return place._replace(offset=place.offset - start, enclosing_end=end)


def same_stand(one: Stand, other: Stand, size: int) -> bool:
    """Whether two growers stand alike; what is `size` characters behind them and more is the same to both."""
    if (one.overlapping, one.behind, len(one.front)) != (other.overlapping, other.behind, len(other.front)):
        return False
    return all(
        mine[:3] == theirs[:3] and min(mine.enclosing_end, size) == min(theirs.enclosing_end, size)
        for mine, theirs in zip(one.front, other.front, strict=True)
    )
