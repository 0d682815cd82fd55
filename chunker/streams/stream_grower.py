"""Grow the chunks of a text that arrives in parts, by the algorithm for whole texts, as soon as later text can no
longer change them.

    held       ....|================================|~~~~~~~~~~~~~~~~|-------|
               gone  chunks that begin here are final  far enough away  not settled: its boundaries may change
                                                     ^ horizon

How far does the grower look for a chunk? It fills the chunk until the budget is exceeded; it may check whether a unit
in it would fit into a chunk of its own; `refine` reads a window; and whether the rest of the text is undersized is
known once enough characters follow. So a chunk is final if three budgets of settled text, and some thousand characters
more, follow its start. The horizon is the last offset for which that is certain; only chunks that begin up to the
horizon are made.

It is assumed that three budgets of text exceed the budget, whatever follows: no tokenizer merges three tokens into one
that way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate

import regex

from chunker.counting import TokenCounter
from chunker.formats import Outline
from chunker.formats.open_outline import BoundaryColumns
from chunker.growing.budget import Budget
from chunker.growing.compiled import grower_of
from chunker.growing.limits import LONGEST_TOKEN
from chunker.growing.pieces import ContextAt, Piece, context_from
from chunker.growing.units import Place

_BUDGETS = 3
_SPARE_TOKENS = 256
# More characters than `refine` reads of a unit.
_REFINED = 20_000
# A grapheme cluster ends between two such characters, whatever is around them. A cluster that is longer than the window
# is read to its end.
_CLUSTER_END = regex.compile(r"[\p{GCB=Other}\p{GCB=Control}\n][\p{GCB=Other}\p{GCB=Control}\n]", regex.V0)


class StreamGrower:
    """Makes the chunks of a growing text, window by window. All offsets are those of the whole text, in characters."""

    def __init__(self, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt) -> None:
        self._tokenizer = tokenizer
        self._budget = budget
        self._context_at = context_at
        # Units ahead: first those that were refined or repeat the end of a chunk, then those of the outline.
        self._front: list[Place] = []
        self._overlapping = 0
        self._columns = BoundaryColumns([], [], [])
        self._end = 0  # the end of the last window, which the units ahead take for the end of the text
        self.start = 0  # the start of the next chunk; text before it is no longer needed

    def pieces(self, window: str, found: BoundaryColumns, finest: int, *, last: bool) -> Iterator[Piece]:
        """Yield the chunks that are certain once the text is known up to the end of `window`, which begins at `start`;
        all chunks if it is the `last`.

        `found` are the boundaries that have become final since the last call. The iterator must be exhausted.
        """
        base = self.start
        self._front = _with_ends(self._front, self._end, found, base + len(window))
        self._end = base + len(window)
        self._columns.extend(found)
        horizon = None if last else self._horizon(window)
        if horizon is None and not last:
            return
        offsets, strengths, labels = self._columns
        outline = Outline.of_columns([offset - base for offset in offsets], strengths, labels, finest=finest)
        grower = grower_of(window, outline, self._tokenizer, self._budget, context_from(base, self._context_at))
        grower.resume([_moved(place, -base) for place in self._front], self._overlapping)
        for piece in grower.pieces(horizon):
            yield piece._replace(start=base + piece.start, end=base + piece.end)
        ahead = grower.ahead(len(window))  # all of it
        self._front = [_moved(place, base) for place in ahead.places or ()]
        self._columns = BoundaryColumns(offsets[ahead.row :], strengths[ahead.row :], labels[ahead.row :])
        self._overlapping = ahead.overlapping
        self.start = base + ahead.start

    def _horizon(self, window: str) -> int | None:
        """Return the last offset in `window` from which a chunk is certain; None if there is none."""
        margin = max(_REFINED, self._budget.min_tokens * LONGEST_TOKEN)
        end = len(window) - margin
        if end <= 0 or _CLUSTER_END.search(window, end) is None:
            return None
        limit = _BUDGETS * self._budget.max_tokens + _SPARE_TOKENS
        size = limit * 4
        while True:
            start = max(end - size, 0)
            if self._tokenizer.count_up_to(window[start:end], limit) is None:
                return start
            if start == 0:
                return None
            size *= 2


def _with_ends(places: list[Place], open_end: int, found: BoundaryColumns, end: int) -> list[Place]:
    """Set the ends of units that ended at `open_end`, the end of the previous window: the first stronger boundary in
    `found`, or `end` if there is none.
    """
    strongest = list(accumulate(found.strengths, max))
    result = []
    for place in places:
        if place.enclosing_end == open_end:
            index = bisect_right(strongest, place.strength)  # the first that is stronger
            place = place._replace(enclosing_end=found.offsets[index] if index < len(strongest) else end)  # noqa: PLW2901
        result.append(place)
    return result


def _moved(place: Place, by: int) -> Place:
    return place._replace(offset=place.offset + by, enclosing_end=place.enclosing_end + by)
