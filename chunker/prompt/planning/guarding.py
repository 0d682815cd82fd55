"""Guard: find the steps after which a plan can still cost no more than the simple rules, whatever turns follow.

    rule     |system|turn 3|turn 4|turn 5|     its first turn, what the cache has of its prompt, and what it has cost so far
    plan     |system|turn 5|                   as cheap so far, and its prompt is shorter and in the cache: it can do what the rule does, for less
    plan     |system|turn 1| ... |turn 5|      so much cheaper so far that it may drop what the rule has dropped, read the rest anew, and still be cheaper

A step that costs now and saves later is a bet on the turns to come. The plan bets what it has saved so far, and no more. Beside one rule such a step is safe,
but for prompts near the least size that is cached; beside all of them as long as they do not part: then no step may be safe any more.
"""

from __future__ import annotations

from typing import NamedTuple

from chunker.prompt.errors import RequiredItemsError
from chunker.prompt.planning.billing import Cache, Ledger
from chunker.prompt.planning.searching import PlanState, following_dollars
from chunker.prompt.planning.simple_rules import Rule

_EQUAL = 1e-12  # dollars


class Standing(NamedTuple):
    """Where somebody is after a request: the first turn, what the cache holds, and the dollars of all requests so far without the answers."""

    state: PlanState = PlanState(0, Cache())
    dollars: float = 0.0

    def after(self, ledger: Ledger, number: int, first: int, *, write: bool = True) -> Standing:
        """Where one is after the request of turn `number`, from `first` on."""
        bill, cache = ledger.bill(number, self.state.first, first, self.state.cache, write=write)
        answer = ledger.turns[number].answered * ledger.rules.output / 1e6
        return Standing(PlanState(first, cache), self.dollars + bill.dollars - answer)

    def after_rule(self, ledger: Ledger, number: int, rule: Rule) -> Standing:
        """Where one is who follows a rule; out of reach where the rule does not come through."""
        try:
            return self.after(ledger, number, rule(number, self.state.first))
        except RequiredItemsError:
            return Standing(self.state, float("inf"))


class Course(NamedTuple):
    """Where a plan is in a conversation, and where it would be under each simple rule. As it is made, before the first request.

    Attributes:
        own: Where the plan is.
        rules: Where the simple rules are, in their order.
    """

    own: Standing = Standing()
    rules: tuple[Standing, ...] = (Standing(), Standing(), Standing())


def is_safe(ledger: Ledger, number: int, course: Course) -> bool:
    """Whether the plan need not cost more than any of the rules, after the request of turn `number`.

    Args:
        ledger: The prices of the turns.
        number: The turn that has asked.
        course: Where the plan and the rules are after it.
    """
    return all(_is_safe_beside(ledger, number, course.own, rule) for rule in course.rules)


def _is_safe_beside(ledger: Ledger, number: int, own: Standing, rule: Standing) -> bool:
    (first, cache), (other, held) = own.state, rule.state
    if own.dollars > rule.dollars + _EQUAL:
        return False
    if first >= other and cache.last >= held.last:
        return True
    return first <= other and own.dollars + following_dollars(ledger, number, first, other) <= rule.dollars + _EQUAL
