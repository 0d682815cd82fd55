"""Choose all chunks of a text together, at the lowest total cost, as TeX breaks a paragraph into lines.

    atoms      |import|import|  def f  |  def g  |class|  def h  |  def i  |       units that are never broken, and parts of longer ones
    chunks     0             2         3         4               6         7       a way from the first boundary to the last
    costs         2 short     and 3 more for each cut inside the class, which would fit whole ...

A chunk costs `((target - tokens) / target) ** 2`, the square of its empty share, so few and even chunks cost least. A
cut costs more the deeper it lies in the structure, and much more for each unit around it that would fit into a chunk of
its own. A chunk of less than `min_tokens` costs more than all of these can. The budget is not a cost but a limit. The
cheapest way is found by dynamic programming: from each boundary, the best way to it is extended to every boundary that
a chunk from there can reach.

Units are counted by the interval encoder, and the candidate chunks from one boundary by appending unit after unit; both
counts are exact. The number of candidates is bounded by the budget, not by the text: of the boundaries within one step,
a 64th of the budget, only three are candidates, so a chunk of hundreds of tiny units costs no more than a chunk of one
page. Source of the method: Knuth and Plass, "Breaking Paragraphs into Lines", 1981.

This module specifies the compiled optimizer (chunker/cpp/include/chunker/optimizer.hpp), and runs if there is no
compiled core.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, groupby, pairwise
from math import inf
from typing import Any, NamedTuple

from chunker.counting import AppendingCounter, TokenCounter
from chunker.counting.slices import Recounted, slice_prices
from chunker.errors import BudgetTooSmallError
from chunker.formats import Outline, Strength, refine
from chunker.growing.budget import Budget
from chunker.growing.limits import (
    CHARACTERS_OF_ATOM,
    COST_OF_BROKEN_UNIT,
    COST_OF_LEVEL,
    COST_OF_TORN_HEAD,
    COST_OF_UNDERSIZED,
    DEEPEST_LEVEL,
    FARTHER,
    LONGEST_TOKEN,
    LOOK_AHEAD,
    step,
)
from chunker.growing.overlap import repeated_places, shortened
from chunker.growing.pieces import ContextAt, Piece
from chunker.growing.units import Place, Units, enclosing_ends


class _Unit(NamedTuple):
    """A unit that may have to be broken. `row`: its index in the outline; -1 for a part of a unit of the outline."""

    start: int
    end: int
    strength: int
    label: str
    row: int


class _Atom(NamedTuple):
    """A unit that no cut breaks: text[start:end]. `strength` and `label` are those of the boundary at its start."""

    start: int
    end: int
    strength: int
    label: str


class _Start(NamedTuple):
    """The start of a chunk: its offset (that of the overlap, if any), its context, and the label of the text there."""

    offset: int
    context: str
    label: str


class Optimizer:
    """Finds the chunks of one text, once. Time and memory are linear in the text for a given budget."""

    def __init__(
        self, text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt
    ) -> None:
        self._text = text
        self._outline = outline
        self._tokenizer = tokenizer
        self._budget = budget
        self._context_at = context_at
        self._prices = slice_prices(tokenizer, text)
        self._encoder: AppendingCounter[Any] = tokenizer.appending_encoder()
        self._empty = self._encoder.snapshot()
        self._units = Units(text, outline)

    def pieces(self) -> Iterator[Piece]:
        """Yield the chunks in the order of the text. Raises `BudgetTooSmallError` if a character does not fit."""
        if not self._text:
            return
        atoms, before = self._candidates(list(self._atoms()))
        ways, starts = self._cheapest_ways(atoms, before, self._costs_of_cuts(atoms))
        cuts = [len(atoms)]
        while cuts[-1]:
            cuts.append(ways[cuts[-1]])
        cuts.reverse()
        for stop in cuts[1:]:
            begin, end = starts[stop], atoms[stop - 1].end
            (size,) = self._sizes(begin, [end])
            yield Piece(begin.offset, end, begin.context, size, begin.label)

    # --- atoms

    def _atoms(self) -> Iterator[_Atom]:
        """Yield the largest units that leave room for `min_tokens` more; longer units are split, down to grapheme
        clusters.
        """
        offsets, strengths, labels = self._outline.offsets, self._outline.strengths, self._outline.labels
        inside = _directly_inside(strengths)
        stack = [_Unit(offsets[0], len(self._text), strengths[0], labels[0], 0)]
        while stack:
            unit = stack.pop()
            start, end, strength, label, row = unit
            # A chunk that begins at the top of a head may have to end before this unit does, if not with its first
            # line.
            begin = self._tops.get(start, start) if row >= 0 and inside[row] else start
            room = self._atomic_size(begin)
            if strength < Strength.GRAPHEME:
                room = max(room // CHARACTERS_OF_ATOM, 1)
            if not self._is_over(begin, end, room):
                yield _Atom(start, end, strength, label)
            elif row >= 0 and inside[row]:
                rows = inside[row].pop()
                ends = [*(offsets[part] for part in rows), end]
                parts = [
                    _Unit(offsets[part], part_end, strengths[part], labels[part], part)
                    for part, part_end in zip(rows, ends[1:], strict=True)
                ]
                stack += parts[::-1]
                stack.append(unit._replace(end=ends[0]))
            elif parts := self._finer(unit):
                stack += parts[::-1]
            else:
                yield _Atom(start, end, strength, label)

    @cached_property
    def _tops(self) -> dict[int, int]:
        """Boundaries inside heads that fit -> the start of the unit that a cut there would break."""
        heads, offsets = self._outline.heads, self._outline.offsets
        before = _stronger_before(self._outline.strengths) if heads else []
        tops: dict[int, int] = {}
        for row, top in enumerate(before):
            end = heads.get(offsets[row])
            if end is not None and not self._is_over(offsets[top], end, self._budget.max_tokens):
                tops[offsets[row]] = offsets[top]
        return tops

    def _finer(self, unit: _Unit) -> list[_Unit]:
        """Split a unit that has no boundary of the outline inside; [] if it is better left whole."""
        finer = refine(self._text, unit.start, unit.end, self._outline.finest)
        if not finer:
            return []
        if finer[0].strength < Strength.GRAPHEME:
            is_whole = unit.strength >= Strength.GRAPHEME
            if is_whole and not self._is_over(unit.start, unit.end, self._budget.max_tokens):
                return []
            # All cuts inside a grapheme cluster are equally bad. Splitting by halves makes their number depend on the
            # budget, not on the length of the cluster.
            finer = [finer[len(finer) // 2]]
        ends = [*(boundary.offset for boundary in finer), unit.end]
        return [
            unit._replace(end=ends[0], row=-1),
            *(
                _Unit(boundary.offset, end, boundary.strength, boundary.label, -1)
                for boundary, end in zip(finer, ends[1:], strict=True)
            ),
        ]

    def _is_over(self, start: int, end: int, limit: int) -> bool:
        """Whether text[start:end] has more than `limit` tokens. A text that is far longer is not read."""
        return end - start > limit * LONGEST_TOKEN or self._prices.count(start, end) > limit

    def _atomic_size(self, start: int) -> int:
        budget = self._budget
        room = budget.max_tokens - budget.overlap - self._tokenizer.count(self._context_at(start))
        return max(room - budget.min_tokens, 1)

    # --- candidates

    def _candidates(self, atoms: list[_Atom]) -> tuple[list[_Atom], list[int]]:
        """Choose the boundaries where chunks may begin and end. Returns the atoms between them, and the approximate
        number of tokens before each atom and before the end, which never decreases.

        Of the boundaries in the same step of tokens only the first, the strongest and the last are kept, and some
        between them if the text there is too long for an atom. So a chunk can reach only a few boundaries in each step.
        """
        sums = self._rough_sums(atoms)
        kept, stride = [0], step(self._budget.max_tokens)
        for _, same in groupby(range(1, len(atoms)), key=lambda index: sums[index] // stride):
            group = list(same)
            strongest = max(group, key=lambda index: atoms[index].strength)
            kept += sorted({group[0], strongest, group[-1]})
        joined, before = [], []
        parts = [*pairwise([*kept, len(atoms)])][::-1]
        while parts:
            first, stop = parts.pop()
            atom = atoms[first]._replace(end=atoms[stop - 1].end)
            # Counted however long it is: white space has no token in many models.
            if stop - first > 1 and self._prices.count(atom.start, atom.end) > self._atomic_size(atom.start):
                middle = (first + stop) // 2
                parts += (middle, stop), (first, middle)
            else:
                joined.append(atom)
                before.append(sums[first])
        return joined, [*before, sums[-1]]

    def _rough_sums(self, atoms: list[_Atom]) -> list[int]:
        """Return the number of tokens before each atom and before the end; if it was higher before an earlier atom, the
        higher number.
        """
        if isinstance(self._prices, Recounted):
            # Counters of other packages may count the open end again and again. Sums of parts are too large; for words,
            # by more than half.
            return list(accumulate((self._prices.count(atom.start, atom.end) for atom in atoms), initial=0))
        self._encoder.rollback(self._empty)
        return list(accumulate((self._append(atom.start, atom.end) for atom in atoms), max, initial=0))

    # --- costs

    def _costs_of_cuts(self, atoms: list[_Atom]) -> list[float]:
        """Return the cost of a cut before each atom, and at the end of the text."""
        size = len(atoms)
        starts = [*(atom.start for atom in atoms), len(self._text)]
        strengths = [atom.strength for atom in atoms]
        lefts, rights = _stronger_before(strengths), enclosing_ends(range(size), strengths, size)
        costs = [0.0] * (size + 1)
        depths = [0] * (size + 1)
        broken = [0] * (size + 1)
        # Strongest first: a stronger cut separates the unit around each cut from its surroundings.
        for index in sorted(range(1, size), key=strengths.__getitem__, reverse=True):
            left, right = lefts[index], rights[index]
            around = left if right == size or (left and strengths[left] < strengths[right]) else right
            depths[index] = depths[around] + 1
            if not self._is_over(starts[left], starts[right], self._budget.max_tokens):
                broken[index] = broken[around] + 1
            costs[index] = self._tears_head(atoms[index], starts[right]) * COST_OF_TORN_HEAD
            costs[index] += COST_OF_LEVEL * min(depths[index], DEEPEST_LEVEL) + COST_OF_BROKEN_UNIT * broken[index]
        return costs

    def _tears_head(self, following: _Atom, end: int) -> bool:
        """Whether a cut before the atom `following`, in a unit up to `end`, needlessly separates the first line of a
        definition from the comments or attributes before it.
        """
        if following.start not in self._tops:
            return False
        return following.strength <= Strength.PARAGRAPH or self._is_over(following.start, end, self._budget.max_tokens)

    def _cost_of_chunk(self, size: int, repeated: int) -> float:
        """Return the cost of a chunk of `size` tokens. `repeated` of them are context and overlap, which do not count
        towards `min_tokens`.
        """
        target, own = self._budget.target, size - repeated
        emptiness = (target - size) / target
        is_undersized = own < min(self._budget.min_tokens, self._budget.max_tokens - repeated)
        return emptiness * emptiness + (COST_OF_UNDERSIZED * (2 - own / target) if is_undersized else 0)

    # --- the cheapest way

    def _cheapest_ways(
        self, atoms: list[_Atom], before: list[int], costs: list[float]
    ) -> tuple[list[int], dict[int, _Start]]:
        """Return for each boundary the previous one on the cheapest way, and the start of the chunk between the two."""
        reach = (2 if isinstance(self._prices, Recounted) else 1) * self._budget.max_tokens + FARTHER
        best = [0.0, *([inf] * len(atoms))]
        ways = [0] * (len(atoms) + 1)
        begins: dict[int, _Start] = {}
        for first, atom in enumerate(atoms):
            last = max(first + 1, bisect_right(before, before[first] + reach, first) - 1)
            begin = self._begin(atoms, ways[first], first)
            repeated = self._tokenizer.count(begin.context) + self._prices.count(begin.offset, atom.start)
            sizes = self._sizes(begin, [atom.end for atom in atoms[first:last]])
            for stop, size in enumerate(sizes, first + 1):
                cost = best[first] + self._cost_of_chunk(size, repeated) + costs[stop]
                if size <= self._budget.max_tokens and cost < best[stop]:
                    best[stop], ways[stop], begins[stop] = cost, first, begin
        return ways, begins

    def _begin(self, atoms: list[_Atom], before: int, first: int) -> _Start:
        """Return the first start that fits of a chunk with the atom `first`, whose overlap begins at the atom `before`
        at the earliest.
        """
        atom = atoms[first]
        for begin in self._beginnings(atoms, before, first):
            (size,) = self._sizes(begin, [atom.end])
            if size <= self._budget.max_tokens:
                return begin
        unit = self._text[atom.start : atom.end]
        raise BudgetTooSmallError(unit, atom.start, self._tokenizer.count(unit), self._budget.max_tokens)

    def _beginnings(self, atoms: list[_Atom], before: int, first: int) -> Iterator[_Start]:
        """Yield the possible starts of a chunk, the preferred one first: with overlap, without overlap, without
        context.
        """
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
        """Return all boundaries in these atoms: their starts, and those of the outline inside them."""
        self._units.stand_at(Place(atoms[0].start, atoms[0].strength, atoms[0].label, atoms[0].end))
        inner = self._units.take_until(atoms[-1].end)
        known = {place.offset for place in inner}
        inner += [Place(atom.start, atom.strength, atom.label, atom.end) for atom in atoms if atom.start not in known]
        inner.sort()
        return inner

    def _sizes(self, begin: _Start, ends: list[int]) -> list[int]:
        """Return the token counts of the chunk up to each of `ends`, as long as they may still fit. Linear in the text,
        unlike counting slice after slice.
        """
        self._encoder.rollback(self._empty)
        if begin.context:
            self._encoder.append(begin.context)
        sizes: list[int] = []
        for start, end in pairwise([begin.offset, *ends]):
            sizes.append(self._append(start, end))
            if sizes[-1] > self._budget.max_tokens + LOOK_AHEAD:
                break
        return sizes

    def _append(self, start: int, end: int) -> int:
        """Append text[start:end]. Returns the count."""
        self._encoder.append(self._text[start:end])
        return self._encoder.count


def _stronger_before(strengths: list[int]) -> list[int]:
    """Return for each boundary the index of the nearest stronger one before it; 0 if there is none.

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


def _directly_inside(strengths: list[int]) -> list[list[list[int]]]:
    """Return for each boundary the later ones that no stronger boundary separates from it, in groups of equal strength,
    the strongest group last.

    >>> _directly_inside([9, 2, 1, 2, 3])
    [[[1, 3], [4]], [[2]], [], [], []]
    """
    inside: list[list[list[int]]] = [[] for _ in strengths]
    for index, left in enumerate(_stronger_before(strengths)):
        if index == 0:
            continue
        groups = inside[left]
        if groups and strengths[groups[-1][0]] == strengths[index]:
            groups[-1].append(index)
        else:
            groups.append([index])
    return inside
