"""Each rule of the table is broken by something, and says so in one message."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from chunker.errors import OptionError, WrongTypeError
from chunker.prompt import CHAT_FORMATS, Item, PromptConfigurationError, Section, assemble
from chunker.prompt.layout import DEEPEST, Layout
from chunker.prompt.rules import RULES, PromptOptions

CALL = {"id": "c", "function": {"name": "f"}}
NAN = float("nan")


def nested(depth: int) -> Section:
    section = Section("in", [Item("x")])
    for _ in range(depth - 1):
        section = Section("in", [section])
    return section


# (items, options, the message)
BROKEN: list[tuple[list[Any], dict[str, Any], str]] = [
    ([], {"budget": 0}, "budget must be at least 1 token, got 0"),
    ([], {"budget": 10.5}, "budget must be a whole number of tokens, got 10.5"),
    ([], {"budget": True}, "budget must be a whole number of tokens, got True"),
    ([], {"budget": 10, "reserve": 10}, "reserve must be from 0 to budget - 1 (9), got 10"),
    ([], {"budget": 10, "reserve": -1}, "reserve must be from 0 to budget - 1 (9), got -1"),
    ([], {"fill": "greedy"}, "fill must be one of best_effort, strict; got 'greedy'"),
    (
        [],
        {"chat_format": "klingon"},
        "chat_format must be one of openai, anthropic, chatml, llama3, plain; got 'klingon'",
    ),
    (["text"], {}, "items must be Item, Section, Chunk, Hit or Path, got 'text'"),
    ([nested(DEEPEST + 1)], {}, "section 'in' has 100 sections around it: there must be fewer"),
    ([Item("x", id="a"), Item("y", id="a")], {}, "id 'a' is used by 2 items: ids must be unique"),
    ([Section("s", []), Section("s", [])], {}, "section 's': 2 sections side by side have this name"),
    (
        [Section("s", [], share=0.7), Section("around", [Section("t", [], share=0.4)])],
        {},
        "the shares of the sections in 'prompt' add up to 1.1: they must not exceed 1",
    ),
    (
        [Section("s", [], share=0.5, min_tokens=60), Section("t", [Section("u", [], tokens=50, min_tokens=50)])],
        {"budget": 100},
        "the min_tokens of the sections add up to 110, but there are only 100 tokens",
    ),
    (
        [Section("s", [Section("t", [], share=0.5, min_tokens=20)], max_tokens=10)],
        {},
        "section 's': min_tokens of the sections inside add up to 20, but its max_tokens is 10",
    ),
    ([Item("", id="a", required=True)], {}, "item 'a': it is required, but has no text"),
    ([Section("s", [], role="user")], {}, "section 's': role needs a chat_format"),
    (
        [Section("s", [Item("x")], header="Files:")],
        {"chat_format": "chatml"},
        "section 's': header and footer are part of a message, and the section has no role",
    ),
    (
        [Section("s", [Section("t", [], role="user")], role="user")],
        {"chat_format": "chatml"},
        "section 't': a section around it has a role already",
    ),
    ([Item("x", id="a", role="user")], {}, "item 'a': role, name, tool_calls and tool_call_id need a chat_format"),
    (
        [Section("s", [Item("x", id="a", name="Ann")], role="user")],
        {"chat_format": "chatml"},
        "item 'a': role, name, tool_calls and tool_call_id belong to a message, but this item is part of the message of its section",
    ),
    ([Item("x", id="a", tool_calls=({},))], {"chat_format": "openai"}, "item 'a': each of tool_calls needs an id"),
    (
        [Item("x", id="a", tool_calls=(CALL,)), Item("x", id="b", tool_calls=(CALL,))],
        {"chat_format": "openai"},
        "item 'b': the tool call 'c' is made twice: ids must be unique",
    ),
    (
        [Item("x", id="a", tool_call_id="c")],
        {"chat_format": "openai"},
        "item 'a': no item makes the tool call 'c' that it answers",
    ),
    (
        [Item("x", id="a", tool_call_id="c"), Item("x", id="b", tool_calls=(CALL,))],
        {"chat_format": "openai"},
        "item 'a': the tool call 'c' that it answers is made after it",
    ),
    (
        [Item("x", id="a"), Item("y", id="b", stable=True)],
        {},
        "item 'b': stable items must come before all others, but 'a' is before it",
    ),
    ([Item("x", id="a", priority=NAN)], {}, "item 'a': priority must be a finite number"),
    ([Item("x", id="a", truncate="tail", min_tokens=-1)], {}, "item 'a': min_tokens must be at least 0, got -1"),
    (
        [Item("x", id="a", truncate="tail", min_tokens=5, max_tokens=4)],
        {},
        "item 'a': max_tokens must be at least 1 and min_tokens, got 4",
    ),
    ([Item("x", id="a", min_tokens=1)], {}, "item 'a': min_tokens needs truncate"),
    ([Item("x", id="a", stable=True, truncate="tail")], {}, "item 'a': a stable item cannot be truncated"),
    (
        [Item("x", id="a", tool_calls=(CALL,), truncate="tail")],
        {"chat_format": "openai"},
        "item 'a': truncate would cut the JSON of its tool_calls",
    ),
    ([Item("x", id="a", grow=NAN, truncate="tail")], {}, "item 'a': grow must be at least 0 and finite, got nan"),
    ([Item("x", id="a", grow=1)], {}, "item 'a': grow needs truncate"),
    ([Item("x", id="a", grow=1, truncate="tail", required=True)], {}, "item 'a': a required item cannot grow"),
    ([Item("x", id="a", grow=1, truncate="tail", group="g")], {}, "item 'a': an item of a group cannot grow"),
    ([Section("s", [], tokens=5, share=0.5)], {}, "section 's': tokens or share, not both"),
    ([Section("s", [], share=-0.5)], {}, "section 's': share must be from 0 to 1, got -0.5"),
    ([Section("s", [], tokens=-5)], {}, "section 's': tokens must be at least 0, got -5"),
    ([Section("s", [], tokens=5, min_tokens=-5)], {}, "section 's': min_tokens must be at least 0, got -5"),
    (
        [Section("s", [], tokens=5, min_tokens=5, max_tokens=4)],
        {},
        "section 's': max_tokens (4) must be at least min_tokens (5)",
    ),
    ([Section("s", [], min_tokens=5)], {}, "section 's': min_tokens needs tokens or share"),
]


@pytest.mark.parametrize(("items", "options", "message"), BROKEN, ids=[message for _, _, message in BROKEN])
def test_each_rule_says_what_is_wrong(items: list[Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(PromptConfigurationError) as raised:
        assemble(items, **{"budget": 1_000, **options})
    assert str(raised.value) == message


def test_every_rule_is_broken_by_one_of_these() -> None:
    unbroken = list(RULES)
    for items, options, _ in BROKEN:
        if isinstance(options.get("chat_format"), str) and options["chat_format"] == "klingon":
            continue
        layout = Layout(items, "\n", "best_effort", CHAT_FORMATS.get(options.get("chat_format", "")))
        given = PromptOptions(options.get("budget", 1_000), options.get("reserve", 0), options.get("fill", "strict"))
        unbroken = [rule for rule in unbroken if not list(rule(layout, given))]
    assert unbroken == []


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(PromptConfigurationError) as raised:
        assemble([Item("x", id="a", min_tokens=1), Section("s", [], tokens=-1)], 0)
    assert len(str(raised.value).splitlines()) == 3


@pytest.mark.parametrize(("budget", "reserve"), [(0, 0), (100, 300)])
def test_a_wrong_budget_is_said_once(budget: int, reserve: int) -> None:
    with pytest.raises(PromptConfigurationError) as raised:
        assemble([Section("s", [Item("x")], tokens=5, min_tokens=5)], budget, reserve=reserve)
    assert len(str(raised.value).splitlines()) == 1


def test_a_required_answer_to_a_call_may_be_empty() -> None:
    items = [
        Item("", id="a", role="assistant", tool_calls=(CALL,)),
        Item("", id="b", role="tool", tool_call_id="c", required=True),
    ]
    assert len(assemble(items, 100, chat_format="openai").messages) == 2


def test_the_deepest_tree_that_may_be() -> None:
    assert assemble([nested(DEEPEST)], 10).text == "x"


def test_a_tree_of_any_depth_is_an_error_and_no_crash() -> None:
    with pytest.raises(PromptConfigurationError, match="100 sections around it"):
        assemble([nested(10_000)], 10)


WRONG_FIELDS: dict[str, tuple[Callable[[Any], object], Any]] = {
    "text of Item must be a str, Chunk, Hit or Path, not None": (Item, None),
    "priority of Item must be a number, not 'high' (str)": (lambda value: Item("x", priority=value), "high"),
    "max_tokens of Item must be a whole number, not 1.5 (float)": (lambda value: Item("x", max_tokens=value), 1.5),
    "tool_calls of Item must be a tuple of dicts, not 'f()' (str)": (lambda value: Item("x", tool_calls=value), "f()"),
    "tool_calls[0] of Item must be a dict, not 1 (int)": (lambda value: Item("x", tool_calls=value), (1,)),
    "Item has no argument min_token; did you mean min_tokens?": (lambda value: Item("x", **value), {"min_token": 1}),
    "Item takes id only as a keyword: id=...": (lambda value: Item(*value), ("x", "a")),
    "Item is given text twice": (lambda value: Item("x", **value), {"text": "y"}),
    "Section needs items": (lambda value: Section(*value), ("s",)),
    "items of Section must be a sequence of Item, Section, Chunk, Hit and Path, not 5 (int)": (
        lambda value: Section("s", value),
        5,
    ),
    "items[1] of Section must be an Item, Section, Chunk, Hit or Path, not 'README.md' (str)": (
        lambda value: Section("s", value),
        [Item("x"), "README.md"],
    ),
}
WRONG_VALUES: dict[str, tuple[Callable[[Any], object], Any]] = {
    "truncate of Item must be 'tail', 'head' or 'middle', got 'tale'": (
        lambda value: Item("x", truncate=value),
        "tale",
    ),
    "truncate_at of Item must be 'token', 'line', 'sentence' or a function, got 'word'": (
        lambda value: Item("x", truncate_at=value),
        "word",
    ),
    "fill of Section must be 'best_effort' or 'strict', got 'greedy'": (
        lambda value: Section("s", [], fill=value),
        "greedy",
    ),
}


@pytest.mark.parametrize("message", [*WRONG_FIELDS, *WRONG_VALUES])
def test_a_wrong_field_is_told_in_one_line(message: str) -> None:
    make, value = (WRONG_FIELDS | WRONG_VALUES)[message]
    with pytest.raises(OptionError) as raised:
        make(value)
    assert str(raised.value) == message
    assert type(raised.value) is (WrongTypeError if message in WRONG_FIELDS else PromptConfigurationError)
    assert raised.value.__suppress_context__


def test_a_field_that_is_replaced_is_checked() -> None:
    with pytest.raises(WrongTypeError, match="priority of Item must be a number"):
        replace(Item("x"), priority="high")  # type: ignore[arg-type]
