"""Choose the cut of a chunk among those that fit: the farthest, or one before a unit that is better kept whole.

    budget 12      import os ¶ import re ¶ | def f(x): ¶ x += 1 ¶ return x ¶ | def g(): ...
    fits up to                                        ^ a cut here would break f
    cut                                    ^ go back: f fits whole into the next chunk

Three rules move the cut, always to the left:

1. *Whole units.* The two nearest stronger boundaries around a cut enclose a unit that the cut breaks. If that unit would
   fit into a chunk of its own, the cut moves to its start, and the rule is applied again there; unless the chunk would
   be left with less than `min_tokens`.
2. *Whole heads.* A cut between the comments, attributes and annotations of a definition and its first line moves before
   the comments, if they and that line fit into a chunk of their own; unless the rest of the definition stays whole
   without them. Rule 1 does not move a cut there either, but passes over it to the start of the definition.
3. *Balanced tail.* If the rest of the text after the cut has less than `min_tokens`, the cut moves to a boundary that
   breaks no unit that was whole and leaves at least `min_tokens` on both sides: the strongest of these boundaries, the
   last one if several are equally strong. If there is none, the cut moves to the boundary that makes the smaller side
   largest without breaking a whole unit. So a last chunk after a unit that fits may be below `min_tokens`.

Together they keep every unit whole that is at most `max_tokens - min_tokens` long, including the context and the
overlap before it: either the chunk has enough text before the unit, and rule 1 cuts there, or so little that the unit
fits after it. This does not hold if chunks should have `desired` tokens and the text ends within the budget: then
`best_cut` alone decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from chunker.formats import Strength
from chunker.growing.units import Place, last_stronger

# Whether text[start:end] fits into a chunk of its own.
FitsAlone = Callable[[int, int], bool]


@dataclass(slots=True)
class Draft:
    """A chunk in the making: the units that it could hold, and its token count after each of them.

    `places[k]` is the start of unit k; `sizes[k]` is the token count of a chunk of the first k units, including its
    context. The first `fresh` units repeat the end of the previous chunk; `base` is the token count of the context and
    these units. `heads`: those of the outline. `complete`: the units reach the end of the text. `max_tokens` is the
    budget; `least` is the number of tokens that a chunk should add to the previous one, wherever it is cut.
    """

    max_tokens: int
    least: int
    context: str
    base: int = 0
    fresh: int = 0
    places: list[Place] = field(default_factory=list)
    sizes: list[int] = field(default_factory=lambda: [0])
    heads: Mapping[int, int] = field(default_factory=dict)
    complete: bool = False

    def gain(self, cut: int) -> int:
        """Return the number of tokens that a chunk of the first `cut` units adds to the previous chunk."""
        return self.sizes[cut] - self.base if cut > self.fresh else 0

    def strength(self, cut: int, after: Place) -> int:
        """Return the strength of the boundary after the first `cut` units; `after` is the boundary after all units."""
        return self.places[cut].strength if cut < len(self.places) else after.strength

    def begins_unit_around(self, after: Place) -> bool:
        """Whether a cut at `after`, the boundary after these units, would break a larger unit that begins among the new
        units.
        """
        return last_stronger(self.places, after.strength, self.fresh, len(self.places)) is not None

    def start_around(self, strength: int, cut: int) -> int | None:
        """Return the index of the nearest unit before `cut` that begins at a stronger boundary; None if it begins
        before the new units.
        """
        return last_stronger(self.places, strength, self.fresh, cut)

    def tears_head(self, cut: int, after: Place, fits_alone: FitsAlone) -> bool:
        """Whether a cut after `cut` units needlessly separates the first line of a definition from the comments or
        attributes before it.
        """
        place = self.places[cut] if cut < len(self.places) else after
        end = self.heads.get(place.offset)
        start = None if end is None else self.start_around(place.strength, cut)
        if end is None or start is None or not fits_alone(self.places[start].offset, end):
            return False
        # If the comments have to be cut off, the rest of the definition can stay whole. A plain line does not begin the
        # rest of a definition.
        return place.strength <= Strength.PARAGRAPH or not fits_alone(place.offset, place.enclosing_end)


def best_cut(draft: Draft, after: Place, desired: int | None, fits_alone: FitsAlone) -> int:
    """Return the number of units to keep before any rule is applied: as many as fit.

    If a chunk should have `desired` tokens: of the cuts that give it at least so many, the one at the strongest
    boundary, the first if several are equally strong. Cuts that tear a head are left out. In a sentence that is too long
    for a chunk as many words as fit are kept.
    """
    last = len(draft.places)
    if desired is None:
        return last
    ends = range(draft.fresh + 1, last + (not draft.complete))
    if all(draft.strength(index, after) < Strength.SENTENCE for index in ends):
        return last
    enough = [index for index in range(draft.fresh + 1, last + 1) if desired <= draft.sizes[index] <= draft.max_tokens]
    if draft.complete:
        # The end of the text is the best cut, unless the rest deserves a chunk of its own.
        enough = [index for index in enough if draft.sizes[last] - draft.sizes[index] >= max(desired // 2, 1)]
    enough = [index for index in enough if not draft.tears_head(index, after, fits_alone)]
    return max(enough, key=lambda index: (draft.strength(index, after), -index), default=last)


def whole_units(draft: Draft, after: Place, fits_alone: FitsAlone, cut: int) -> int:
    """Apply rules 1 and 2. Returns the number of units to keep; `after` is the boundary after the last unit that fits,
    and `cut` the number of units before the rules.
    """
    place = draft.places[cut] if cut < len(draft.places) else after
    best, torn = cut, True
    passes = False  # whether no cut is made here, but perhaps farther to the left
    while True:
        tears = not passes and draft.tears_head(cut, after, fits_alone)
        if not passes and (torn or not tears):
            best, torn = cut, tears
        start = draft.start_around(place.strength, cut)
        if start is None or start <= draft.fresh:
            return best
        if draft.gain(start) < draft.least or draft.sizes[start] > draft.max_tokens:
            return best
        around = draft.places[start]
        passes = not tears and not fits_alone(around.offset, place.enclosing_end)
        # The definition begins with its head, and may fit although the rest of it does not, which has a longer context.
        if passes and around.offset not in draft.heads:
            return best
        cut, place = start, around


def balanced_tail(draft: Draft, after: Place, cut: int, whole: int, fits_alone: FitsAlone) -> int:
    """Apply rule 3. Returns the number of units to keep; `whole` is the token count of the chunk if it went on to the
    end of the text.

    The rest after a cut is counted as a difference. It may be off by a token or two at the join; this can only move a
    cut, because the sizes of the chunks do not depend on it.
    """

    def smaller_side(index: int) -> int:
        return min(draft.gain(index), whole - draft.sizes[index], draft.least)

    better = [
        index
        for index in range(draft.fresh + 1, len(draft.places) + 1)
        if smaller_side(index) > smaller_side(cut)
        and draft.sizes[index] <= draft.max_tokens
        and whole - draft.sizes[index] + draft.base <= draft.max_tokens
    ]
    here = draft.places[cut].offset if cut < len(draft.places) else after.offset
    better.sort(key=lambda index: (smaller_side(index), draft.strength(index, after), index), reverse=True)
    for index in better:
        place = draft.places[index] if index < len(draft.places) else after
        start = draft.start_around(place.strength, index)
        # A unit that `cut` breaks, too, is broken in any case.
        if (
            start is None
            or place.enclosing_end > here
            or not fits_alone(draft.places[start].offset, place.enclosing_end)
        ) and not draft.tears_head(index, after, fits_alone):
            return index
    return cut
