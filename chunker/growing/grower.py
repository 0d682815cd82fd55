"""Growing chunks: one algorithm for every format.

    text      First one.  Second one.  A much longer third one.
    units     |----------|------------|------------------------|
    append        ok          ok        over the budget: roll back to here
                                       ^ cut, and begin the next chunk with the third unit

A chunk grows unit by unit in an appending encoder, so that its exact count is known after each. When the chunk exceeds
the budget, the encoder is rolled back to the last boundary that fitted, `cut_rules` chooses where to cut, and the next
chunk grows from there. Only the text between the cut and the overflow is read twice, so the cost of a chunk does not
depend on the length of the text.

A unit that does not fit into a chunk of its own is refined when the grower reaches it, level by level, in the end
between characters. So is a unit that would leave a chunk with less than `min_tokens`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chunker.counting import AppendingCounter, TokenCounter
from chunker.errors import BudgetTooSmallError
from chunker.formats import Outline, Strength
from chunker.growing.budget import Budget
from chunker.growing.cut_rules import Draft, balanced_tail, best_cut, whole_units
from chunker.growing.limits import LONGEST_TOKEN, LOOK_AHEAD, look
from chunker.growing.overlap import repeated_places, shortened
from chunker.growing.pieces import ContextAt, Piece
from chunker.growing.units import Ahead, Place, Units, end_before_blank_lines


class Grower:
    """Grows the chunks of one text, once. Linear in the text; memory is that of the outline and of one chunk."""

    def __init__(
        self, text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt
    ) -> None:
        self._text = text
        self._tokenizer = tokenizer
        self._budget = budget
        self._context_at = context_at
        self._units = Units(text, outline)
        self._encoder: AppendingCounter[Any] = tokenizer.appending_encoder()
        self._empty = self._encoder.snapshot()
        # The number of units ahead that repeat the end of the previous chunk.
        self._overlapping = 0

    def pieces(self, horizon: int | None = None) -> Iterator[Piece]:
        """See `AnyGrower`."""
        while self._units:
            if horizon is not None and self._units.offset > horizon:
                return
            draft = self._fill()
            cut = self._choose_cut(draft)
            if cut is None:
                continue
            self._units.put_back(draft.places, cut)
            first = draft.places[0]
            piece = Piece(first.offset, self._units.offset, draft.context, draft.sizes[cut], first.label)
            self._overlapping = 0
            if self._units and self._budget.overlap:
                self._repeat_end_of(draft.places)
            yield piece

    def one(self) -> Piece | None:
        """See `AnyGrower`."""
        return next(self.pieces(), None)

    def ahead(self, most: int) -> Ahead:
        """See `AnyGrower`."""
        units, front = self._units, self._units.front
        unsettled = next((place.offset for place in front if place.enclosing_end == len(self._text)), -1)
        places = front[::-1] if len(front) <= most else None
        return Ahead(places, units.offset, units.next_row, self._overlapping, unsettled)

    def resume(self, ahead: list[Place], overlapping: int) -> None:
        """See `AnyGrower`."""
        self._units.put_back(ahead, 0)
        self._overlapping = overlapping

    # --- growing

    def _fill(self) -> Draft:
        """Take as many units as fit, at least one of them new; refine units ahead if necessary."""
        units = self._units
        draft = self._begin(self._context())
        while True:
            self._extend(draft)
            if draft.complete:
                return draft
            if len(draft.places) < draft.fresh:
                # Not even the overlap fits after its context. Do not refine it: repeated text would be taken for new
                # text.
                draft = self._shorten_overlap(draft)
                continue
            enough = draft.gain(len(draft.places)) >= draft.least
            if units.next_is_closed:
                if enough and self._stays_whole(draft):
                    return draft
                if units.open_next():
                    continue
            if enough and units.next_is_of_outline:
                return draft
            parts = units.parts(units.next, units.after_next)
            if units.holds_several(units.next, units.after_next, parts):
                units.split_next(parts)
            elif enough:
                return draft
            else:
                more = self._make_room(draft, parts)
                if more is None:
                    return draft
                draft = more

    def _stays_whole(self, draft: Draft) -> bool:
        """Whether a cut inside the next unit would only be moved back to its start: the unit fits alone, and would not
        fit into this chunk without the blank lines at its end.
        """
        start, end = self._units.offset, self._units.end
        if not self._fits_alone(start, end):
            return False
        if draft.tears_head(len(draft.places), self._units.next, self._fits_alone):
            return False
        text_end = end_before_blank_lines(self._text, start, end)
        if text_end == end:
            return True
        here = self._encoder.snapshot()
        count = self._append(start, text_end)
        self._encoder.rollback(here)
        return count > self._budget.max_tokens

    def _context(self) -> str:
        """Return the context of the next chunk: that of its first new text, after the overlap."""
        units = self._units
        start, fresh = units.offset, units.offset_of(self._overlapping)
        return self._context_at(fresh, self._text[start:fresh])

    def _begin(self, context: str) -> Draft:
        """Start a chunk without units."""
        self._start_encoder(context)
        count = self._encoder.count if context else 0
        least, fresh = self._least_gain(), self._overlapping
        heads = self._units.heads
        return Draft(self._budget.max_tokens, least, context, count, fresh, [], [count], heads)

    def _start_encoder(self, context: str) -> None:
        self._encoder.rollback(self._empty)
        if context:
            self._encoder.append(context)

    def _extend(self, draft: Draft) -> None:
        """Append units to the encoder as long as they fit; afterwards the encoder and `draft` end at the last
        boundary that fits.
        """
        units, places, sizes = self._units, draft.places, draft.sizes
        fitting, mark = len(places), self._encoder.snapshot()
        while units:
            if sizes[-1] <= self._budget.max_tokens and self._opens_next():
                continue
            start, end = units.offset, units.end
            places += units.take(1)
            sizes.append(self._append(start, end, LOOK_AHEAD))
            if sizes[-1] > self._budget.max_tokens + LOOK_AHEAD:
                break
            if sizes[-1] <= self._budget.max_tokens:
                fitting, mark = len(places), self._encoder.snapshot()
        self._encoder.rollback(mark)
        units.put_back(places, fitting)
        del sizes[fitting + 1 :]
        if len(sizes) > draft.fresh:
            draft.base = sizes[draft.fresh]
        draft.complete = not units

    def _opens_next(self) -> bool:
        """Refine the next unit if a chunk of the desired size may end inside it. Returns whether that gave new
        boundaries.
        """
        desired = self._budget.desired_tokens
        if desired is None or not self._units.next_is_closed:
            return False
        here = self._encoder.snapshot()
        count = self._append(self._units.offset, self._units.end, LOOK_AHEAD)
        self._encoder.rollback(here)
        return count + LOOK_AHEAD >= desired and self._units.open_next()

    def _append(self, start: int, end: int, look_ahead: int = 0) -> int:
        """Append text[start:end], or only a part of it if that is over the budget by more than `look_ahead` tokens.
        Returns the count.
        """
        encoder, stride = self._encoder, look(self._budget.max_tokens)
        for at in range(start, end, stride):
            encoder.append(self._text[at : min(at + stride, end)])
            if encoder.count > self._budget.max_tokens + look_ahead:
                break
        return encoder.count

    def _make_room(self, draft: Draft, parts: list[Place]) -> Draft | None:
        """Make room for more text than `draft` has. Returns the chunk to go on with; None if `draft` has to do.

        Given up in this order: overlap that keeps out a unit which would fit without it; the wholeness of the unit; the
        context. A grapheme cluster is split only if it does not fit into a chunk of its own.
        """
        start, end = self._units.offset, self._units.end
        limit = self._budget.max_tokens
        if self._overlapping and self._fits(draft.context, start, end, limit):
            return self._shorten_overlap(draft)
        if parts and (parts[0].strength >= Strength.GRAPHEME or not self._fits("", start, end, limit)):
            self._units.split_next(parts)
            return draft
        if draft.gain(len(draft.places)):
            return None
        # No unit was taken, or only units that add no token: "\n\n" after a context that ends with a line end.
        if self._overlapping:
            return self._shorten_overlap(draft)
        if draft.context:
            self._units.put_back(draft.places)
            return self._begin("")
        if draft.places:
            return None
        unit = self._text[start:end]
        raise BudgetTooSmallError(unit, start, self._tokenizer.count(unit), limit)

    def _least_gain(self) -> int:
        """Return the number of tokens that a chunk should add to the previous one: `min_tokens`, or the room beside the
        overlap if that is less.
        """
        room = self._budget.max_tokens - self._budget.overlap if self._overlapping else self._budget.max_tokens
        return max(min(self._budget.min_tokens, room), 1)

    def _fits(self, context: str, start: int, end: int, limit: int) -> bool:
        return self._tokenizer.count_up_to(context + self._text[start:end], limit) is not None

    # --- cutting

    def _choose_cut(self, draft: Draft) -> int | None:
        """Return the number of units to keep; None to grow the chunk once more, because there are more units to choose
        from now.
        """
        if draft.complete:
            return best_cut(draft, self._units.end_of_text, self._budget.desired_tokens, self._fits_alone)
        self._leave_blank_lines(draft)
        after = self._units.next
        cut = best_cut(draft, after, self._budget.desired_tokens, self._fits_alone)
        cut = whole_units(draft, after, self._fits_alone, cut)
        rest = draft.places[cut].offset if cut < len(draft.places) else after.offset
        if self._is_undersized(rest):
            if self._units.any_closed(draft.places[draft.fresh].offset):
                self._units.put_back(draft.places, draft.fresh)
                self._units.open_all()
                self._units.put_back(draft.places)
                return None
            whole = self._tokenizer.count(draft.context + self._text[draft.places[0].offset :])
            cut = balanced_tail(draft, after, cut, whole, self._fits_alone)
        return cut

    def _leave_blank_lines(self, draft: Draft) -> None:
        """Take the next unit without its trailing blank lines, if only these keep a larger unit from being complete."""
        if not self._units.next_completes_unit:
            return
        place, unit_end = self._units.next, self._units.end
        if not draft.begins_unit_around(place):
            return
        end = end_before_blank_lines(self._text, place.offset, unit_end)
        if end == unit_end:
            return
        count = self._append(place.offset, end)
        if count <= self._budget.max_tokens:
            self._units.move_next_end(end)
            draft.places += self._units.take(1)
            draft.sizes.append(count)

    def _fits_alone(self, start: int, end: int) -> bool:
        """Whether text[start:end] without trailing blank lines fits into a chunk that begins with it, apart from the
        overlap.
        """
        limit = self._budget.max_tokens - self._budget.overlap
        if end - start > limit * LONGEST_TOKEN:
            return False  # a unit up to the end of the text would be read again for each chunk in it
        return self._fits(self._context_at(start), start, end_before_blank_lines(self._text, start, end), limit)

    def _is_undersized(self, start: int) -> bool:
        """Whether text[start:] has less than `min_tokens`."""
        min_tokens = self._budget.min_tokens
        if len(self._text) - start > min_tokens * LONGEST_TOKEN:
            return False
        return min_tokens > 0 and self._tokenizer.count_up_to(self._text[start:], min_tokens - 1) is not None

    # --- overlap

    def _repeat_end_of(self, places: list[Place]) -> None:
        """Put the end of the finished chunk, which took these units, in front of the units ahead."""
        repeated = repeated_places(places, self._units, self._text, self._tokenizer, self._budget)
        self._overlapping = len(repeated)
        self._units.put_back(repeated)

    def _shorten_overlap(self, draft: Draft) -> Draft:
        """Start the chunk again with at most half of the units of overlap."""
        units = self._units
        units.put_back(draft.places)
        repeated = units.take(self._overlapping)
        kept = shortened(repeated, units.offset, self._text, self._tokenizer, self._budget.overlap)
        units.put_back(repeated, len(repeated) - len(kept))
        self._overlapping = len(kept)
        return self._begin(self._context())
