"""Choose the cut of a chunk among those that fit: the farthest, or one before a unit that is better kept whole.

    budget 12      import os ¶ import re ¶ | def f(x): ¶ x += 1 ¶ return x ¶ | def g(): ...
    fits up to                                        ^ a cut here would break f
    cut                                    ^ go back: f fits whole into the next chunk

Three rules, and all only ever move a cut to the left:

1. *Whole units.* The two nearest stronger boundaries around a cut enclose a unit that the cut breaks. If that unit would fit into a
   chunk of its own, the cut moves to its start, and the question is asked again there; unless less than `min_tokens` would be left.
2. *Whole heads.* A cut between the comments, attributes and annotations of a definition and its first line moves to the first of these, if
   they fit into a chunk of their own with that line; unless the rest of the definition is whole without them. Nor does rule 1 move a cut there.
3. *Balanced tail.* If what is left of the text after the cut is less than `min_tokens`, the cut moves to a boundary that breaks no
   unit that was whole and leaves at least `min_tokens` on both sides: the strongest of these, or of equals the farthest. If there is none, the
   cut moves to where the smaller side is as large as it can be without that. So a last chunk may be below `min_tokens` after a unit that fits.

Together they keep every unit whole that is at most `max_tokens - min_tokens` long, with the context and the overlap that stand before it: its
chunk has either enough before it, and then rule 1 cuts there, or so little that the unit fits after it. Where a chunk should have `desired`
tokens and the text ends within the budget, `best_cut` alone decides, and this does not hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from chunker.formats import Strength
from chunker.growing.units import Place, last_stronger

# Whether text[start:end] fits into a chunk of its own.
FitsAlone = Callable[[int, int], bool]


@dataclass(slots=True)
class Filling:
    """The units a chunk could hold, and what it costs to stop after each.

    `places[k]` is where unit k begins; `sizes[k]` are the tokens of the chunk that holds the first k units, its context included.
    The first `fresh` units repeat the end of the previous chunk; `base` are the tokens of the context and of these.
    `heads`: those of the outline. `complete`: the units reach the end of the text. `max_tokens` is the budget; `least` are the tokens that a chunk should add to the
    previous one, wherever it is cut.
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
        """Tokens that a chunk of the first `cut` units adds to what the previous one had."""
        return self.sizes[cut] - self.base if cut > self.fresh else 0

    def strength(self, cut: int, after: Place) -> int:
        """The strength of the boundary at which `cut` units end, where `after` is the offset after all of them."""
        return self.places[cut].strength if cut < len(self.places) else after.strength

    def begins_unit_around(self, after: Place) -> bool:
        """Whether a cut at `after`, the place after these units, would break a larger unit that begins among the new ones."""
        return last_stronger(self.places, after.strength, self.fresh, len(self.places)) is not None

    def start_around(self, strength: int, cut: int) -> int | None:
        """The number of the nearest unit before `cut` that begins at a stronger boundary; None if that one is older than the new ones."""
        return last_stronger(self.places, strength, self.fresh, cut)

    def tears_head(self, cut: int, after: Place, fits_alone: FitsAlone) -> bool:
        """Whether a cut after `cut` units parts the first line of a definition from what stands before it, without need."""
        place = self.places[cut] if cut < len(self.places) else after
        end = self.heads.get(place.offset)
        start = None if end is None else self.start_around(place.strength, cut)
        if end is None or start is None or not fits_alone(self.places[start].offset, end):
            return False
        # If the comments have to be cut off, the rest can stay whole. A mere line does not begin the rest of a definition.
        return place.strength <= Strength.PARAGRAPH or not fits_alone(place.offset, place.enclosing_end)


def best_cut(filling: Filling, after: Place, desired: int | None, fits_alone: FitsAlone | None = None) -> int:
    """The number of units to keep before any rule: as many as fit; or where a chunk should have `desired` tokens, of the cuts at which it
    has so many the one at the strongest boundary, the first of equals, that tears no head where `fits_alone` tells.
    """
    last = len(filling.places)
    if desired is None:
        return last
    enough = [
        index for index in range(filling.fresh + 1, last + 1) if desired <= filling.sizes[index] <= filling.max_tokens
    ]
    if filling.complete:
        # The end of the text is the best cut, unless the rest deserves a chunk of its own.
        enough = [index for index in enough if filling.sizes[last] - filling.sizes[index] >= max(desired // 2, 1)]
    if fits_alone is not None:
        enough = [index for index in enough if not filling.tears_head(index, after, fits_alone)]
    return max(enough, key=lambda index: (filling.strength(index, after), -index), default=last)


def whole_units(filling: Filling, after: Place, fits_alone: FitsAlone, cut: int) -> int:
    """Rules 1 and 2: the number of units to keep, where `after` is the place after the last that fits, and `cut` would keep too many."""
    place = filling.places[cut] if cut < len(filling.places) else after
    best, torn = cut, True
    while True:
        tears = filling.tears_head(cut, after, fits_alone)
        if torn or not tears:
            best, torn = cut, tears
        start = filling.start_around(place.strength, cut)
        if start is None or start <= filling.fresh:
            return best
        if filling.gain(start) < filling.least or filling.sizes[start] > filling.max_tokens:
            return best
        around = filling.places[start]
        if not tears and not fits_alone(around.offset, place.enclosing_end):
            return best
        cut, place = start, around


def balanced_tail(filling: Filling, after: Place, cut: int, whole: int, fits_alone: FitsAlone) -> int:
    """Rule 3: the number of units to keep, where `whole` are the tokens of the chunk if it went on to the end of the text.

    What remains after a cut is priced by the difference. That may be off by a token or two at the join, which moves a cut at most;
    the sizes of the chunks are not made of it.
    """

    def smaller_side(index: int) -> int:
        return min(filling.gain(index), whole - filling.sizes[index], filling.least)

    better = [
        index
        for index in range(filling.fresh + 1, len(filling.places) + 1)
        if smaller_side(index) > smaller_side(cut)
        and filling.sizes[index] <= filling.max_tokens
        and whole - filling.sizes[index] + filling.base <= filling.max_tokens
    ]
    here = filling.places[cut].offset if cut < len(filling.places) else after.offset
    better.sort(key=lambda index: (smaller_side(index), filling.strength(index, after), index), reverse=True)
    for index in better:
        place = filling.places[index] if index < len(filling.places) else after
        start = filling.start_around(place.strength, index)
        # If `cut` breaks the unit, too, it is broken in any case.
        if (
            start is None
            or place.enclosing_end > here
            or not fits_alone(filling.places[start].offset, place.enclosing_end)
        ) and not filling.tears_head(index, after, fits_alone):
            return index
    return cut
