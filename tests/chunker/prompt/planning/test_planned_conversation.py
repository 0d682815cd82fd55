"""PlannedConversation: real ids within the budget, whole exchanges of tools, summaries, and the bills of its plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from statistics import fmean
from typing import Any

import pytest

from chunker.errors import OptionError, WrongTypeError
from chunker.prompt import (
    CacheRules,
    ChatTemplate,
    ChatTemplateError,
    ContextPlan,
    Conversation,
    ConversationError,
    Exchange,
    PlannedConversation,
    PromptConfigurationError,
    RequiredItemsError,
    simulate,
)
from chunker.prompt.planning import Step
from chunker.prompt.templates.values import Message

TEMPLATE = ChatTemplate(
    "{% for m in messages %}<|endofprompt|>{{ m.role }}: {{ m.content }}{% endfor %}"
    "{% if add_generation_prompt %}<|endofprompt|>assistant: {% endif %}"
)
RULES = CacheRules(input=3, cached=0.3, write=3.75, output=15, min_tokens=40, breakpoints=4, look_back=4, seconds=300)
WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog"]


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def answer(text: str) -> dict[str, Any]:
    return {"role": "assistant", "content": text}


def started(budget: int = 300, template: ChatTemplate = TEMPLATE, **options: Any) -> PlannedConversation:
    conversation = Conversation("o200k_base", template)
    conversation.append({"role": "system", "content": "You are brief and polite. " * 12})
    return PlannedConversation(conversation, budget, **{"rules": RULES, **options})


def said(random: Random) -> str:
    return " ".join(random.choice(WORDS) for _ in range(random.choice((3, 12, 40))))


def shortened(messages: Sequence[dict[str, Any]]) -> str:
    return "Before: " + "; ".join(str(message["content"])[:12] for message in messages)


@pytest.mark.parametrize("seed", range(24))
def test_any_session(seed: int) -> None:
    random = Random(seed)
    summary = random.choice((0, 20))
    budget = random.choice((230, 300, 700))
    planned = started(
        budget, reserve=30, keep=random.choice((0, 60)), summary=summary, summarize=shortened if summary else None
    )
    fixed, ids = planned.conversation.messages, planned.conversation.ids.tolist()
    planned.conversation._encoder.changes()
    every: list[dict[str, Any]] = []
    for turn in range(30):
        if turn and every[-1].get("content") == "call" and random.random() < 0.9:
            asked = {"role": "tool", "content": said(random)}
        else:
            asked = user(said(random))
        request = planned.ask(asked, seconds=random.choice((5, 60, 900)))
        ids[request.change.first :] = request.change.ids.tolist()
        assert ids == planned.conversation.ids.tolist()
        assert planned.conversation.count <= budget - 30
        every.append(asked)
        messages = planned.conversation.messages
        assert messages[:1] == fixed
        held = len(messages) - 1 - (bool(summary) and planned.first > 0)
        assert messages[-held:] == every[-held:]
        assert messages[-held]["role"] != "tool"
        assert planned.conversation.text == TEMPLATE.render(messages, add_generation_prompt=True)
        assert ids == planned.conversation.tokenizer.encode(planned.conversation.text, allowed_special="all")
        assert len(request.breakpoints) <= RULES.breakpoints
        assert all(0 <= mark < len(messages) for mark in request.breakpoints)
        assert bool(request.left) == (request.step.bill.first != (planned.bills[-2].first if turn else 0))
        answered = answer("call" if random.random() < 0.3 else said(random))
        change = planned.answer(answered)
        ids[change.first :] = change.ids.tolist()
        every.append(answered)
    assert planned.first > 0
    assert len(planned.bills) == len(planned.turns) == 30


@pytest.mark.parametrize("seed", range(6))
def test_the_bills_are_those_of_the_simulated_plan(seed: int) -> None:
    random = Random(seed)
    planned = started(300, reserve=30, keep=random.choice((0, 60)))
    for number in range(20):
        request = planned.ask(user(said(random)), seconds=random.choice((5, 60, 900)))
        # With the answer that is expected, and then with the real one.
        assert planned.bills[-1] == request.step.bill
        assert number == 0 or request.step.bill.dollars > request.step.bill.tokens * RULES.cached / 1e6
        before = planned.bills[-1].dollars
        planned.answer(answer(said(random)))
        expected = planned.turns[0].asked if number == 0 else round(fmean(turn.answered for turn in planned.turns[:-1]))
        more = (planned.turns[-1].answered - expected) * RULES.output / 1e6
        assert planned.bills[-1].dollars == pytest.approx(before + more)
    *_, blind = simulate(planned.turns, planned.plan)
    assert planned.bills == list(blind.bills)


def talk(planned: PlannedConversation) -> None:
    for _ in range(9):
        planned.ask(user("two " * 30), seconds=999)
        planned.answer(answer("x"))


def test_a_summary_is_made_of_what_leaves() -> None:
    seen: list[list[str]] = []

    def summarize(messages: Sequence[dict[str, Any]]) -> str:
        seen.append([str(message["content"]) for message in messages])
        return "A very long summary, of which not all can stay in the end. " * 9

    planned = started(200, summary=12, summarize=summarize, keep=0, summary_role="system")
    for number in range(9):
        planned.ask(user(f"question {number} " * 6), seconds=1000)
        planned.answer(answer(f"answer {number} " * 6))
    assert seen[0][0].startswith("question 0")
    assert all(one[0].startswith("A very long summary") for one in seen[1:])
    message = planned.conversation.messages[1]
    assert message["role"] == "system"
    assert planned.conversation.tokenizer.count(message["content"]) <= 12
    assert any(bill.summarized for bill in planned.bills)


def test_what_a_model_sampled_stays_when_turns_leave() -> None:
    planned = started(220, keep=60)
    for _ in range(12):
        planned.ask(user("Tell me more about it, please."), seconds=5)
        encode = planned.conversation.tokenizer.encode
        planned.conversation.push(encode("No, tha") + encode("nk you."))
        planned.answer(answer("No, thank you."))
    assert planned.first > 0
    assert len(planned.conversation.pinned) == sum(
        message["role"] == "assistant" for message in planned.conversation.messages
    )
    assert len(planned.conversation.drift()) == len(planned.conversation.pinned)


def test_errors_change_nothing() -> None:
    template = ChatTemplate(
        TEMPLATE.text + "{% if messages[-1].content == 'no' %}{{ raise_exception('no') }}{% endif %}"
    )
    planned = started(200, template=template)
    with pytest.raises(ConversationError, match="there is no request to answer"):
        planned.answer(answer("x"))
    with pytest.raises(ConversationError, match="a request needs a message"):
        planned.ask()
    planned.ask(user("Hi"))
    with pytest.raises(ConversationError, match="has no answer yet"):
        planned.ask(user("Hi"))
    planned.answer(answer("Hello"))
    before = planned.conversation.ids.tolist(), planned.turns, planned.bills, planned.first
    with pytest.raises(RequiredItemsError, match="turn 1"):
        planned.ask(user("word " * 200))
    with pytest.raises(ChatTemplateError, match="no"):
        planned.ask(user("no"))
    assert (planned.conversation.ids.tolist(), planned.turns, planned.bills, planned.first) == before
    planned.ask(user("Hi"))
    for options in ({"summary": 9}, {"summarize": shortened}):
        with pytest.raises(PromptConfigurationError, match="together"):
            started(**options)
    with pytest.raises(PromptConfigurationError, match="must be more than fixed"):
        started(20)
    with pytest.raises(WrongTypeError, match="conversation must be a Conversation"):
        PlannedConversation("x", 100)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="budget must be"):
        started("x")  # type: ignore[arg-type]
    made = started(200, summary=5, summarize=lambda _: 3, keep=0)
    with pytest.raises(WrongTypeError, match="what summarize returns must be a str"):
        talk(made)
    with pytest.raises(WrongTypeError, match="seconds must be a number"):
        started().ask(user("x"), seconds="x")  # type: ignore[arg-type]
    for seconds in (-1.0, float("nan")):
        with pytest.raises(OptionError, match="seconds must not be negative"):
            started().ask(user("x"), seconds=seconds)


def test_real_ids_are_within_the_budget_whatever_the_plan_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that counts too little, as where a template writes more than the sum of the messages: more leaves."""
    honest = ContextPlan.next_step

    def hopeful(plan: ContextPlan, turns: Sequence[Exchange], **options: Any) -> Step:
        return honest(plan, [replace(turn, asked=1, answered=1) for turn in turns], **options)

    monkeypatch.setattr(ContextPlan, "next_step", hopeful)
    planned = started(250, keep=1000)
    reasons = []
    for _ in range(9):
        reasons.append(planned.ask(user("two " * 30), seconds=5).step.why)
        assert planned.conversation.count <= 250
        planned.answer(answer("four"))
    assert any("the template makes more" in reason for reason in reasons)
    with pytest.raises(RequiredItemsError, match=r"and what must stay with it [0-9,]+; [0-9,]+ tokens are lacking"):
        planned.ask(user("two " * 400))


def test_a_summary_is_made_only_of_what_may_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """Making one is paid for: none is made for a prompt that would begin with the answer of a tool."""
    honest = ContextPlan.next_step

    def hopeful(plan: ContextPlan, turns: Sequence[Exchange], **options: Any) -> Step:
        return honest(plan, [replace(turn, asked=1, answered=1) for turn in turns], **options)

    monkeypatch.setattr(ContextPlan, "next_step", hopeful)
    ends: list[str] = []

    def summarize(left: Sequence[Message]) -> str:
        ends.append(left[-1]["content"])
        return "summary"

    planned = started(250, keep=1000, summary=20, summarize=summarize)
    for _ in range(5):
        planned.ask(user("two " * 20), seconds=5)
        planned.answer(answer("call"))
        planned.ask({"role": "tool", "content": "three " * 20}, seconds=5)
        planned.answer(answer("four"))
    assert set(ends) == {"four"}
