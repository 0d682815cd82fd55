"""PlannedTurns: the turns of a conversation that grows, what a plan decides for each request, and what they have cost.

    asked     |system|turn 3|turn 4|user 5|            may come in several messages
    sent      the request is billed, and the standings of the plan and of the simple rules move on
    answered  |system|turn 3|turn 4|user 5|answer 5|   in one message or several

A plan that does not know the turns to come is guarded (guarding.py): here is the one place that tells it where it and
the simple rules stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chunker.prompt.planning.billing import Exchange, RequestBill
from chunker.prompt.planning.context_plan import ContextPlan, Step
from chunker.prompt.planning.expecting import expected_answer
from chunker.prompt.planning.guarding import Course


class PlannedTurns:
    """The turns of a conversation, in tokens, and the course of its plan.

    Attributes:
        turns: All turns there ever were.
        bills: The cost of each request, with its answer: until that is there, with the expected one.
        is_open: Whether the last turn waits for its answer.
    """

    def __init__(self) -> None:
        self.turns: list[Exchange] = []
        self.bills: list[RequestBill] = []
        self.is_open = False
        self._course = Course()
        self._expected = 0  # tokens of the answer to the last request, in its bill

    @property
    def first(self) -> int:
        """The first turn that has not left."""
        return self._course.own.state.first

    def asking(self, role: str, tokens: int, seconds: float, messages: int = 1) -> list[Exchange]:
        """Return the turns with messages that ask: in the turn that waits for its answer, or in a new one. Changes nothing.

        Args:
            role: The role of the first of them.
            tokens: Tokens of them.
            seconds: Time since the request before.
            messages: How many they are.
        """
        if not self.is_open:
            is_bound = role == "tool" and bool(self.turns)
            return [*self.turns, Exchange(tokens, 0, seconds, messages, is_bound)]
        *before, last = self.turns
        asked, messages = last.asked + tokens, last.messages + messages
        return [*before, replace(last, asked=asked, seconds=last.seconds + seconds, messages=messages)]

    def step(self, plan: ContextPlan, turns: Sequence[Exchange]) -> Step:
        """Return the step of a guarded plan for the last of these turns. Changes nothing.

        Args:
            plan: The plan.
            turns: The turns, as `asking` returns them.

        Raises:
            RequiredItemsError: The turn does not fit even alone.
        """
        return plan.next_step(turns, course=self._course)

    def asked(self, turns: Sequence[Exchange]) -> None:
        """Take over the turns that `asking` returned."""
        self.turns, self.is_open = list(turns), True

    def left(self, first: int) -> None:
        """Note that the turns before `first` have left."""
        own = self._course.own
        if first > own.state.first:
            self._course = self._course._replace(own=own._replace(state=own.state._replace(first=first)))

    def sent(self, plan: ContextPlan, first: int, *, write: bool) -> RequestBill:
        """Bill the request of the turn that waits for its answer, and move the standings on.

        Args:
            plan: The plan, with the tokens that stay in front of all turns now.
            first: The first turn of the prompt.
            write: Whether the prompt was marked for the cache.
        """
        self._expected = expected_answer(self.turns)
        turns = [*self.turns[:-1], replace(self.turns[-1], answered=self._expected)]
        before, cache = self._course.own.state
        bill, _ = plan.ledger(turns).bill(len(turns) - 1, before, first, cache, write=write)
        self._course = plan.taken(turns, self._course, first, write=write)
        self.bills.append(bill)
        return bill

    def answered(self, plan: ContextPlan, tokens: int, messages: int = 1) -> None:
        """Add messages of an answer to the last turn, and their price to its bill.

        Args:
            plan: As for `sent`.
            tokens: Tokens of them.
            messages: How many they are.
        """
        *before, last = self.turns
        self.turns = [*before, replace(last, answered=last.answered + tokens, messages=last.messages + messages)]
        if self.bills:
            more = (tokens - self._expected) * plan.rules.output / 1e6
            self.bills[-1] = replace(self.bills[-1], dollars=self.bills[-1].dollars + more)
        self._expected, self.is_open = 0, False
