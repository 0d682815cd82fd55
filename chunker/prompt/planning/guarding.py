"""Guard: find the steps after which a plan can still cost no more than the simple rules, whatever turns follow.

    rule     |system|turn 3|turn 4|turn 5|     its first turn, what the cache has of its prompt, and what it has cost so far
    plan     |system|turn 5|                   as cheap so far, and its prompt is shorter and in the cache: it can do what the rule does, for less
    plan     |system|turn 1| ... |turn 5|      so much cheaper so far that it may drop what the rule has dropped, read the rest anew, and still be cheaper

A step that costs now and saves later is a bet on the turns to come. The plan bets what it has saved so far, and no
more. Beside one rule such a step is safe, but for prompts near the least size that is cached; beside all of them as
long as they do not part: then no step may be safe any more.
"""

from __future__ import annotations

from typing import NamedTuple

from chunker.prompt.errors import RequiredItemsError
from chunker.prompt.planning.billing import Cache, Ledger
from chunker.prompt.planning.searching import PlanState, following_dollars
from chunker.prompt.planning.simple_rules import Rule

_EQUAL = 1e-12  # dollars


class Standing(NamedTuple):
    """The state of a plan or rule after a request: the first turn, the cache, and the dollars of all requests so far without the answers."""

    state: PlanState = PlanState(0, Cache())
    dollars: float = 0.0

    def after(self, ledger: Ledger, number: int, first: int, *, write: bool = True) -> Standing:
        """Return the standing after the request of turn `number`, whose prompt starts at turn `first`."""
        bill, cache = ledger.bill(number, self.state.first, first, self.state.cache, write=write)
        answer = ledger.turns[number].answered * ledger.rules.output / 1e6
        return Standing(PlanState(first, cache), self.dollars + bill.dollars - answer)

    def after_rule(self, ledger: Ledger, number: int, rule: Rule) -> Standing:
        """Return the standing after the request of turn `number` under a rule; its dollars are infinite if the prompt does not fit."""
        try:
            return self.after(ledger, number, rule(number, self.state.first))
        except RequiredItemsError:
            return Standing(self.state, float("inf"))


class Course(NamedTuple):
    """The standing of a plan in a conversation, and that of each simple rule. `Course()` is the start, before the first request.

    Attributes:
        own: The standing of the plan.
        rules: The standings of the simple rules, in their order.
    """

    own: Standing = Standing()
    rules: tuple[Standing, ...] = (Standing(), Standing(), Standing())


def is_safe(ledger: Ledger, number: int, course: Course) -> bool:
    """Return whether the plan, after the request of turn `number`, can still cost no more than any of the rules.

    Args:
        ledger: The prices of the turns.
        number: The turn that has asked.
        course: The standings of the plan and of the rules after the request.
    """
    return all(_is_safe_beside(ledger, number, course.own, rule) for rule in course.rules)


def _is_safe_beside(ledger: Ledger, number: int, own: Standing, rule: Standing) -> bool:
    (first, cache), (other, held) = own.state, rule.state
    if own.dollars > rule.dollars + _EQUAL:
        return False
    if first >= other and cache.last >= held.last:
        return True
    return first <= other and own.dollars + following_dollars(ledger, number, first, other) <= rule.dollars + _EQUAL
