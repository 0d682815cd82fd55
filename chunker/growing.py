"""Growing chunks: one algorithm for every format.

    text      First one.  Second one.  A much longer third one.
    units     |----------|------------|------------------------|
    append        ok          ok        over the budget: roll back to here
                                       ^ cut, and begin the next chunk with the third unit

A chunk grows unit by unit in an appending encoder, so that its exact count is known after each. When it is over the budget, the
encoder is rolled back to the last boundary that fitted, `cutting` chooses where to cut, and the next chunk grows from there. What is read
twice is what lay between the cut and the overflow; a chunk costs its own length and that, whatever the length of the text.

How far a chunk will come is much the same from chunk to chunk. So the first three quarters of that way are one leap, not a step for
each unit; where it turns out to be too long, it is taken back.

A unit that does not fit into a chunk of its own is cut finer when it is met, level by level, in the end between characters; so
is one that would leave a chunk with less than `min_tokens`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from typing import Any

from bpe_engine.encoders import append_fitting
from chunker.boundaries import Outline, Strength
from chunker.budget import Budget
from chunker.compiled_growing import Reach, compiled_grower
from chunker.counting import AppendingCounter, TokenCounter
from chunker.cutting import UNMEASURED, Filling, balanced_tail, best_cut, whole_units
from chunker.errors import BudgetTooSmallError
from chunker.overlap import repeated_places, shortened
from chunker.pieces import ContextAt, Piece, no_context
from chunker.units import Place, Places, Units

# Counts of prefixes are not monotone: one more character can complete a long token and lower the count, so the first overflow does
# not prove that no longer prefix fits. By how much it can fall at once is not bounded by anything small, but falls of more than two tokens
# are hardly ever seen, and to miss one only makes a chunk shorter than it could be. So growing goes on while the count is at most this
# many tokens over the budget.
LOOK_AHEAD = 4

# How far to look for units at a time: this many characters a token of budget. An average token has 3 to 5 characters.
_STRIDE = 16

# Characters a token of budget that are appended before the count is looked at, as by `append_fitting`.
_LOOK = 2

# A leap goes this far of the way that the last chunk could have come, and must not fill a chunk to more than nine tenths: that a unit
# inside it is over the budget, and the whole of it is not, would take a fall of so many tokens.
_LEAP = 0.75
_LEAP_FILLS = 0.9

# Characters ahead in which to look for units after a leap, at least.
_LEAST_REACH = 64

# More tokens than there are in any chunk.
UNLIMITED = 1 << 40

# Characters at the end of a unit in which to look for blank lines, and more if they are all blank.
_BLANKS = 64

# What has this many characters a token of a limit is above it: published vocabularies have no longer token.
LONGEST_TOKEN = 128

_REACH = Reach(LOOK_AHEAD, _LEAP, _LEAP_FILLS, _LOOK, LONGEST_TOKEN)


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
        # Encoders of other packages need not have it.
        self._append_fitting = getattr(self._encoder, "append_fitting", None) or partial(append_fitting, self._encoder)
        self._empty = self._encoder.snapshot()
        self._stride = max(budget.max_tokens, 16) * _STRIDE
        self._leap_limit = int(budget.max_tokens * _LEAP_FILLS)
        # Where a chunk has a desired size, all sizes in it are looked at: there is nothing to leap over.
        self._leaps = budget.desired_tokens is None
        # Characters that the last chunk would have needed to be full; 0 where that is not known.
        self._full = 0
        plain = context_at is no_context and not budget.overlap and self._leaps
        self._compiled = (
            compiled_grower(text, outline, self._units, self._encoder, budget=budget, reach=_REACH) if plain else None
        )
        # How many of the units ahead repeat the end of the previous chunk.
        self._overlapping = 0

    def pieces(self) -> Iterator[Piece]:
        """The chunks in the order of the text. Raises `BudgetTooSmallError` where a single character does not fit."""
        while self._units:
            if self._compiled is not None:
                self._full = yield from self._compiled.pieces(self._full)
                if not self._units:
                    return
            filling = self._fill()
            if self._leaps:
                length = self._units.offset - filling.places[0].offset
                self._full = length * self._budget.max_tokens // max(filling.sizes[-1], 1)
            cut = self._choose_cut(filling)
            if cut is None:
                continue
            self._units.put_back_from(filling.places, cut)
            first = filling.places[0]
            yield Piece(first.offset, self._units.offset, filling.context, filling.size(cut), first.label)
            self._overlapping = 0
            if self._units and self._budget.overlap:
                self._repeat_end_of(filling.places.listed())

    # --- growing

    def _fill(self) -> Filling:
        """Take as many units as fit, at least one of them new; cut finer what is ahead where that is needed."""
        units = self._units
        filling = self._begin(self._context())
        while True:
            self._extend(filling)
            if filling.complete:
                return filling
            if len(filling.places) < filling.fresh:
                # Not even the overlap fits behind its context. It is not cut finer: what is repeated would be taken for new.
                filling = self._shorten_overlap(filling)
                continue
            enough = filling.gain(len(filling.places)) >= filling.least
            if units.next_is_closed:
                if enough and self._stays_whole(filling):
                    return filling
                if units.open_next():
                    continue
            if enough and units.next_is_of_outline:
                return filling
            parts = units.parts(units.next, units.after_next)
            if units.holds_several(units.next, units.after_next, parts):
                units.split_next(parts)
            elif enough:
                return filling
            else:
                more = self._make_room(filling, parts)
                if more is None:
                    return filling
                filling = more

    def _stays_whole(self, filling: Filling) -> bool:
        """Whether a cut inside the next unit would only be moved back to its start: it fits alone, and not by the blank lines at its end alone
        into this chunk.
        """
        start, end = self._units.offset, self._units.end
        if not self._fits_alone(start, end):
            return False
        if filling.tears_head(len(filling.places), self._units.next, self._fits_alone):
            return False
        ink = self._end_of_ink(start, end)
        if ink == end:
            return True
        here = self._encoder.snapshot()
        count = self._append(start, ink)
        self._encoder.rollback(here)
        return count > self._budget.max_tokens

    def _context(self) -> str:
        """What stands before the next chunk: it tells where the text is that no chunk had before, behind the overlap."""
        units = self._units
        start, fresh = units.offset, units.offset_of(self._overlapping)
        return self._context_at(fresh, self._text[start:fresh])

    def _begin(self, context: str) -> Filling:
        """A chunk without units."""
        self._start_encoder(context)
        count = self._encoder.count if context else 0
        least, fresh = self._least_gain(), self._overlapping
        heads = self._units.heads
        return Filling(self._budget.max_tokens, least, context, count, fresh, Places(), [count], self._measure, heads)

    def _start_encoder(self, context: str) -> None:
        self._encoder.rollback(self._empty)
        if context:
            self._encoder.append(context)

    def _extend(self, filling: Filling) -> None:
        """Append unit after unit to the encoder; afterwards it stands at the farthest boundary that fits, and so does `filling`."""
        units, sizes, fresh = self._units, filling.sizes, filling.fresh
        may_leap = self._full > 0 and len(sizes) == 1
        reach = self._full + self._full // 4 + _LEAST_REACH if may_leap else self._stride
        while units:
            cuts = units.cuts(reach)
            # As many units behind the overlap as the leap goes over.
            inside = bisect_right(cuts, cuts[0] + int(self._full * _LEAP)) - 2 - fresh if may_leap else 0
            asked = cuts[: fresh + 1] + cuts[fresh + 1 + inside :] if inside > 0 else cuts
            counts, overflowed = self._append_fitting(self._text, asked, self._budget.max_tokens, LOOK_AHEAD)
            may_leap = False
            if inside > 0:
                if len(counts) <= fresh or counts[fresh] > self._leap_limit:
                    self._start_encoder(filling.context)
                    continue
                counts[fresh:fresh] = [UNMEASURED] * inside
            units.move(len(counts), filling.places)
            sizes += counts
            if overflowed or (len(counts) < len(cuts) - 1 and cuts[-1] == len(self._text)):
                break
            # All of these fit; or the last ones do not by so little that what is behind them may make them fit.
            reach *= 2
        if len(sizes) > fresh:
            filling.base = sizes[fresh]
        filling.complete = not units

    def _measure(self, filling: Filling, ends: list[int]) -> list[int]:
        """What the chunk would cost if it ended at each of `ends`. Only for one that grows no more: it takes the encoder."""
        self._start_encoder(filling.context)
        counts: list[int]
        counts, _ = self._append_fitting(self._text, [filling.places[0].offset, *ends], UNLIMITED, 0)
        return counts

    def _append(self, start: int, end: int) -> int:
        """Append text[start:end] where it fits, and what is known to be too long at most in part; the count then."""
        counts, _ = self._append_fitting(self._text, [start, end], self._budget.max_tokens, 0)
        return counts[0] if counts else self._budget.max_tokens + 1

    def _make_room(self, filling: Filling, parts: list[Place]) -> Filling | None:
        """Do something so that more fits than `filling` has, and return what to go on with; None if it has to do as it is.

        What goes first: overlap that keeps a unit out which would fit without it, the unit's wholeness, the context.
        A grapheme cluster is taken apart only if it does not fit into a chunk that holds nothing else.
        """
        start, end = self._units.offset, self._units.end
        limit = self._budget.max_tokens
        if self._overlapping and self._fits(filling.context, start, end, limit):
            return self._shorten_overlap(filling)
        if parts and (parts[0].strength >= Strength.GRAPHEME or not self._fits("", start, end, limit)):
            self._units.split_next(parts)
            return filling
        if filling.gain(len(filling.places)):
            return None
        # No unit was taken, or such as add no token: "\n\n" behind a context that ends with a line end.
        if self._overlapping:
            return self._shorten_overlap(filling)
        if filling.context:
            self._units.put_back_from(filling.places, 0)
            return self._begin("")
        if filling.places:
            return None
        unit = self._text[start:end]
        raise BudgetTooSmallError(unit, start, self._tokenizer.count(unit), limit)

    def _least_gain(self) -> int:
        """Tokens that a chunk should add to the previous one: where an overlap leaves less than `min_tokens`, what it leaves."""
        room = self._budget.max_tokens - self._budget.overlap if self._overlapping else self._budget.max_tokens
        return max(min(self._budget.min_tokens, room), 1)

    def _fits(self, context: str, start: int, end: int, limit: int) -> bool:
        return self._tokenizer.count_up_to(context + self._text[start:end], limit) is not None

    # --- cutting

    def _choose_cut(self, filling: Filling) -> int | None:
        """How many of the units to keep. None: the chunk is to grow once more, for now there are more units to choose from."""
        if filling.complete:
            size = len(self._text)
            return best_cut(
                filling, Place(size, Strength.DOCUMENT, "", size), self._budget.desired_tokens, self._fits_alone
            )
        self._leave_blank_lines(filling)
        after = self._units.next
        cut = best_cut(filling, after, self._budget.desired_tokens, self._fits_alone)
        cut = whole_units(filling, after, self._fits_alone, cut)
        rest = filling.places[cut].offset if cut < len(filling.places) else after.offset
        if self._is_crumb(rest):
            if self._units.any_closed(filling.places[0].offset):
                self._units.put_back_from(filling.places, 0)
                self._units.open_all()
                return None
            whole = self._tokenizer.count(filling.context + self._text[filling.places[0].offset :])
            cut = balanced_tail(filling, after, cut, whole, self._fits_alone)
        return cut

    def _leave_blank_lines(self, filling: Filling) -> None:
        """Take the next unit without the blank lines at its end, if these are all that keeps a larger unit from being complete."""
        if not self._units.next_completes_unit:
            return
        place, behind = self._units.next, self._units.end
        if not filling.begins_unit_around(place):
            return
        end = self._end_of_ink(place.offset, behind)
        if end == behind:
            return
        count = self._append(place.offset, end)
        if count <= self._budget.max_tokens:
            self._units.move_next_end(end)
            self._units.move(1, filling.places)
            filling.sizes.append(count)

    def _end_of_ink(self, start: int, end: int) -> int:
        """Where the blank lines begin that text[start:end] ends with; `end` if there are none."""
        size = _BLANKS
        while True:
            first = max(end - size, start)
            ink = len(self._text[first:end].rstrip())
            if ink or first == start:
                return self._text.find("\n", first + ink, end) + 1 or end
            size *= 2

    def _fits_alone(self, start: int, end: int) -> bool:
        """Whether text[start:end], but for blank lines at its end, fits into a chunk that begins with it, apart from the overlap."""
        limit = self._budget.max_tokens - self._budget.overlap
        if end - start > limit * LONGEST_TOKEN:
            return False  # what reaches to the end of the text is not read again for each chunk that it spans
        return self._fits(self._context_at(start), start, self._end_of_ink(start, end), limit)

    def _is_crumb(self, start: int) -> bool:
        """Whether text[start:] is less than `min_tokens`."""
        min_tokens = self._budget.min_tokens
        if len(self._text) - start > min_tokens * LONGEST_TOKEN:
            return False
        return min_tokens > 0 and self._tokenizer.count_up_to(self._text[start:], min_tokens - 1) is not None

    # --- overlap

    def _repeat_end_of(self, places: list[Place]) -> None:
        """Put the end of the finished chunk, which took these places, in front of what is ahead."""
        repeated = repeated_places(places, self._units, self._text, self._tokenizer, self._budget)
        self._overlapping = len(repeated)
        self._units.put_back(repeated)

    def _shorten_overlap(self, filling: Filling) -> Filling:
        """Begin again with half of the units of overlap at most."""
        units = self._units
        units.put_back(filling.places.listed())
        repeated = units.take(self._overlapping)
        kept = shortened(repeated, units.offset, self._text, self._tokenizer, self._budget.overlap)
        units.put_back(repeated, len(repeated) - len(kept))
        self._overlapping = len(kept)
        return self._begin(self._context())
