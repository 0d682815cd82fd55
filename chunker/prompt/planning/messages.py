"""PlannedTurns: the messages of a session as the turns of a ContextPlan, which decides where the history begins.

user, tool        a new turn, if the one before has an answer; the plan is asked where the prompt is to begin
assistant         the answer: the request is billed, and the cache has its prompt from now on
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace

from chunker.prompt.errors import PromptConfigurationError, RequiredItemsError
from chunker.prompt.planning.billing import Cache, Exchange
from chunker.prompt.planning.context_plan import ContextPlan, Step


class PlannedTurns:
    """The turns of a session, in tokens, and what the cache holds of its prompt.

    Args:
        plan: Makes the plan for so many tokens that never leave: the system prompt, pinned messages.
        fixed: As many as there are at first.
    """

    def __init__(self, plan: Callable[[int], ContextPlan], fixed: int) -> None:
        self._make = plan
        self._plan = plan(fixed)
        self._turns: list[Exchange] = []
        self._places: list[int] = []  # of the first message of each turn
        self._cache = Cache()
        self._before = 0  # the first turn of the request before
        self._first = 0
        self.step: Step | None = None

    def planned(self, role: str, tokens: int, seconds: float, total: int) -> Step | None:
        """The step for a request that ends with a new message; None for an answer, and where the message does not fit even alone. Changes nothing.

        Args:
            role: The role of the message.
            tokens: Tokens of it.
            seconds: Time since the request before.
            total: Tokens of the whole prompt with it.
        """
        if role == "assistant":
            return None
        turns = self._with(role, tokens, seconds)
        here = sum(turn.asked + turn.answered for turn in turns[self._first :])
        try:
            return self._make(max(0, total - here)).next_step(turns, before=self._first, cache=self._cache)
        except (RequiredItemsError, PromptConfigurationError):
            return None

    def begins(self, step: Step, place: int) -> int:
        """The place of the message that a prompt begins with.

        Args:
            step: The step for the request.
            place: The place of the new message.
        """
        return self._places[step.first] if step.first < len(self._places) else place

    def add(self, role: str, tokens: int, seconds: float, place: int, step: Step | None) -> None:
        """Note a message that has been put in.

        Args:
            role: As in `planned`.
            tokens: Likewise.
            seconds: Likewise.
            place: Its place.
            step: What was planned for it and done.
        """
        first = not self._turns or not self._turns[-1].answered
        if role == "assistant" and first and self._turns:
            number = len(self._turns) - 1
            ledger = self._plan.ledger(self._turns)
            write = self.step is None or self.step.write
            _, self._cache = ledger.bill(number, self._before, self._first, self._cache, write=write)
            self._before = self._first
        turns = self._with(role, tokens, seconds)
        if len(turns) > len(self._turns):
            self._places.append(place)
        self._turns = turns
        if step is not None:
            self.step, self._first = step, step.first

    def left(self, place: int) -> None:
        """Note that the messages up to a place have left, where others than the plan decided it.

        Args:
            place: The last of them.
        """
        self._first = max(self._first, bisect_right(self._places, place))

    def _with(self, role: str, tokens: int, seconds: float) -> list[Exchange]:
        """The turns with a message more."""
        answer = role == "assistant"
        if not self._turns or (self._turns[-1].answered and not answer):
            bound = role == "tool" and bool(self._turns)
            asked, answered = (0, tokens) if answer else (tokens, 0)
            return [*self._turns, Exchange(asked, answered, seconds, 1, bound)]
        *before, last = self._turns
        if answer:
            return [*before, replace(last, answered=last.answered + tokens, messages=last.messages + 1)]
        more = replace(last, asked=last.asked + tokens, seconds=last.seconds + seconds, messages=last.messages + 1)
        return [*before, more]
