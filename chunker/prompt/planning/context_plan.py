"""ContextPlan: choose which turns to drop, and when, so that the coming turns cost least and no prompt exceeds its budget.

    drop what must     each turn changes the start of the prompt: nothing but the fixed start is in the cache
    drop more, seldom  the turns between find their prompt in the cache, and pay for it again once
    drop in a pause    the cache is empty anyway

The search goes backwards from the last turn: the cost of the remaining turns depends only on the first turn of the
prompt and on the content of the cache. `keep` tokens of the history always stay if the budget allows it: an empty
history would be cheapest, and of no use.

`steps` is given the coming turns. `next_step` is not: it expects them to be like the turns so far (expecting.py) and
takes the way with the lowest expected bill, where the cache may be alive or not at each turn. The ways of the simple
rules are among those compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from chunker.arguments import require, require_all, whole_number
from chunker.prompt.errors import PromptConfigurationError, RequiredItemsError
from chunker.prompt.planning.billing import Cache, Exchange, Ledger, RequestBill
from chunker.prompt.planning.cache_rules import PROVIDERS, CacheRules
from chunker.prompt.planning.expecting import expected
from chunker.prompt.planning.guarding import Course, is_safe
from chunker.prompt.planning.searching import PlanSearch, PlanState, Way
from chunker.prompt.planning.simple_rules import Rule, followed, simple_rules

# The number of turns that a plan expects if it is not given the coming ones.
AHEAD = 6
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
            budget: Token limit of a request, answer included.
            reserve: Tokens of these that are for the answer.
            rules: Prices and rules of the provider, or the name of one of `PROVIDERS`.
            fixed: Tokens at the start of each prompt: system prompt and tools.
            keep: Tokens of the latest history that stay if the budget allows it; by default half of the room beside
                `fixed`.
            summary: Tokens of the summary that replaces dropped turns; 0 for none. Making it is priced.

        Raises:
            PromptConfigurationError: The numbers cannot be used together.
        """
        require(rules, (CacheRules, str), "rules", "CacheRules or the name of a provider")
        budget, reserve = whole_number(budget, "budget", " of tokens"), whole_number(reserve, "reserve", " of tokens")
        fixed, summary = whole_number(fixed, "fixed", " of tokens"), whole_number(summary, "summary", " of tokens")
        keep = None if keep is None else whole_number(keep, "keep", " of tokens")
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

    def __repr__(self) -> str:
        name = next((name for name, rules in PROVIDERS.items() if rules == self.rules), None)
        of = "" if name is None else f" {name!r}"
        return f"<ContextPlan{of}: {self.room} tokens, fixed={self.fixed}, keep={self.keep}, summary={self.summary}>"

    def ledger(self, turns: Sequence[Exchange]) -> Ledger:
        """The prices of turns under the rules of this plan.

        Args:
            turns: The turns.

        Returns:
            A ledger, in tokens and dollars.
        """
        return Ledger(self.rules, turns, self.fixed, self.summary)

    def choices(self, ledger: Ledger, number: int, before: int) -> list[int]:
        """Return the turns that a prompt may start with. None of them answers a tool call of a turn that has left.

        Args:
            ledger: The prices of the turns.
            number: The turn that asks.
            before: The first turn of the prompt before.

        Returns:
            The numbers of these turns, ascending, so that the first one keeps most; at least one.

        Raises:
            RequiredItemsError: The new turn does not fit even alone.
        """
        found = ledger.choices(number, before, self.room, self.keep)
        if not found:
            raise RequiredItemsError(self._needed(ledger, number), self.room, "the conversation")
        return found

    def _needed(self, ledger: Ledger, number: int) -> list[tuple[str, int]]:
        """Return the names and tokens of the least that a prompt has: an answer of a tool stays with the turn of its call."""
        first = number
        while first and ledger.turns[first].bound:
            first -= 1
        needed = [("fixed", self.fixed), *([("summary", self.summary)] if first and self.summary else [])]
        needed += [(f"turn {turn}", ledger.history(turn, turn + 1)) for turn in range(first, number)]
        return [*needed, (f"turn {number}", ledger.turns[number].asked)]

    def steps(
        self, turns: Sequence[Exchange], *, start: int = 0, before: int = 0, cache: Cache | None = None
    ) -> list[Step]:
        """Return the cheapest steps for the turns from `start` on. Deterministic: of two ways with equal costs, the one that keeps more
        at their first difference.

        Args:
            turns: All turns, past and future.
            start: The first turn whose request is to come.
            before: The first turn of the prompt before it.
            cache: What the cache holds.

        Returns:
            A step for each of these turns, in order.

        Raises:
            RequiredItemsError: A turn does not fit even alone.
        """
        require_all(turns, Exchange, "turns", "Exchange")
        ledger = self.ledger(turns)
        state = PlanState(before, cache or Cache())
        chances = [{ledger.is_alive(number): 1.0} for number in range(start, len(turns))]
        bills, rest = self._best(ledger, start, state, chances)
        made = []
        for number, (write, bill) in enumerate(bills, start):
            made.append(Step(bill.first, write, bill, self._why(ledger, number, before, bill.first), rest))
            before, rest = bill.first, rest - bill.dollars
        return made

    def next_step(
        self,
        turns: Sequence[Exchange],
        *,
        before: int = 0,
        cache: Cache | None = None,
        ahead: int = AHEAD,
        course: Course | None = None,
    ) -> Step:
        """Return the step for the last of `turns` if the turns after it are unknown.

        It has the lowest expected bill, of this turn and `ahead` more, under the model of expecting.py, so it is never
        above that of a simple rule from here on. With a `course`, it is the cheapest of the safe steps, if there are
        any: those after which the whole bill need not exceed that of a simple rule, whatever turns follow
        (guarding.py).

        Args:
            turns: The past turns, and the one that asks now, whose answer is ignored.
            before: The first turn of the prompt before it.
            cache: The cache, as `Ledger.bill` returns it.
            ahead: How many turns are expected.
            course: The standings of this plan and of the simple rules, in place of `before` and `cache`: `Course()` at
                first, then the result of `taken`.

        Returns:
            The step, with its bill in dollars and the reason in words.

        Raises:
            PromptConfigurationError: There are no turns.
            RequiredItemsError: The turn does not fit even alone.
        """
        require_all(turns, Exchange, "turns", "Exchange")
        start = _asking(turns)
        if course is not None:
            before, cache = course.own.state
        model = expected(turns, self.rules.seconds, self.room - self.fixed - self.summary, ahead)
        ledger = self.ledger(model.turns)
        state = PlanState(before, cache or Cache())
        chances = [
            {ledger.is_alive(start): 1.0},
            *[{True: model.chance, False: 1 - model.chance}] * (len(model.turns) - len(turns)),
        ]
        bills, dollars = self._best(ledger, start, state, chances)
        write, bill = bills[0]
        if course is not None and (safe := self._safe(turns, course, ledger, chances, (bill.first, write))):
            dollars, (_, write, bill, _) = safe
        return Step(bill.first, write, bill, self._why(ledger, start, before, bill.first), dollars)

    def taken(self, turns: Sequence[Exchange], course: Course, first: int, *, write: bool) -> Course:
        """Return the standings of this plan and of the simple rules after the request of the last of `turns`.

        Args:
            turns: The turns, as for `next_step`.
            course: The standings before the request.
            first: The first turn of its prompt.
            write: Whether the prompt was marked for the cache.

        Returns:
            A new course; the one that was given stays as it is.

        Raises:
            PromptConfigurationError: There are no turns.
        """
        ledger, number = self.ledger(turns), _asking(turns)
        rules = self._rules(ledger).values()
        others = tuple(one.after_rule(ledger, number, rule) for one, rule in zip(course.rules, rules, strict=True))
        return Course(course.own.after(ledger, number, first, write=write), others)

    def _safe(
        self,
        turns: Sequence[Exchange],
        course: Course,
        ledger: Ledger,
        chances: Sequence[dict[bool, float]],
        best: tuple[int, bool],
    ) -> tuple[float, Way] | None:
        """Return the safe way with the lowest expected bill, after that bill; None if `best` is safe or no way is."""
        known, start = self.ledger(turns), len(turns) - 1
        after = self.taken(turns, course, best[0], write=best[1])

        def is_safe_way(first: int, write: bool) -> bool:  # noqa: FBT001
            return is_safe(known, start, after._replace(own=course.own.after(known, start, first, write=write)))

        if is_safe_way(*best):
            return None
        before = course.own.state.first
        besides = [rule(start, before) for rule in self._rules(ledger).values()]
        ways = PlanSearch(ledger, partial(self.choices, ledger), start, course.own.state, chances, besides=besides).ways
        return next(((dollars, way) for dollars, way in ways if is_safe_way(way.first, way.write)), None)

    def _rules(self, ledger: Ledger) -> dict[str, Rule]:
        return simple_rules(ledger, partial(self.choices, ledger), self.room, HYSTERESIS)

    def _best(
        self, ledger: Ledger, start: int, state: PlanState, chances: Sequence[dict[bool, float]]
    ) -> tuple[list[tuple[bool, RequestBill]], float]:
        """Return the certain requests of the cheapest way, each after whether it is written to the cache, and the expected dollars of all requests."""
        choices = partial(self.choices, ledger)
        search = PlanSearch(ledger, choices, start, state, chances)
        rules = self._rules(ledger).values()
        ways = [(search.certain(), search.dollars)]
        for rule in rules:
            # The search drops states if there are too many: then a simple rule may be cheaper, if its prompts fit.
            with suppress(RequiredItemsError):
                ways.append(followed(ledger, rule, start, state, chances))
        return min(ways, key=lambda way: round(way[1], 12))

    def _why(self, ledger: Ledger, number: int, before: int, first: int) -> str:
        if first == before:
            return "kept: all fits, and its start is what the cache has" if number else "kept: the first turn"
        count = first - before
        left = f"dropped {count} turn{'s' if count > 1 else ''} of {ledger.history(before, first):,} tokens"
        if ledger.prompt(before, number) > self.room:
            must = self.choices(ledger, number, before)[0]
            more = (
                "no more than the budget asks for"
                if first == must
                else "more than the budget asks for, so that the next turns find their start in the cache"
            )
            return f"{left}: over budget by {ledger.prompt(before, number) - self.room:,}; {more}"
        if number and ledger.turns[number].seconds > self.rules.seconds:
            return f"{left}: the cache is empty after {ledger.turns[number].seconds:,.0f} s, so it costs nothing to change the start"
        return f"{left}: what it would cost in the turns to come is more than to read the rest anew"


def _asking(turns: Sequence[Exchange]) -> int:
    """Return the number of the turn that asks, which is the last one."""
    if not turns:
        raise PromptConfigurationError("turns must end with the turn that asks, but there are none")
    return len(turns) - 1
