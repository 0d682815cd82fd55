"""Growing chunks: one algorithm for every format.

    text      First one.  Second one.  A much longer third one.
    units     |----------|------------|------------------------|
    append        ok          ok        over the budget: roll back to here
                                       ^ cut, and begin the next chunk with the third unit

A chunk grows unit by unit in an appending encoder, so that its exact count is known after each. When it is over the budget, the
encoder is rolled back to the last boundary that fitted, `cutting` chooses where to cut, and the next chunk grows from there. What is read
twice is what lay between the cut and the overflow; a chunk costs its own length and that, whatever the length of the text.

Formats stop at lines or sentences. A unit that does not fit into a chunk of its own is refined when it is met, into sentences, words,
grapheme clusters and in the end characters, one level at a time; so is one that would leave a chunk with less than `min_tokens`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from chunker.boundaries import Outline, Strength, refine
from chunker.budget import Budget
from chunker.counting import AppendingCounter, PrependingCounter, TokenCounter
from chunker.cutting import Filling, Place, balanced_tail, stack_of_places, whole_units
from chunker.errors import BudgetTooSmallError

# Counts of prefixes are not monotone: one more character can complete a long token and lower the count, so the first overflow does
# not prove that no longer prefix fits. By how much it can fall at once is not bounded by anything small, but falls of more than two tokens
# are hardly ever seen, and to miss one only makes a chunk shorter than it could be. So growing goes on while the count is at most this
# many tokens over the budget.
_LOOK_AHEAD = 4

# A unit is appended in strides, so that one that is far too long is not read to its end: this many characters a token of budget. An average
# token has 3 to 5 characters.
_STRIDE = 16

# A rest of the text that has this many characters a token of `min_tokens` is not a crumb: published vocabularies have no longer token.
_LONGEST_TOKEN = 128


class Piece(NamedTuple):
    """A chunk to be: `text[start:end]` behind `context`, together `tokens` tokens; `label` names what begins at `start`."""

    start: int
    end: int
    context: str
    tokens: int
    label: str


class Grower:
    """Grows the chunks of one text, once. Linear in the text; memory is that of the outline and of one chunk."""

    def __init__(
        self, text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: Callable[[int], str]
    ) -> None:
        self._text = text
        self._finest = outline.finest
        self._tokenizer = tokenizer
        self._budget = budget
        self._context_at = context_at
        # The boundaries that are not yet behind the growing chunk, the next one at the end of the list.
        self._ahead = stack_of_places(outline.boundaries, len(text))
        self._encoder: AppendingCounter[Any] = tokenizer.appending_encoder()
        self._empty = self._encoder.snapshot()
        # The end of the previous chunk, and how many of the places ahead lie before it: those of the overlap.
        self._done = 0
        self._overlapping = 0

    def pieces(self) -> Iterator[Piece]:
        """The chunks in the order of the text. Raises `BudgetTooSmallError` where a single character does not fit."""
        while self._ahead:
            filling = self._fill()
            cut = self._choose_cut(filling)
            self._put_back(filling.places, cut)
            end = self._next_offset()
            first = filling.places[0]
            yield Piece(first.offset, end, filling.context, filling.sizes[cut], first.label)
            self._done = end
            self._overlapping = 0
            if self._ahead and self._budget.overlap:
                self._repeat(filling.places)

    # --- growing

    def _fill(self) -> Filling:
        """Take as many units as fit, at least one of them new; refine what is ahead where that is needed."""
        filling = self._begin(self._context_at(self._ahead[-1].offset))
        while True:
            self._extend(filling)
            enough = filling.gain(len(filling.places)) >= filling.least
            if filling.complete or (enough and self._level(*self._next_unit()) == self._finest):
                return filling
            parts = self._parts(*self._next_unit())
            if parts and parts[0].strength >= self._level(*self._next_unit()):
                # Not yet a unit: `refine` had left several of this level together.
                self._split_next(parts)
            elif enough:
                return filling
            else:
                more = self._make_room(filling, parts)
                if more is None:
                    return filling
                filling = more

    def _begin(self, context: str) -> Filling:
        self._encoder.rollback(self._empty)
        self._encoder.append(context)
        count = self._encoder.count
        return Filling(
            self._budget.max_tokens, self._least_gain(), context, base=count, fresh=self._overlapping, sizes=[count]
        )

    def _extend(self, filling: Filling) -> None:
        """Append unit after unit to the encoder; afterwards it stands at the farthest boundary that fits, and so does `filling`."""
        limit = self._budget.max_tokens
        encoder = self._encoder
        places, sizes = filling.places, filling.sizes
        fitting, mark = len(places), encoder.snapshot()
        count = encoder.count
        while self._ahead and count <= limit + _LOOK_AHEAD:
            if len(places) == filling.fresh:
                filling.base = count
            place = self._ahead.pop()
            places.append(place)
            count = self._append(place.offset, self._next_offset(), limit + _LOOK_AHEAD)
            sizes.append(count)
            if count <= limit:
                fitting, mark = len(places), encoder.snapshot()
        encoder.rollback(mark)
        self._put_back(places, fitting)
        del sizes[fitting + 1 :]
        filling.complete = not self._ahead

    def _append(self, start: int, end: int, ceiling: int) -> int:
        """Append text[start:end], but not much of it once the count is above `ceiling`; the count then."""
        stride = self._stride(self._budget.max_tokens)
        for at in range(start, end, stride):
            self._encoder.append(self._text[at : min(end, at + stride)])
            if self._encoder.count > ceiling:
                break
        return self._encoder.count

    def _make_room(self, filling: Filling, parts: list[Place]) -> Filling | None:
        """Do something so that more fits than `filling` has, and return what to go on with; None if it has to do as it is.

        What goes first: overlap that keeps a unit out which would fit without it, the unit's wholeness, the context.
        A grapheme cluster is taken apart only if it does not fit into a chunk that holds nothing else.
        """
        start, end = self._ahead[-1].offset, self._unit_end()
        if self._overlapping and (
            len(filling.places) < filling.fresh or self._fits(filling.context, start, end, self._budget.max_tokens)
        ):
            return self._shorten_overlap(filling)
        if parts and (
            parts[0].strength >= Strength.GRAPHEME or not self._fits("", start, end, self._budget.max_tokens)
        ):
            self._split_next(parts)
            return filling
        if filling.gain(len(filling.places)):
            return None
        if self._overlapping:
            return self._shorten_overlap(filling)
        if filling.context:
            return self._begin("")
        unit = self._text[start:end]
        raise BudgetTooSmallError(unit, start, self._tokenizer.count(unit), self._budget.max_tokens)

    def _parts(self, place: Place, after: Place | None) -> list[Place]:
        """The boundaries inside the unit between two places, all of one level, last one first."""
        end = len(self._text) if after is None else after.offset
        finer = refine(self._text, place.offset, end, self._finest)
        if after is not None and finer and after.strength <= finer[0].strength:
            end = after.enclosing_end
        return stack_of_places(finer, end)

    def _split_next(self, parts: list[Place]) -> None:
        """Put `parts` between the next place and the one behind it."""
        place = self._ahead.pop()
        self._ahead += parts
        self._ahead.append(place)

    def _least_gain(self) -> int:
        """Tokens that a chunk should add to the previous one: where an overlap leaves less than `min_tokens`, what it leaves."""
        if not self._overlapping:
            return max(self._budget.min_tokens, 1)
        return max(min(self._budget.min_tokens, self._budget.max_tokens - self._budget.overlap), 1)

    # --- cutting

    def _choose_cut(self, filling: Filling) -> int:
        """How many of the units to keep."""
        if filling.complete:
            return len(filling.places)
        after = self._ahead[-1]
        cut = whole_units(filling, after, self._fits_alone)
        rest = filling.places[cut].offset if cut < len(filling.places) else after.offset
        if self._is_crumb(rest):
            whole = self._tokenizer.count(filling.context + self._text[filling.places[0].offset :])
            cut = balanced_tail(filling, after, cut, whole, self._fits_alone)
        return cut

    def _fits_alone(self, start: int, end: int) -> bool:
        """Whether text[start:end] fits into a chunk that begins with it, apart from the overlap."""
        return self._fits(self._context_at(start), start, end, self._budget.max_tokens - self._budget.overlap)

    def _fits(self, context: str, start: int, end: int, limit: int) -> bool:
        return self._tokenizer.count_up_to(context + self._text[start:end], limit) is not None

    def _is_crumb(self, start: int) -> bool:
        """Whether text[start:] is less than `min_tokens`."""
        min_tokens = self._budget.min_tokens
        if len(self._text) - start > min_tokens * _LONGEST_TOKEN:
            return False
        return min_tokens > 0 and self._tokenizer.count_up_to(self._text[start:], min_tokens - 1) is not None

    # --- overlap

    def _repeat(self, places: list[Place]) -> None:
        """Put the last places of the finished chunk back in front of those ahead: from the earliest that is at most `overlap` away.

        The chunk's own start is never among them, so each chunk starts behind the previous one.
        """
        while True:
            keep = self._farthest_back(places)
            # The unit in front of it is too long; but it may be several, and if nothing fits then words are better than nothing.
            place, after = places[keep - 1], places[keep] if keep < len(places) else self._ahead[-1]
            parts = self._parts(place, after)
            least = Strength.GRAPHEME if keep == len(places) else self._level(place, after)
            if not parts or parts[0].strength < least:
                break
            places[keep:keep] = reversed(parts)
        self._overlapping = len(places) - keep
        self._put_back(places, keep)

    def _farthest_back(self, places: list[Place]) -> int:
        """The first index but 0 from which the text up to the chunk's end is at most `overlap` tokens; len(places) if none."""
        limit = self._budget.overlap
        encoder = self._tokenizer.prepending_encoder()
        keep, end = len(places), self._done
        for index in range(len(places) - 1, 0, -1):
            start = places[index].offset
            count = self._prepend(encoder, start, end, limit + _LOOK_AHEAD)
            if count <= limit:
                keep = index
            elif count > limit + _LOOK_AHEAD:
                break
            end = start
        return keep

    def _prepend(self, encoder: PrependingCounter, start: int, end: int, ceiling: int) -> int:
        """Prepend text[start:end], but not much of it once the count is above `ceiling`; the count then."""
        stride = self._stride(self._budget.overlap)
        for at in range(end, start, -stride):
            encoder.prepend(self._text[max(start, at - stride) : at])
            if encoder.count > ceiling:
                break
        return encoder.count

    def _shorten_overlap(self, filling: Filling) -> Filling:
        """Begin again with half as many units of overlap; the chunk then begins elsewhere, so its context may be another."""
        self._put_back(filling.places, 0)
        keep = self._overlapping // 2
        del self._ahead[len(self._ahead) - (self._overlapping - keep) :]
        self._overlapping = keep
        return self._begin(self._context_at(self._ahead[-1].offset))

    # --- places

    def _put_back(self, places: list[Place], keep: int) -> None:
        """Leave the first `keep` of the places taken; the others are ahead again."""
        self._ahead.extend(reversed(places[keep:]))
        del places[keep:]

    def _next_offset(self) -> int:
        """Where the next unit begins; the end of the text if there is none."""
        return self._ahead[-1].offset if self._ahead else len(self._text)

    def _next_unit(self) -> tuple[Place, Place | None]:
        """The places between which the next unit stands; None for the end of the text."""
        return self._ahead[-1], self._ahead[-2] if len(self._ahead) > 1 else None

    def _unit_end(self) -> int:
        return self._ahead[-2].offset if len(self._ahead) > 1 else len(self._text)

    def _level(self, place: Place, after: Place | None) -> int:
        """The level down to which the text around this unit has been cut."""
        return min(self._finest, place.strength, self._finest if after is None else after.strength)

    @staticmethod
    def _stride(tokens: int) -> int:
        return max(tokens, 16) * _STRIDE
