"""Find the cheapest plan by dynamic programming, backwards from the last turn, over few states.

    state     |system|turn 3|turn 4|turn 5|    the first turn of the prompt, and how far the cache has it
    choices   stay, drop as little as must be, or drop all that may leave

A drop of any size changes the start of the prompt, so the largest drop is the cheapest, in this request and in each
later one: `fewer` leaves out the others. `kept` leaves out each reachable state for which another one is at least as
cheap, whatever follows:

    another has dropped more for less, and the cache has all of it        it can do whatever this one does, with shorter prompts
    another has dropped less for so much less that it may follow suit     it drops the rest now, pays for reading its prompt anew, and is still cheaper

Both are exact; prompts near the shortest that is cached are left alone. Of more than `_MOST_STATES` states, those at
equal distances stay.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from chunker.prompt.errors import RequiredItemsError
from chunker.prompt.planning.billing import Cache, Ledger, RequestBill
from chunker.prompt.planning.cache_rules import CacheRules

_MOST_STATES = 48
_MOST_CHOICES = 16
_EQUAL = 1e-12  # dollars

T = TypeVar("T")

Choices = Callable[
    [int, int], list[int]
]  # the turn that asks, and the first turn of the prompt before -> ascending first turns


class PlanState(NamedTuple):
    """The first turn of the previous prompt, and the cache."""

    first: int
    cache: Cache


class Way(NamedTuple):
    """A request from a state, and the state after it."""

    first: int
    write: bool
    bill: RequestBill
    state: PlanState


class PlanSearch:
    """The cheapest ways from a state through all turns from `start` on.

    Args:
        ledger: The prices of the turns.
        choices: The turns that a prompt may begin with.
        start: The first turn whose request is to come.
        begin: The state before it.
        chances: Of each turn, the chances that the cache is alive, and that it is not.
        besides: Further turns that the first prompt may start with.

    Raises:
        RequiredItemsError: There is no way on which all prompts fit.

    Attributes:
        dollars: The expected cost of the cheapest way.
        ways: Each way of the first request, after the expected cost of all turns on it; the cheapest first.
        looked_at: How many requests were billed.
    """

    def __init__(
        self,
        ledger: Ledger,
        choices: Choices,
        start: int,
        begin: PlanState,
        chances: Sequence[dict[bool, float]],
        *,
        besides: Sequence[int] = (),
    ) -> None:
        self._ledger, self._choices = ledger, choices
        self.looked_at = 0
        certain = all(len(chance) == 1 for chance in chances)
        reached = {begin: 0.0}
        ahead: list[dict[tuple[PlanState, bool], list[Way]]] = []
        for number, chance in enumerate(chances, start):
            firsts = {one: self._firsts(number, one) for one in {state.first for state in reached}}
            if number == start:
                firsts[begin.first] = sorted({*firsts[begin.first], *besides})
            ahead.append(
                {
                    (state, alive): self._ways(number, state, firsts[state.first], alive=alive)
                    for state in reached
                    for alive in chance
                }
            )
            after: dict[PlanState, float] = {}
            for (state, _), ways in ahead[-1].items():
                for way in ways:
                    dollars = reached[state] + way.bill.dollars
                    after[way.state] = min(after.get(way.state, dollars), dollars)
            if not after:
                choices(number, begin.first)  # the error
            reached = kept(ledger, choices, number, after) if certain else after
        rest = dict.fromkeys(reached, 0.0)
        layers = []
        for layer, chance in zip(reversed(ahead), reversed(chances), strict=True):
            if layer is ahead[0]:
                ways = [way for each in layer.values() for way in each if way.state in rest]
                self.ways = sorted(((way.bill.dollars + rest[way.state], way) for way in ways), key=_cost)
            best = {key: chosen for key, ways in layer.items() if (chosen := _cheapest(ways, rest)) is not None}
            rest = {
                state: sum(
                    share * (best[state, alive].bill.dollars + rest[best[state, alive].state])
                    for alive, share in chance.items()
                )
                for state in dict.fromkeys(state for state, _ in best)
            }
            layers.append(best)
        self._layers = layers[::-1]
        self._begin = begin
        self._chances = chances
        self.dollars = rest[begin]

    def certain(self) -> list[tuple[bool, RequestBill]]:
        """Return the cheapest requests, each after whether it is written to the cache, up to the first turn at which the cache may be alive or not."""
        made = []
        state = self._begin
        for layer, chance in zip(self._layers, self._chances, strict=True):
            if len(chance) > 1:
                break
            way = layer[state, next(iter(chance))]
            made.append((way.write, way.bill))
            state = way.state
        return made

    def _firsts(self, number: int, before: int) -> list[int]:
        """Return the turns to try as the first of a prompt; empty if the new turn does not fit."""
        try:
            return fewer(self._ledger, number, self._choices(number, before))
        except RequiredItemsError:
            return []

    def _ways(self, number: int, state: PlanState, firsts: Sequence[int], *, alive: bool) -> list[Way]:
        rules = self._ledger.rules
        made = []
        for first in firsts:
            for write in (True, False) if rules.write > rules.input else (True,):
                bill, after = self._ledger.bill(number, state.first, first, state.cache, write=write, alive=alive)
                made.append(Way(first, write, bill, PlanState(first, after)))
        self.looked_at += len(made)
        return made


def _cheapest(ways: Sequence[Way], rest: dict[PlanState, float]) -> Way | None:
    """Return the cheapest way to a state in `rest`; of two with equal costs, the one that keeps more turns. None if there is no such way."""
    known = [way for way in ways if way.state in rest]
    return min(known, key=lambda way: _cost((way.bill.dollars + rest[way.state], way)), default=None)


def _cost(way: tuple[float, Way]) -> tuple[float, int, bool]:
    """Return the sort key of a way: its dollars; of two with equal costs, the one that keeps more turns comes first."""
    dollars, (first, write, *_) = way
    return round(dollars, 12), first, not write


def fewer(ledger: Ledger, number: int, choices: list[int]) -> list[int]:
    """Return the choices that may be the cheapest: the first, which stays or drops as little as it must, and the largest drop; with the drops that may be
    cheaper than the largest because short prompts are not cached, or because hits are rounded down.
    """
    rules = ledger.rules
    drops = choices[1:]
    few = bisect_right(drops, -rules.min_tokens, key=lambda first: -ledger.prompt(first, number))
    cached, small = drops[:few], drops[few:]
    if cached:
        lost = _rounding(rules)
        cached = (
            cached[bisect_left(cached, 1, key=lambda first: ledger.history(first, cached[-1]) * rules.cached < lost) :]
            or cached[-1:]
        )
    return [*choices[:1], *_spread(cached + small, _MOST_CHOICES)]


def kept(ledger: Ledger, choices: Choices, number: int, reached: dict[PlanState, float]) -> dict[PlanState, float]:
    """Return the states after the request of turn `number` that may be on the cheapest way, with their dollars.

    Args:
        ledger: The prices of the turns.
        choices: The turns that a prompt may begin with.
        number: The turn that has asked.
        reached: The states, each with the dollars spent to reach it.
    """
    rules, lost = ledger.rules, _rounding(ledger.rules)
    order = sorted(reached, key=lambda state: (state.first, state.cache.last))
    stay: list[PlanState] = []
    best: PlanState | None = None  # of those that have dropped as much or more, and have all of it in the cache
    for state in reversed(order):
        if best is not None and reached[best] < reached[state] - _EQUAL:
            less = ledger.prompt(state.first, number) - ledger.prompt(best.first, number)
            if state.first == best.first or (less >= 0 and less * rules.cached >= lost):
                continue
        stay.append(state)
        if state.cache.last == number and (best is None or reached[state] <= reached[best]):
            best = state
    made: list[PlanState] = []
    cheapest: PlanState | None = None  # of those that have dropped as much or less
    for state in reversed(stay):
        if cheapest is not None:
            # An equally cheap state stays: which of the two keeps more is decided at the end.
            more = reached[state] - reached[cheapest]
            if more > _following(ledger, choices, number + 1, cheapest.first, state.first) + _EQUAL:
                continue
        made.append(state)
        if cheapest is None or reached[state] < reached[cheapest]:
            cheapest = state
    some = {*_spread(made, _MOST_STATES), cheapest}
    return {state: reached[state] for state in made if state in some}


def _rounding(rules: CacheRules) -> float:
    """Return the most that a request may lose because hits are rounded down, in millionths of a dollar."""
    return (rules.write - rules.cached) * (rules.step - 1)


def _following(ledger: Ledger, choices: Choices, number: int, first: int, other: int) -> float:
    """Return the most extra dollars at turn `number` for a prompt that started at turn `first` to start at `other` instead; infinity if it may not."""
    if number == len(ledger.turns):
        return 0.0
    return following_dollars(ledger, number, first, other) if other in choices(number, first) else float("inf")


def following_dollars(ledger: Ledger, number: int, first: int, other: int) -> float:
    """Return the extra dollars at turn `number` if the prompt now starts at turn `other` instead of `first`, so that the cache cannot serve it."""
    rules = ledger.rules
    dollars = ledger.prompt(other, number) * (rules.write - rules.cached)
    if ledger.summary and first != other:
        dollars += (ledger.history(first, other) + ledger.summary) * rules.input + ledger.summary * rules.output
    return dollars / 1e6


def _spread(values: list[T], most: int) -> list[T]:
    """Return at most `most` of the values, at equal distances, with the first and the last.

    >>> _spread([1, 2, 3, 4, 5, 6, 7], 3)
    [1, 4, 7]
    """
    if len(values) <= most:
        return values
    return [values[place * (len(values) - 1) // (most - 1)] for place in range(most)]
