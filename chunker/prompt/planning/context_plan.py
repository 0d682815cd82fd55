"""ContextPlan: which turns to drop, and when, so that no prompt is over budget and the bill of the coming turns is
lowest.

    drop what must     each turn changes the start of the prompt: nothing but the fixed start is in the cache
    drop more, seldom  the turns between find their prompt in the cache, and pay for it again once
    drop in a pause    the cache is empty anyway

The cheapest plan is found backwards from the last turn: the cost of the rest depends only on the first turn of the
prompt and on the content of the cache. A part of the history always stays (`keep`), unless the budget forbids it: no
history would be cheapest, and of no use.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from chunker.prompt.errors import PromptConfigurationError, RequiredItemsError
from chunker.prompt.planning.billing import Cache, Exchange, Ledger, RequestBill
from chunker.prompt.planning.cache_rules import PROVIDERS, CacheRules


@dataclass(frozen=True)
class Step:
    """The plan for a turn.

    Attributes:
        first: The first turn that stays in the prompt.
        write: Whether to mark the prompt for the cache.
        bill: The cost of the request.
        why: The reason, in words.
    """

    first: int
    write: bool
    bill: RequestBill
    why: str


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
        summarize: Callable[[int, int], str] | None = None,
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
            summarize: Makes the summary, from the number of the first dropped turn and of the first that stays. Only
                `summary_of` calls it.

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
        self._summarize = summarize

    def ledger(self, turns: Sequence[Exchange]) -> Ledger:
        """The prices of turns under the rules of this plan.

        Args:
            turns: The turns.
        """
        return Ledger(self.rules, turns, self.fixed, self.summary)

    def choices(self, ledger: Ledger, number: int, before: int) -> list[int]:
        """The turns that a prompt may begin with.

        Args:
            ledger: The prices of the turns.
            number: The turn whose prompt it is.
            before: The first turn of the prompt before it.

        Raises:
            RequiredItemsError: The new turn does not fit even alone.
        """
        fitting = [first for first in range(before, number + 1) if ledger.prompt(first, number) <= self.room]
        if not fitting:
            needed = [("fixed", self.fixed), (f"turn {number}", ledger.turns[number].asked)]
            raise RequiredItemsError(needed, self.room, "the conversation", self.summary)
        return [first for first in fitting if first == fitting[0] or ledger.history(first, number) >= self.keep]

    def steps(
        self, turns: Sequence[Exchange], *, start: int = 0, before: int = 0, cache: Cache | None = None
    ) -> list[Step]:
        """The cheapest steps for the turns from `start` on. Deterministic: of two plans that cost the same it is the
        one that keeps more.

        Args:
            turns: All turns, past and expected.
            start: The first turn whose request is to come.
            before: The first turn of the prompt before it.
            cache: The content of the cache.

        Raises:
            RequiredItemsError: A turn does not fit even alone.
        """
        ledger = self.ledger(turns)
        # Forward over all states that can be, then back over their cheapest ways.
        layers: list[dict[tuple[int, Cache], list[tuple[int, bool, RequestBill, tuple[int, Cache]]]]] = []
        states = {(before, cache or Cache())}
        for number in range(start, len(turns)):
            layer = {}
            for state in states:
                ways = []
                for first in self.choices(ledger, number, state[0]):
                    for write in (True, False) if self.rules.write > self.rules.input else (True,):
                        bill, after = ledger.bill(number, state[0], first, state[1], write=write)
                        ways.append((first, write, bill, (first, after)))
                layer[state] = ways
            layers.append(layer)
            states = {way[3] for ways in layer.values() for way in ways}
        rest: dict[tuple[int, Cache], float] = dict.fromkeys(states, 0.0)
        chosen: list[dict[tuple[int, Cache], tuple[int, bool, RequestBill, tuple[int, Cache]]]] = []
        for layer in reversed(layers):
            best = {
                state: min(ways, key=lambda way: (round(way[2].dollars + rest[way[3]], 12), way[0], not way[1]))
                for state, ways in layer.items()
            }
            rest = {state: way[2].dollars + rest[way[3]] for state, way in best.items()}
            chosen.append(best)
        made = []
        state = (before, cache or Cache())
        for number, best in enumerate(reversed(chosen), start):
            first, write, bill, reached = best[state]
            made.append(Step(first, write, bill, self._why(ledger, number, state[0], first)))
            state = reached
        return made

    def _why(self, ledger: Ledger, number: int, before: int, first: int) -> str:
        if first == before:
            return "kept: all fits, and its start is what the cache has" if number else "kept: the first turn"
        count = first - before
        left = f"dropped {count} turn{'s' if count > 1 else ''} of {ledger.history(before, first):,} tokens"
        if ledger.prompt(before, number) > self.room:
            must = next(one for one in range(before, number + 1) if ledger.prompt(one, number) <= self.room)
            more = "no more than the budget asks for" if first == must else "more than the budget asks for, so that the next turns find their start in the cache"  # fmt: skip
            return f"{left}: over budget by {ledger.prompt(before, number) - self.room:,}; {more}"
        if number and ledger.turns[number].seconds > self.rules.seconds:
            return f"{left}: the cache is empty after {ledger.turns[number].seconds:,.0f} s, so it costs nothing to change the start"
        return f"{left}: what it would cost in the turns to come is more than to read the rest anew"

    def summary_of(self, first: int, last: int) -> str:
        """Summarize turns, with the callable that was given as `summarize`.

        Args:
            first: The first turn to summarize.
            last: The turn after the last one.

        Raises:
            PromptConfigurationError: No callable was given.
        """
        if self._summarize is None:
            raise PromptConfigurationError("summarize was not given")
        return self._summarize(first, last)
