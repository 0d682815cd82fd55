"""ContextPlan: which turns leave, and when, so that the bill of the turns to come is least and no prompt is over budget.

    drop what must     each turn changes the start of the prompt: nothing but the fixed start is in the cache
    drop more, seldom  the turns between find their prompt in the cache, and pay for it again once
    drop in a pause    the cache is empty anyway

The cheapest of all ways is found by going back from the last turn: what the rest costs depends on the first turn of the prompt and on what the cache
holds alone. Of the history a part always stays (`keep`), unless the budget asks for it: nothing at all would be cheapest, and of no use.

`steps` knows the turns to come. `next_step` does not: it expects them to be as those so far were (expecting.py), and of all ways through them, with the cache
alive or not at each, takes the one whose expected bill is least; the ways of the simple rules are among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunker.prompt.errors import PromptConfigurationError, RequiredItemsError
from chunker.prompt.planning.billing import Cache, Exchange, Ledger, RequestBill
from chunker.prompt.planning.cache_rules import PROVIDERS, CacheRules
from chunker.prompt.planning.expecting import expected

# Turns that a plan looks ahead where it does not know them.
AHEAD = 6
# Of more turns that a prompt may begin with, so many are looked at, those of the simple rules among them.
_MOST_CHOICES = 16
HYSTERESIS = 0.25  # of the simple rule


@dataclass(frozen=True)
class Step:
    """The plan for a turn.

    Attributes:
        first: The first turn that stays in the prompt.
        write: Whether to mark the prompt for the cache.
        bill: The cost of the request.
        why: The reason, in words.
        dollars: The expected cost of this and the next turns.
    """

    first: int
    write: bool
    bill: RequestBill
    why: str
    dollars: float = 0.0


class _State(NamedTuple):
    """The first turn of the prompt before, and what the cache holds."""

    first: int
    cache: Cache


class _Way(NamedTuple):
    first: int
    write: bool
    bill: RequestBill
    state: _State


class ContextPlan:
    """The cheapest way through a conversation.

    Examples:
        >>> plan = ContextPlan(4000, rules="claude-sonnet", fixed=1100, keep=600)
        >>> turns = [Exchange(200, 300, seconds=20) for _ in range(9)]
        >>> [step.first for step in plan.steps(turns)]
        [0, 0, 0, 0, 0, 0, 4, 4, 4]
    """

    def __init__(
        self,
        budget: int,
        reserve: int = 0,
        *,
        rules: CacheRules | str = "claude-sonnet",
        fixed: int = 0,
        keep: int | None = None,
        summary: int = 0,
    ) -> None:
        """A plan for prompts of at most `budget - reserve` tokens.

        Args:
            budget: Tokens that the model takes.
            reserve: Tokens of these that are for the answer.
            rules: Prices and rules of the provider, or the name of one of `PROVIDERS`.
            fixed: Tokens at the start of each prompt: system prompt and tools.
            keep: Tokens of the latest history that stay if the budget allows it; by default half of the room beside
                `fixed`.
            summary: Tokens of the summary that replaces dropped turns; 0 for none. Making it is priced.

        Raises:
            PromptConfigurationError: The numbers cannot be used together.
        """
        named = PROVIDERS.get(rules) if isinstance(rules, str) else rules
        if named is None:
            raise PromptConfigurationError(f"rules must be CacheRules or one of {', '.join(PROVIDERS)}; got {rules!r}")
        self.room = budget - reserve
        if min(budget, reserve, fixed, summary, keep or 0) < 0 or fixed + summary >= self.room:
            raise PromptConfigurationError(
                f"budget {budget} less reserve {reserve} must be more than fixed {fixed} and summary {summary}, and none negative"
            )
        self.rules = named
        self.fixed, self.summary = fixed, summary
        self.keep = (self.room - fixed) // 2 if keep is None else keep

    def ledger(self, turns: Sequence[Exchange]) -> Ledger:
        """The prices of turns under the rules of this plan.

        Args:
            turns: The turns.
        """
        return Ledger(self.rules, turns, self.fixed, self.summary)

    def choices(self, ledger: Ledger, number: int, before: int) -> list[int]:
        """The turns that a prompt may begin with. None answers the call of a tool in a turn that has left.

        Args:
            ledger: The prices of the turns.
            number: The turn that asks.
            before: The first turn of the prompt before.

        Raises:
            RequiredItemsError: The new turn does not fit even alone.
        """
        fitting = [
            first
            for first in range(before, number + 1)
            if ledger.prompt(first, number) <= self.room and not ledger.turns[first].bound
        ]
        if not fitting:
            needed = [("fixed", self.fixed), (f"turn {number}", ledger.turns[number].asked)]
            raise RequiredItemsError(needed, self.room, "the conversation", self.summary)
        return [first for first in fitting if first == fitting[0] or ledger.history(first, number) >= self.keep]

    def steps(
        self, turns: Sequence[Exchange], *, start: int = 0, before: int = 0, cache: Cache | None = None
    ) -> list[Step]:
        """The cheapest steps for the turns from `start` on. Deterministic: of two ways that cost the same the one that keeps more.

        Args:
            turns: All turns, those that were and those that will be.
            start: The first turn whose request is to come.
            before: The first turn of the prompt before it.
            cache: What the cache holds.

        Raises:
            RequiredItemsError: A turn does not fit even alone.
        """
        ledger = self.ledger(turns)
        state = _State(before, cache or Cache())
        best = self._best(ledger, start, state, [{ledger.is_alive(number): 1.0} for number in range(start, len(turns))])
        made = []
        for number, (ways, rest) in enumerate(best, start):
            way = ways[state, ledger.is_alive(number)]
            why = self._why(ledger, number, state.first, way.first)
            made.append(Step(way.first, way.write, way.bill, why, rest[state]))
            state = way.state
        return made

    def next_step(
        self, turns: Sequence[Exchange], *, before: int = 0, cache: Cache | None = None, ahead: int = AHEAD
    ) -> Step:
        """The step for the last of these turns, when nobody knows the next: its expected bill, of this and of `ahead` turns more, is the least that any
        way has under the model of expecting.py; so it is never above that of a simple rule from here on.

        Args:
            turns: The turns that were, and the one that asks now, whose answer is not looked at.
            before: The first turn of the prompt before it.
            cache: What the cache holds, as `Ledger.bill` says.
            ahead: How many turns are expected.

        Raises:
            RequiredItemsError: The turn does not fit even alone.
        """
        start = len(turns) - 1
        model = expected(turns, self.rules.seconds, self.room - self.fixed - self.summary, ahead)
        ledger = self.ledger(model.turns)
        alive = ledger.is_alive(start)
        state = _State(before, cache or Cache())
        chances = [{alive: 1.0}, *[{True: model.chance, False: 1 - model.chance}] * (len(model.turns) - len(turns))]
        ways, rest = self._best(ledger, start, state, chances)[0]
        way = ways[state, alive]
        return Step(way.first, way.write, way.bill, self._why(ledger, start, before, way.first), rest[state])

    def _best(
        self, ledger: Ledger, start: int, begin: _State, chances: Sequence[dict[bool, float]]
    ) -> list[tuple[dict[tuple[_State, bool], _Way], dict[_State, float]]]:
        """For each turn from `start` on: the cheapest way from each state, with the cache alive or not, and what it and the rest cost.

        `chances`: of each turn, the chances that the cache is alive, and that it is not.
        """
        # Forward over all states that can be, then back over their cheapest ways.
        layers: list[dict[tuple[_State, bool], list[_Way]]] = []
        states = {begin}
        for number, chance in enumerate(chances, start):
            layer = {}
            for state in states:
                choices = self._fewer(ledger, number, self.choices(ledger, number, state.first))
                for alive in chance:
                    layer[state, alive] = [
                        _Way(first, write, bill, _State(first, after))
                        for first in choices
                        for write in ((True, False) if self.rules.write > self.rules.input else (True,))
                        for bill, after in (
                            ledger.bill(number, state.first, first, state.cache, write=write, alive=alive),
                        )
                    ]
            layers.append(layer)
            states = {way.state for ways in layer.values() for way in ways}
        rest: dict[_State, float] = dict.fromkeys(states, 0.0)
        made = []
        for layer, chance in zip(reversed(layers), reversed(chances), strict=True):
            best = {
                key: min(
                    ways, key=lambda way: (round(way.bill.dollars + rest[way.state], 12), way.first, not way.write)
                )
                for key, ways in layer.items()
            }
            now: dict[_State, float] = {}
            for (state, alive), way in best.items():
                now[state] = now.get(state, 0.0) + chance[alive] * (way.bill.dollars + rest[way.state])
            rest = now
            made.append((best, now))
        return made[::-1]

    def _fewer(self, ledger: Ledger, number: int, choices: list[int]) -> list[int]:
        """Reduce many choices to those of the simple rules, and others at equal distances."""
        if len(choices) <= _MOST_CHOICES:
            return choices
        free = (1 - HYSTERESIS) * self.room
        some = {
            choices[0],
            choices[1],
            next((one for one in choices if ledger.prompt(one, number) <= free), choices[-1]),
        }
        some |= {choices[place * (len(choices) - 1) // (_MOST_CHOICES - 3)] for place in range(_MOST_CHOICES - 2)}
        return sorted(some)

    def _why(self, ledger: Ledger, number: int, before: int, first: int) -> str:
        if first == before:
            return "kept: all fits, and its start is what the cache has" if number else "kept: the first turn"
        count = first - before
        left = f"dropped {count} turn{'s' if count > 1 else ''} of {ledger.history(before, first):,} tokens"
        if ledger.prompt(before, number) > self.room:
            must = self.choices(ledger, number, before)[0]
            more = "no more than the budget asks for" if first == must else "more than the budget asks for, so that the next turns find their start in the cache"  # fmt: skip
            return f"{left}: over budget by {ledger.prompt(before, number) - self.room:,}; {more}"
        if number and ledger.turns[number].seconds > self.rules.seconds:
            return f"{left}: the cache is empty after {ledger.turns[number].seconds:,.0f} s, so it costs nothing to change the start"
        return f"{left}: what it would cost in the turns to come is more than to read the rest anew"
