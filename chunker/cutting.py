"""Where to cut a chunk, once it is known what fits: at the farthest boundary, or before a unit that is better kept whole.

    budget 12      import os ¶ import re ¶ | def f(x): ¶ x += 1 ¶ return x ¶ | def g(): ...
    fits up to                                        ^ a cut here would break f
    cut                                    ^ go back: f fits whole into the next chunk

Two rules, and both only ever move a cut to the left:

1. *Whole units.* The two nearest stronger boundaries around a cut enclose a unit that the cut breaks. If that unit would fit into a
   chunk of its own, the cut moves to its start, and the question is asked again there; unless less than `min_tokens` would be left.
2. *Balanced tail.* If what is left of the text after the cut is less than `min_tokens`, the cut moves to a boundary that breaks no
   unit that was whole and leaves at least `min_tokens` on both sides: the strongest of these, or of equals the farthest. If there is none, the
   cut moves to where the smaller side is as large as it can be.

Together they keep every unit whole that is at most `max_tokens - min_tokens` long: whatever stands before it is either enough for a
chunk, and then rule 1 cuts there, or so little that the unit fits behind it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from chunker.units import Place, Places

# Whether text[start:end] fits into a chunk of its own.
FitsAlone = Callable[[int, int], bool]

# The tokens of a chunk if it ends at each of these offsets, which ascend.
Measure = Callable[["Filling", list[int]], list[int]]

# In place of a number of tokens that nobody has asked for yet.
UNMEASURED = -1


@dataclass(slots=True)
class Filling:
    """The units a chunk could hold, and what it costs to stop after each.

    `places[k]` is where unit k begins; `sizes[k]` are the tokens of the chunk that holds the first k units, its context included.
    Few of them are ever looked at, so some are UNMEASURED until `size` is asked for them: `measure` knows.
    The first `fresh` units repeat the end of the previous chunk; `base` are the tokens of the context and of these.
    `complete`: the units reach the end of the text. `max_tokens` is the budget; `least` are the tokens that a chunk should add to the
    previous one, wherever it is cut.
    """

    max_tokens: int
    least: int
    context: str
    base: int = 0
    fresh: int = 0
    places: Places = field(default_factory=Places)
    sizes: list[int] = field(default_factory=lambda: [0])
    measure: Measure | None = None
    complete: bool = False

    def size(self, cut: int) -> int:
        """Tokens of a chunk of the first `cut` units."""
        if self.sizes[cut] == UNMEASURED and self.measure is not None:
            (self.sizes[cut],) = self.measure(self, [self.places[cut].offset])
        return self.sizes[cut]

    def measure_all(self) -> None:
        """Know all sizes, at the cost of one reading of the chunk."""
        unknown = [cut for cut, size in enumerate(self.sizes) if size == UNMEASURED]
        if unknown and self.measure is not None:
            sizes = self.measure(self, [self.places[cut].offset for cut in unknown])
            for cut, size in zip(unknown, sizes, strict=True):
                self.sizes[cut] = size

    def gain(self, cut: int) -> int:
        """Tokens that a chunk of the first `cut` units adds to what the previous one had."""
        return self.size(cut) - self.base if cut > self.fresh else 0

    def strength(self, cut: int, after: Place) -> int:
        """How strong the boundary is at which `cut` units end, where `after` is the place behind all of them."""
        return self.places[cut].strength if cut < len(self.places) else after.strength

    def begins_unit_around(self, after: Place) -> bool:
        """Whether a cut at `after`, the place behind these units, would break a larger unit that begins among the new ones."""
        return self.places.last_stronger(after.strength, self.fresh, len(self.places)) is not None

    def start_around(self, strength: int, cut: int) -> int | None:
        """The number of the nearest unit before `cut` that begins at a stronger boundary; None if that one is older than the new ones."""
        return self.places.last_stronger(strength, self.fresh, cut)


def best_cut(filling: Filling, after: Place, desired: int | None) -> int:
    """The number of units to keep before any rule: as many as fit; or where a chunk should have `desired` tokens, of the cuts at which it
    has so many the one at the strongest boundary, the first of equals.
    """
    last = len(filling.places)
    if desired is None:
        return last
    filling.measure_all()
    enough = [
        index for index in range(filling.fresh + 1, last + 1) if desired <= filling.size(index) <= filling.max_tokens
    ]
    if filling.complete:
        # The end of the text is the best cut of all, unless what would go to a chunk of its own is worth one.
        enough = [index for index in enough if filling.sizes[last] - filling.sizes[index] >= max(desired // 2, 1)]
    return max(enough, key=lambda index: (filling.strength(index, after), -index), default=last)


def whole_units(filling: Filling, after: Place, fits_alone: FitsAlone, cut: int) -> int:
    """Rule 1: the number of units to keep, where `after` is the place behind the last that fits, and `cut` would keep too many."""
    place = filling.places[cut] if cut < len(filling.places) else after
    while True:
        start = filling.start_around(place.strength, cut)
        if start is None or start <= filling.fresh:
            return cut
        if filling.gain(start) < filling.least or filling.size(start) > filling.max_tokens:
            return cut
        around = filling.places[start]
        if not fits_alone(around.offset, place.enclosing_end):
            return cut
        cut, place = start, around


def balanced_tail(filling: Filling, after: Place, cut: int, whole: int, fits_alone: FitsAlone) -> int:
    """Rule 2: the number of units to keep, where `whole` are the tokens of the chunk if it went on to the end of the text.

    What remains behind a cut is priced by the difference. That may be off by a token or two at the join, which moves a cut at most;
    the sizes of the chunks are not made of it.
    """
    filling.measure_all()

    def smaller_side(index: int) -> int:
        return min(filling.gain(index), whole - filling.size(index), filling.least)

    better = [
        index
        for index in range(filling.fresh + 1, len(filling.places) + 1)
        if smaller_side(index) > smaller_side(cut)
        and filling.size(index) <= filling.max_tokens
        and whole - filling.size(index) + filling.base <= filling.max_tokens
    ]
    here = filling.places[cut].offset if cut < len(filling.places) else after.offset
    better.sort(key=lambda index: (smaller_side(index), filling.strength(index, after), index), reverse=True)
    for index in better:
        place = filling.places[index] if index < len(filling.places) else after
        start = filling.start_around(place.strength, index)
        # A unit that `cut` breaks, too, is broken in any case.
        if (
            start is None
            or place.enclosing_end > here
            or not fits_alone(filling.places[start].offset, place.enclosing_end)
        ):
            return index
    return cut
