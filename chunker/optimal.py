"""The best cut of a whole text: all of its chunks are chosen together, as TeX breaks a paragraph into lines.

    atoms      |import|import|  def f  |  def g  |class|  def h  |  def i  |       units that are never broken, and parts of longer ones
    chunks     0             2         3         4               6         7       a way from the first boundary to the last
    costs         2 short     and 3 more for each cut inside the class, which would fit whole ...

A chunk costs what its emptiness is worth, `((target - tokens) / target) ** 2`, so few and even chunks cost least. A cut costs more the deeper
it lies in the structure, and much more for each unit around it that would fit into a chunk of its own. A chunk of less than `min_tokens`
costs more than all of these can. The budget is no cost: what is over it is no chunk. The cheapest way is found by dynamic programming:
the best way to each boundary goes on to all that a chunk from there can reach.

Every candidate is priced exactly, by the interval encoder, or with context by appending to it. Source of the method: Knuth and Plass,
"Breaking Paragraphs into Lines", 1981.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from itertools import accumulate, pairwise
from math import inf
from typing import Any, NamedTuple, Protocol

from bpe_engine.encoders import append_fitting
from chunker.boundaries import Outline, Strength, refine
from chunker.budget import Budget
from chunker.counting import TokenCounter
from chunker.errors import BudgetTooSmallError
from chunker.growing import LOOK_AHEAD
from chunker.overlap import repeated_places, shortened
from chunker.pieces import ContextAt, Piece
from chunker.units import Place, Units, enclosing_ends

# Costs, in emptiness: 1 is that of an empty chunk. A cut one level deeper is worth a chunk that is a third empty.
_LEVEL = 0.1
_BROKEN_UNIT = 10.0
_CRUMB = 10_000.0
# Levels deeper than this cost no more: what is left to choose from there is a matter of layout.
_DEEPEST = 20

# Counts of prefixes tell within so many tokens what a slice between them has: joins cost a few.
_FARTHER = 16


class SlicePrices(Protocol):
    """What a slice of the text costs: `bpe_engine`'s interval encoder, or a count of it."""

    def count(self, start: int, end: int, /) -> int:
        """Tokens of text[start:end]."""
        ...

    def counts(self, start: int, ends: list[int], /) -> list[int]:
        """Tokens of text[start:end] for each of `ends`."""
        ...


class Recounted:
    """Prices of slices from a tokenizer that knows no better than to count each."""

    def __init__(self, tokenizer: TokenCounter, text: str) -> None:
        self._tokenizer = tokenizer
        self._text = text

    def count(self, start: int, end: int, /) -> int:
        """Tokens of text[start:end]. Linear in the slice."""
        return self._tokenizer.count(self._text[start:end])

    def counts(self, start: int, ends: list[int], /) -> list[int]:
        """Tokens of text[start:end] for each of `ends`."""
        return [self.count(start, end) for end in ends]


class _Atom(NamedTuple):
    """A unit that no cut breaks: text[start:end]; `strength` and `label` are those of the boundary at its start."""

    start: int
    end: int
    strength: int
    label: str


class _Start(NamedTuple):
    """How a chunk begins: at which offset (of what it repeats, if anything), behind which context, and what begins there."""

    offset: int
    context: str
    label: str


class Optimizer:
    """Finds the chunks of one text, once. Time and memory are linear in the text, for a given budget."""

    def __init__(
        self, text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt
    ) -> None:
        self._text = text
        self._outline = outline
        self._tokenizer = tokenizer
        self._budget = budget
        self._context_at = context_at
        make_prices = getattr(tokenizer, "interval_encoder", None) or partial(Recounted, tokenizer)
        self._prices: SlicePrices = make_prices(text)
        self._encoder: Any = tokenizer.appending_encoder()
        self._empty = self._encoder.snapshot()
        self._append_fitting = getattr(self._encoder, "append_fitting", None) or partial(append_fitting, self._encoder)
        self._units = Units(text, outline)
        self._context_sizes: dict[str, int] = {"": 0}

    def pieces(self) -> Iterator[Piece]:
        """The chunks in the order of the text. Raises `BudgetTooSmallError` where a single character does not fit."""
        if not self._text:
            return
        atoms = list(self._atoms())
        ways, starts = self._cheapest_ways(atoms, self._costs_of_cuts(atoms))
        cuts = [len(atoms)]
        while cuts[-1]:
            cuts.append(ways[cuts[-1]])
        cuts.reverse()
        for first, behind in pairwise(cuts):
            begin, end = starts[first, behind], atoms[behind - 1].end
            (size,) = self._sizes(begin, [end])
            yield Piece(begin.offset, end, begin.context, size, begin.label)

    # --- atoms

    def _atoms(self) -> Iterator[_Atom]:
        """The largest units that leave room for `min_tokens` more, and of what is longer the parts that are, down to grapheme clusters."""
        outline = self._outline
        stack = [(outline.offsets, outline.strengths, outline.labels, 0, len(outline.offsets), len(self._text))]
        while stack:
            offsets, strengths, labels, first, last, end = stack.pop()
            start = offsets[first]
            size = self._prices.count(start, end)
            parts: list[int] = []
            if size > self._atomic_size(start):
                if last - first == 1:
                    finer = refine(self._text, start, end, outline.finest)
                    if finer and (finer[0].strength >= Strength.GRAPHEME or size > self._budget.max_tokens):
                        offsets = [start, *(boundary.offset for boundary in finer)]
                        strengths = [strengths[first], *(boundary.strength for boundary in finer)]
                        labels = [labels[first], *(boundary.label for boundary in finer)]
                        first, last = 0, len(offsets)
                if last - first > 1:
                    strongest = max(strengths[first + 1 : last])
                    parts = [index for index in range(first + 1, last) if strengths[index] == strongest]
            if not parts:
                yield _Atom(start, end, strengths[first], labels[first])
                continue
            ends = [*(offsets[part] for part in parts), end]
            stack += [
                (offsets, strengths, labels, part, behind, part_end)
                for part, behind, part_end in zip([first, *parts], [*parts, last], ends, strict=True)
            ][::-1]

    def _atomic_size(self, start: int) -> int:
        budget = self._budget
        room = budget.max_tokens - budget.overlap - self._context_size(self._context_at(start))
        return max(room - budget.min_tokens, 1)

    def _context_size(self, context: str) -> int:
        size = self._context_sizes.get(context)
        if size is None:
            size = self._context_sizes[context] = self._tokenizer.count(context)
        return size

    # --- costs

    def _costs_of_cuts(self, atoms: list[_Atom]) -> list[float]:
        """What a cut costs before each atom, and at the end of the text."""
        strengths = [atom.strength for atom in atoms]
        starts = [atom.start for atom in atoms]
        index_of = {start: index for index, start in enumerate(starts)}
        rights = [index_of.get(end, len(atoms)) for end in enclosing_ends(starts, strengths, len(self._text))]
        lefts = _stronger_before(strengths)
        costs = [0.0] * (len(atoms) + 1)
        depths = [0] * (len(atoms) + 1)
        broken = [0] * (len(atoms) + 1)
        # The strongest first: the unit around a cut is parted from its own surroundings by a stronger one.
        for index in sorted(range(1, len(atoms)), key=strengths.__getitem__, reverse=True):
            left, right = lefts[index], rights[index]
            around = left if right == len(atoms) or (left and strengths[left] < strengths[right]) else right
            if not left and right == len(atoms):
                around = 0
            depths[index] = depths[around] + 1
            if (
                self._prices.count(starts[left], starts[right] if right < len(atoms) else len(self._text))
                <= self._budget.max_tokens
            ):
                broken[index] = broken[around] + 1
            costs[index] = _LEVEL * min(depths[index], _DEEPEST) + _BROKEN_UNIT * broken[index]
        return costs

    def _costs_of_chunks(self, repeated: int) -> list[float]:
        """What a chunk of each number of tokens costs; `repeated` of them are context and overlap, which do not save it from being a crumb."""
        target, most = self._budget.target, self._budget.max_tokens
        least = min(self._budget.min_tokens, most - repeated)
        costs = []
        for size in range(most + 1):
            emptiness = (target - size) / target
            own = size - repeated
            costs.append(emptiness * emptiness + (_CRUMB * (2 - own / target) if own < least else 0))
        return costs

    # --- the cheapest way

    def _cheapest_ways(self, atoms: list[_Atom], costs: list[float]) -> tuple[list[int], dict[tuple[int, int], _Start]]:
        """For each boundary the one before it on the cheapest way; and how the chunk between two boundaries begins."""
        end_of = [atom.end for atom in atoms]
        limit = self._budget.max_tokens
        before, reach = self._rough_sums(atoms)
        best = [0.0, *([inf] * len(atoms))]
        ways = [0] * (len(atoms) + 1)
        begins: dict[tuple[int, int], _Start] = {}
        costs_of_chunks: dict[int, list[float]] = {}
        for first in range(len(atoms)):
            known = best[first]
            last = max(first + 1, bisect_right(before, before[first] + reach, first) - 1)
            begin, sizes = self._begin(atoms, ways[first], first, end_of[first:last])
            repeated = self._context_size(begin.context) + self._prices.count(begin.offset, atoms[first].start)
            if repeated not in costs_of_chunks:
                costs_of_chunks[repeated] = self._costs_of_chunks(repeated)
            cost_of = costs_of_chunks[repeated]
            for behind, size in enumerate(sizes, first + 1):
                if size > limit:
                    continue
                cost = known + cost_of[size] + costs[behind]
                if cost < best[behind]:
                    best[behind] = cost
                    ways[behind] = first
                    begins[first, behind] = begin
        return ways, begins

    def _rough_sums(self, atoms: list[_Atom]) -> tuple[list[int], int]:
        """Tokens before each atom and before the end, and by how much they may differ for a chunk: enough to know how far to look."""
        limit = self._budget.max_tokens
        if not isinstance(self._prices, Recounted):
            return [0, *self._prices.counts(0, [atom.end for atom in atoms])], limit + _FARTHER
        # A count of each prefix would be quadratic. Sums of parts are too much, by more than half for words.
        sizes = (self._prices.count(atom.start, atom.end) for atom in atoms)
        return [0, *accumulate(sizes)], 2 * limit + _FARTHER

    def _begin(self, atoms: list[_Atom], before: int, first: int, ends: list[int]) -> tuple[_Start, list[int]]:
        """How a chunk that begins with atom `first` begins, and what it costs up to each of `ends`; the atom itself fits."""
        limit = self._budget.max_tokens
        atom = atoms[first]
        for begin in self._beginnings(atoms, before, first):
            sizes = self._sizes(begin, ends)
            if sizes[0] <= limit:
                return begin, sizes
        raise BudgetTooSmallError(self._text[atom.start : atom.end], atom.start, sizes[0], limit)

    def _beginnings(self, atoms: list[_Atom], before: int, first: int) -> Iterator[_Start]:
        """From what is wished for to what is least: with overlap, without, without context."""
        atom = atoms[first]
        if first and self._budget.overlap:
            places = self._places(atoms[before:first])
            self._units.stand_at(Place(atom.start, atom.strength, atom.label, atom.end))
            repeated = repeated_places(places, self._units, self._text, self._tokenizer, self._budget)
            while repeated:
                start = repeated[0].offset
                yield _Start(start, self._context_at(atom.start, self._text[start : atom.start]), repeated[0].label)
                repeated = shortened(repeated, atom.start, self._text, self._tokenizer, self._budget.overlap)
        context = self._context_at(atom.start)
        yield _Start(atom.start, context, atom.label)
        if context:
            yield _Start(atom.start, "", atom.label)

    def _places(self, atoms: list[_Atom]) -> list[Place]:
        """All places in these atoms: where they begin, and what the outline has inside them."""
        self._units.stand_at(Place(atoms[0].start, atoms[0].strength, atoms[0].label, atoms[0].end))
        inner = self._units.take_until(atoms[-1].end)
        known = {place.offset for place in inner}
        inner += [Place(atom.start, atom.strength, atom.label, atom.end) for atom in atoms if atom.start not in known]
        inner.sort()
        return inner

    def _sizes(self, begin: _Start, ends: list[int]) -> list[int]:
        """Tokens of the chunk up to each of `ends`, as far as they may still fit."""
        limit = self._budget.max_tokens
        if not begin.context:
            return self._prices.counts(begin.offset, ends)
        self._encoder.rollback(self._empty)
        self._encoder.append(begin.context)
        counts: list[int]
        counts, _ = self._append_fitting(self._text, [begin.offset, *ends], limit, LOOK_AHEAD)
        return counts or [limit + 1]


def _stronger_before(strengths: list[int]) -> list[int]:
    """For each the index of the nearest stronger one before it; 0 where there is none.

    >>> _stronger_before([9, 2, 1, 2, 3])
    [0, 0, 1, 0, 0]
    """
    found: list[int] = []
    falling: list[int] = []
    for index, strength in enumerate(strengths):
        while falling and strengths[falling[-1]] <= strength:
            falling.pop()
        found.append(falling[-1] if falling else 0)
        falling.append(index)
    return found
