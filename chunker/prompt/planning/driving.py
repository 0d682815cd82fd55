"""PlannedConversation: a Conversation whose turns leave, are summarized and are marked for the cache as a ContextPlan says.

    ask      |system|turn 3|turn 4|user 5|assistant:      what the plan drops has left; ids, and after which messages to put a breakpoint
    answer   |system|turn 3|turn 4|user 5|answer 5|

Tokens are those of the real ids. Where a template makes more of the messages than their sum, turns leave until the
budget holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chunker.arguments import require, require_text, whole_number
from chunker.prompt.conversation import Change, Conversation
from chunker.prompt.errors import ConversationError, PromptConfigurationError, RequiredItemsError
from chunker.prompt.planning.billing import Exchange, RequestBill
from chunker.prompt.planning.cache_rules import CacheRules
from chunker.prompt.planning.context_plan import ContextPlan, Step
from chunker.prompt.planning.planned_turns import PlannedTurns
from chunker.prompt.templates.values import Message

Summarize = Callable[[Sequence[Message]], str]


@dataclass(frozen=True)
class PlannedRequest:
    """A request that is ready to be sent.

    Args:
        change: The change of the ids since the request before, or the answer to it.
        step: What the plan has decided, what it costs, and why.
        left: The messages that have left for this request.
        breakpoints: The numbers of the messages after which the provider is to be told to cache the prompt.
    """

    change: Change
    step: Step
    left: tuple[Message, ...]
    breakpoints: tuple[int, ...]


class PlannedConversation:
    """A conversation that stays within a budget at the least expected bill.

    The messages that the conversation has at first stay in front of all others. One owner at a time, as a Conversation.

    >>> template = "{% for m in messages %}<|endoftext|>{{ m.role }}: {{ m.content }}{% endfor %}"
    >>> conversation = Conversation("o200k_base", template)
    >>> _ = conversation.append({"role": "system", "content": "Be brief."})
    >>> planned = PlannedConversation(conversation, 40, keep=10)
    >>> for turn in range(4):
    ...     request = planned.ask({"role": "user", "content": "Tell me more."}, seconds=9)
    ...     _ = planned.answer({"role": "assistant", "content": "No, thank you."})
    >>> [message["role"] for message in planned.conversation.messages], planned.first
    (['system', 'user', 'assistant', 'user', 'assistant'], 2)
    """

    def __init__(
        self,
        conversation: Conversation,
        budget: int,
        reserve: int = 0,
        *,
        rules: CacheRules | str = "claude-sonnet",
        keep: int | None = None,
        summary: int = 0,
        summarize: Summarize | None = None,
        summary_role: str = "user",
    ) -> None:
        """A plan for the requests of a conversation.

        Args:
            conversation: With the messages that always stay: system prompt, examples. Not to be changed by others, but
                for `push`.
            budget: Token limit of a request, answer included.
            reserve: Of these for the answer.
            rules: Prices and rules of the provider, or the name of one of `PROVIDERS`.
            keep: Tokens of the latest history that stay where the budget allows it; by default half of the room beside
                the fixed messages.
            summary: Tokens of the summary of what has left; 0 for none. The plan prices it as input of what is
                summarized and as output.
            summarize: Makes it of messages that leave, a summary of before among them. What it has beyond `summary`
                tokens is cut off.
            summary_role: The role of its message.

        Raises:
            PromptConfigurationError: The numbers do not go together, or one of `summary` and `summarize` is missing.
        """
        require(conversation, Conversation, "conversation", "a Conversation")
        budget, reserve = whole_number(budget, "budget", " of tokens"), whole_number(reserve, "reserve", " of tokens")
        summary = whole_number(summary, "summary", " of tokens")
        if (summary > 0) != (summarize is not None):
            raise PromptConfigurationError("pass summary, in tokens, and summarize, which makes it, together")
        self._conversation = conversation
        self._plan = ContextPlan(budget, reserve, rules=rules, fixed=conversation.count, keep=keep, summary=summary)
        self._summarize, self._summary_role = summarize, summary_role
        self._fixed = len(conversation.messages)
        self._turns = PlannedTurns()
        self._has_summary = False
        self._asked: int | None = None  # the count when the model was asked

    @property
    def conversation(self) -> Conversation:
        """The conversation as it is now: another object after each request. Sampled ids are pushed to it."""
        return self._conversation

    @property
    def plan(self) -> ContextPlan:
        """The plan."""
        return self._plan

    @property
    def turns(self) -> list[Exchange]:
        """All turns so far, in tokens; those before `first` have left."""
        return list(self._turns.turns)

    @property
    def first(self) -> int:
        """The first turn that has not left."""
        return self._turns.first

    @property
    def bills(self) -> list[RequestBill]:
        """The costs of the requests so far, if the cache follows its rules; the answer to the last as it was expected."""
        return list(self._turns.bills)

    def ask(self, *messages: Mapping[str, Any], seconds: float = 0.0) -> PlannedRequest:
        """The next request: with the user's messages, or answers of tools, and without what leaves for it.

        Args:
            *messages: What is asked.
            seconds: Since the request before.

        Returns:
            The change of the ids, the step of the plan with its bill, the messages that have left, and where to set
            breakpoints of the cache.

        Raises:
            RequiredItemsError: They do not fit even alone. As with all errors nothing has changed.
            ConversationError: The request before has no answer yet, or there is no message.
            ChatTemplateError: The template fails, with its line.
        """
        if self._asked is not None:
            raise ConversationError("the previous request has no answer yet: call answer() before the next ask()")
        if not messages:
            raise ConversationError("a request needs a message")
        require(seconds, (int, float), "seconds", "a number")
        trial = self._conversation.fork()
        before = trial.count
        change = trial.append(*messages, add_generation_prompt=True)
        role = trial.messages[-len(messages)]["role"]
        turns = self._turns.asking(role, max(0, trial.count - before), seconds, len(messages))
        step = self._turns.step(self._plan, turns)
        # A tool's answer does not begin a prompt; where one begins, a summary may have to be made, and paid for.
        for first in (number for number in range(step.first, len(turns)) if not turns[number].bound):
            made, left, place = self._from(trial, turns, first)
            if made.count <= self._plan.room:
                break
        else:
            fixed = self._plan.fixed
            needed = [("fixed", fixed), (f"turn {len(turns) - 1} and what must stay with it", made.count - fixed)]
            raise RequiredItemsError(needed, self._plan.room, "the conversation", 0)
        why = (
            step.why
            if first == step.first
            else f"{step.why}; and {first - step.first} more, for the template makes more of them"
        )
        self._turns.asked(turns)
        bill = self._turns.sent(self._plan, first, write=step.write)
        if place is not None:
            begin = min(change.first, place)
            change = Change(begin, made.ids[begin:], made.count)
            self._has_summary = self._summarize is not None
        self._conversation, self._asked = made, made.count
        marks = self._breakpoints(len(messages), write=step.write)
        return PlannedRequest(change, replace(step, first=first, bill=bill, why=why), left, marks)

    def answer(self, *messages: Mapping[str, Any]) -> Change:
        """Add what the model answered. Sampled ids stay if they were pushed to `conversation` before.

        Args:
            *messages: The answer.

        Returns:
            The change of the ids.

        Raises:
            ConversationError: Nothing was asked.
            ChatTemplateError: The template fails, with its line.
        """
        if self._asked is None:
            raise ConversationError("there is no request to answer: call ask() first")
        change = self._conversation.append(*messages)
        self._turns.answered(self._plan, max(0, self._conversation.count - self._asked), len(messages))
        self._asked = None
        return change

    def _from(
        self, trial: Conversation, turns: Sequence[Exchange], first: int
    ) -> tuple[Conversation, tuple[Message, ...], int | None]:
        """The conversation from turn `first` on: it, what has left for that, and from which id on that changed it, None where nothing has left."""
        if first == self.first:
            return trial, (), None
        messages = trial.messages
        start = self._fixed
        stop = start + self._has_summary + sum(turn.messages for turn in turns[self.first : first])
        left = tuple(messages[start:stop])
        summary = []
        if self._summarize is not None:
            made_text = self._summarize(left)
            require_text(made_text, "what summarize returns")
            text = trial.tokenizer.truncate(made_text, self._plan.summary)
            summary = [{"role": self._summary_role, "content": text}]
        made = trial.fork()
        change = made.sync([*messages[:start], *summary, *messages[stop:]], add_generation_prompt=True)
        return made, left, change.first

    def _breakpoints(self, new: int, *, write: bool) -> tuple[int, ...]:
        """The messages after which the cache is to be told to keep the prompt: the last fixed one; with `write` the last one, and where the last turns have
        more messages than are looked back over, some between.
        """
        rules, count = self._plan.rules, len(self._conversation.messages)
        marks = [self._fixed - 1] if self._fixed and self._plan.fixed >= rules.min_tokens else []
        if not rules.breakpoints or not write or self._conversation.count < rules.min_tokens:
            return tuple(marks[: rules.breakpoints])
        turns = self._turns.turns
        since = new + (turns[-2].messages if len(turns) > 1 else 0)
        between = min(rules.breakpoints - len(marks) - 1, (since - 1) // rules.look_back if rules.look_back else 0)
        marks += [count - 1 - since * part // (between + 1) for part in range(between, 0, -1)]
        return tuple(sorted({mark for mark in (*marks, count - 1) if mark >= 0}))
