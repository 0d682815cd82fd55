"""Where to cut a chunk, once it is known what fits: at the farthest boundary, or before a unit that is better kept whole.

    budget 12      import os ¶ import re ¶ | def f(x): ¶ x += 1 ¶ return x ¶ | def g(): ...
    fits up to                                        ^ a cut here would break f
    cut                                    ^ go back: f fits whole into the next chunk

Two rules, and both only ever move a cut to the left:

1. *Whole units.* The two nearest stronger boundaries around a cut enclose a unit that the cut breaks. If that unit would fit into a
   chunk of its own, the cut moves to its start, and the question is asked again there; unless less than `min_tokens` would be left.
2. *Balanced tail.* If what is left of the text after the cut is less than `min_tokens`, the cut moves to a boundary that breaks no
   unit and leaves at least `min_tokens` on both sides: the strongest of these, or of equals the farthest. If there is none, the
   cut moves to where the smaller side is as large as it can be.

Together they keep every unit whole that is at most `max_tokens - min_tokens` long: whatever stands before it is either enough for a
chunk, and then rule 1 cuts there, or so little that the unit fits behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chunker.units import Place

# Whether text[start:end] fits into a chunk of its own.
FitsAlone = Callable[[int, int], bool]


@dataclass(slots=True)
class Filling:
    """The units a chunk could hold, and what it costs to stop after each.

    `places[k]` is where unit k begins; `sizes[k]` are the tokens of the chunk that holds the first k units, its context included.
    The first `fresh` units repeat the end of the previous chunk; `base` are the tokens of the context and of these.
    `complete`: the units reach the end of the text. `max_tokens` is the budget; `least` are the tokens that a chunk should add to the
    previous one, wherever it is cut.
    """

    max_tokens: int
    least: int
    context: str
    base: int = 0
    fresh: int = 0
    places: list[Place] = field(default_factory=list)
    sizes: list[int] = field(default_factory=lambda: [0])
    complete: bool = False

    def gain(self, cut: int) -> int:
        """Tokens that a chunk of the first `cut` units adds to what the previous one had."""
        return self.sizes[cut] - self.base if cut > self.fresh else 0

    def begins_unit_around(self, after: Place) -> bool:
        """Whether a cut at `after`, the place behind these units, would break a larger unit that begins among the new ones."""
        return any(place.strength > after.strength for place in self.places[self.fresh :])


def best_cut(filling: Filling, after: Place, desired: int | None) -> int:
    """The number of units to keep before any rule: as many as fit; or where a chunk should have `desired` tokens, of the cuts at which it
    has so many the one at the strongest boundary, the first of equals.
    """
    places = [*filling.places, after]
    last = len(filling.places)
    if desired is None:
        return last
    enough = [
        index for index in range(filling.fresh + 1, last + 1) if desired <= filling.sizes[index] <= filling.max_tokens
    ]
    if filling.complete:
        # The end of the text is the best cut of all, unless what would go to a chunk of its own is worth one.
        enough = [index for index in enough if filling.sizes[last] - filling.sizes[index] >= max(desired // 2, 1)]
    return max(enough, key=lambda index: (places[index].strength, -index), default=last)


def whole_units(filling: Filling, after: Place, fits_alone: FitsAlone, cut: int) -> int:
    """Rule 1: the number of units to keep, where `after` is the place behind the last that fits, and `cut` would keep too many."""
    places = [*filling.places, after]
    while True:
        start = _enclosing_start(places, cut, filling.fresh)
        if start is None or start <= filling.fresh:
            return cut
        if filling.gain(start) < filling.least or filling.sizes[start] > filling.max_tokens:
            return cut
        if not fits_alone(places[start].offset, places[cut].enclosing_end):
            return cut
        cut = start


def balanced_tail(filling: Filling, after: Place, cut: int, whole: int, fits_alone: FitsAlone) -> int:
    """Rule 2: the number of units to keep, where `whole` are the tokens of the chunk if it went on to the end of the text.

    What remains behind a cut is priced by the difference. That may be off by a token or two at the join, which moves a cut at most;
    the sizes of the chunks are not made of it.
    """
    places = [*filling.places, after]

    def smaller_side(index: int) -> int:
        return min(filling.gain(index), whole - filling.sizes[index], filling.least)

    better = [
        index
        for index in range(filling.fresh + 1, len(places))
        if smaller_side(index) > smaller_side(cut)
        and filling.sizes[index] <= filling.max_tokens
        and whole - filling.sizes[index] + filling.base <= filling.max_tokens
    ]
    better.sort(key=lambda index: (smaller_side(index), places[index].strength, index), reverse=True)
    for index in better:
        start = _enclosing_start(places, index, filling.fresh)
        if start is None or not fits_alone(places[start].offset, places[index].enclosing_end):
            return index
    return cut


def _enclosing_start(places: Sequence[Place], cut: int, first: int) -> int | None:
    """The index of the nearest place before `cut` that is stronger; None if that one lies before the chunk's own text."""
    strength = places[cut].strength
    for index in range(cut - 1, first - 1, -1):
        if places[index].strength > strength:
            return index
    return None
