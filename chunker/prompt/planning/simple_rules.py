"""Simple rules for dropping turns, the baselines that plans are measured against.

keep-all     turns leave only when there is no room, as many as must
drop-oldest  one more each turn than that, as a window that slides
hysteresis   when there is no room, until a quarter of it is free
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from chunker.prompt.planning.billing import Ledger, RequestBill
from chunker.prompt.planning.searching import PlanState

Choices = Callable[[int, int], list[int]]
Rule = Callable[
    [int, int], int
]  # the turn that asks, and the first turn of the prompt before -> the first turn of its prompt


def simple_rules(ledger: Ledger, choices: Choices, room: int, hysteresis: float) -> dict[str, Rule]:
    """The rules by their names. `choices`: the turns that a prompt may begin with; `room`: tokens that it may have."""

    def must(number: int, before: int) -> int:
        return choices(number, before)[0]

    def window(number: int, before: int) -> int:
        found = choices(number, before)
        return found[1] if before and len(found) > 1 and found[0] == before else found[0]

    def steps(number: int, before: int) -> int:
        found = choices(number, before)
        if found[0] == before:
            return before
        free = (1 - hysteresis) * room
        return next((first for first in found if ledger.prompt(first, number) <= free), found[-1])

    return {"keep-all": must, "drop-oldest": window, "hysteresis": steps}


def followed(
    ledger: Ledger, rule: Rule, start: int, state: PlanState, chances: Sequence[dict[bool, float]]
) -> tuple[list[tuple[bool, RequestBill]], float]:
    """The requests under a rule, which writes each to the cache, and their expected dollars.

    Args:
        ledger: The prices of the turns.
        rule: The rule.
        start: The first turn whose request is to come.
        state: The state before it.
        chances: For each turn, the chances that the cache is alive and that it is not; the bills are those of the first
            entry.
    """
    before, cache = state
    made, dollars, reached = [], 0.0, 1.0
    for number, chance in enumerate(chances, start):
        first = rule(number, before)
        bills = [ledger.bill(number, before, first, cache, alive=alive) for alive in chance]
        dollars += reached * sum(share * bill.dollars for share, (bill, _) in zip(chance.values(), bills, strict=True))
        reached *= sum(chance.values())
        bill, cache = bills[0]
        made.append((True, bill))
        before = first
    return made, dollars
