"""SessionTurns: the messages of a PromptSession as turns of a ContextPlan, which decides where the history begins.

user, tool        a new turn, if the one before has an answer; the plan is asked where the prompt is to begin
assistant         the answer: the request is billed, and the cache has its prompt from now on
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import NamedTuple

from chunker.prompt.errors import PromptConfigurationError, RequiredItemsError
from chunker.prompt.planning.billing import Exchange, RequestBill
from chunker.prompt.planning.context_plan import ContextPlan, Step
from chunker.prompt.planning.planned_turns import PlannedTurns


class Decision(NamedTuple):
    """The decision of a plan for a request, with the tokens that stay before all turns."""

    plan: ContextPlan
    step: Step


class SessionTurns:
    """The turns of a session, and the places at which they begin.

    Args:
        plan: Makes the plan for so many tokens that never leave: the system prompt, pinned messages.
        fixed: As many as there are at first.
    """

    def __init__(self, plan: Callable[[int], ContextPlan], fixed: int) -> None:
        self._make = plan
        self._plan = plan(fixed)
        self._turns = PlannedTurns()
        self._places: list[int] = []  # of the first message of each turn
        self.step: Step | None = None

    @property
    def bills(self) -> list[RequestBill]:
        """The costs of the requests that have been answered."""
        return list(self._turns.bills)

    def planned(self, role: str, tokens: int, seconds: float, total: int) -> Decision | None:
        """The decision for a request that ends with a new message; None for an answer, and where the message does not fit even alone. Changes nothing.

        Args:
            role: The role of the message.
            tokens: Tokens of it.
            seconds: Time since the request before.
            total: Tokens of the whole prompt with it.
        """
        if role == "assistant":
            return None
        turns = self._turns.asking(role, tokens, seconds)
        here = sum(turn.asked + turn.answered for turn in turns[self._turns.first :])
        try:
            plan = self._make(max(0, total - here))
            return Decision(plan, self._turns.step(plan, turns))
        except (RequiredItemsError, PromptConfigurationError):
            return None

    def begins(self, decision: Decision, place: int) -> int:
        """The place of the message that a prompt begins with.

        Args:
            decision: The decision for the request.
            place: The place of the new message.
        """
        first = decision.step.first
        return self._places[first] if first < len(self._places) else place

    def add(self, role: str, tokens: int, seconds: float, place: int, decision: Decision | None) -> None:
        """Note a message that has been put in.

        Args:
            role: As in `planned`.
            tokens: Likewise.
            seconds: Likewise.
            place: Its place.
            decision: What was planned for it and done.
        """
        turns = self._turns
        if role == "assistant":
            if turns.is_open:
                turns.sent(self._plan, turns.first, write=self.step is None or self.step.write)
            elif not turns.turns:  # a session that begins with an answer: nothing was asked
                turns.asked([Exchange(0, 0, seconds, 0)])
                self._places.append(place)
            turns.answered(self._plan, tokens)
            return
        turns.asked(turns.asking(role, tokens, seconds))
        if len(self._places) < len(turns.turns):
            self._places.append(place)
        if decision is not None:
            self._plan, self.step = decision
            turns.left(self.step.first)

    def left(self, place: int) -> None:
        """Note that the messages up to a place have left, where others than the plan decided it.

        Args:
            place: The last of them.
        """
        self._turns.left(bisect_right(self._places, place))
