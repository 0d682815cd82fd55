"""Messages: their frames are counted as they stand, and a tool's answer is never without its call."""

from __future__ import annotations

from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_items import Case, chat_count, check_prompt, counter, texts

from bpe_engine import Tokenizer
from chunker.prompt import CHAT_FORMATS, ChatFormat, Item, RequiredItemsError, Section, assemble

count = counter("o200k_base").count
TURNS = [Item("Be brief.", role="system"), Item("Who won?", role="user"), Item("Norway.", role="assistant")]

LLAMA_3 = (
    "<|start_header_id|>system<|end_header_id|>\n\nBe brief.<|eot_id|><|start_header_id|>user<|end_header_id|>\n\nWho won?<|eot_id|>"
    "<|start_header_id|>assistant<|end_header_id|>\n\nNorway.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "chatml",
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho won?<|im_end|>\n<|im_start|>assistant\nNorway.<|im_end|>\n<|im_start|>assistant\n",
        ),
        ("anthropic", "\n\nSystem: Be brief.\n\nHuman: Who won?\n\nAssistant: Norway.\n\nAssistant:"),
        ("plain", "system: Be brief.\n\nuser: Who won?\n\nassistant: Norway.\n\nassistant: "),
        (
            "llama3",
            LLAMA_3,
        ),
    ],
)
def test_frames(name: str, text: str) -> None:
    prompt = assemble(TURNS, 100, chat_format=name)
    assert prompt.text == text
    assert [message.model_dump(exclude_none=True) for message in prompt.messages] == [
        {"role": item.role, "content": item.content} for item in TURNS
    ]


def test_special_tokens_are_one_each_as_the_publishers_tokenizer_has_them() -> None:
    base = Tokenizer.load("cl100k_base")
    assert base.vocabulary.pattern is not None
    prompt = assemble(TURNS, 100, tokenizer="cl100k_base", chat_format="chatml")
    oracle = tiktoken.Encoding(
        "chatml",
        pat_str=base.vocabulary.pattern.source,
        mergeable_ranks=dict(base.vocabulary.ranks),
        special_tokens={"<|im_start|>": 100_264, "<|im_end|>": 100_265},
    )
    assert prompt.token_count == len(oracle.encode(prompt.text, allowed_special="all"))


def test_openai_counts_as_its_cookbook_says() -> None:
    turns = [Item("You are helpful.", role="system", name="rules"), Item("Hello", role="user")]
    prompt = assemble(turns, 100, chat_format="openai")
    assert prompt.token_count == (3 + 1 + 1 + 1 + count("You are helpful.")) + (3 + 1 + count("Hello")) + 3


def test_a_format_of_ones_own() -> None:
    chat = ChatFormat(
        name="mine",
        prefix="[{role}]",
        named="[{role} {name}]",
        suffix="<end>",
        special=("<end>",),
        reply="[me]",
        roles={"user": "you"},
    )
    prompt = assemble([Item("Hi", role="user", name="Ann"), Item("Ho")], 50, chat_format=chat)
    assert prompt.text == "[you Ann]Hi<end>[you]Ho<end>[me]"
    assert prompt.token_count == count("[you Ann]Hi") + 1 + count("[you]Ho") + 1 + count("[me]")


def test_a_section_with_a_role_is_one_message() -> None:
    files = Section(
        "files", [Item("one"), Item("two")], role="user", header="Files:\n", footer="\nThat is all.", separator=" | "
    )
    prompt = assemble([TURNS[0], files], 60, chat_format="chatml")
    assert [message.content for message in prompt.messages] == ["Be brief.", "Files:\none | two\nThat is all."]
    assert "user\nFiles:\none | two\nThat is all.<|im_end|>" in prompt.text


def test_a_frame_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(RequiredItemsError, match="do not fit into 2 tokens: between them 3"):
        assemble([Item("Hi")], 2, chat_format="chatml")


# --- tools


def exchange(number: int, answers: int, text: str, **options: Any) -> list[Item | Section]:
    calls: tuple[dict[str, Any], ...] = tuple(
        {"id": f"{number}.{answer}", "function": {"name": "f", "arguments": "{}"}} for answer in range(answers)
    )
    made: list[Item | Section] = [
        Item("", id=f"call {number}", role="assistant", tool_calls=calls, priority=number, **options)
    ]
    made += [
        Item(text * answer, id=f"answer {call['id']}", role="tool", tool_call_id=call["id"])
        for answer, call in enumerate(calls)
    ]
    return made


@settings(max_examples=60)
@given(
    exchanges=st.lists(st.tuples(st.integers(0, 3), texts), min_size=1, max_size=5),
    between=st.lists(texts, min_size=5, max_size=5),
    budget=st.integers(30, 250),
    name=st.sampled_from(["openai", "chatml", "anthropic"]),
)
def test_a_call_and_its_answers_are_all_there_or_none(
    exchanges: list[tuple[int, str]], between: list[str], budget: int, name: str
) -> None:
    items: list[Item | Section] = []
    for number, (answers, text) in enumerate(exchanges):
        items += [
            Item(between[number], id=f"turn {number}", priority=number),
            *(exchange(number, answers, text) if answers else []),
        ]
    prompt = assemble(items, budget, chat_format=name)
    made = [call["id"] for message in prompt.messages for call in message.tool_calls or ()]
    answered = [message.tool_call_id for message in prompt.messages if message.tool_call_id is not None]
    assert made == answered
    assert prompt.token_count == chat_count(CHAT_FORMATS[name], prompt, counter("o200k_base")) <= budget


def test_an_empty_answer_stays_with_its_call() -> None:
    prompt = assemble(exchange(1, 2, "text"), 200, chat_format="openai")
    assert [message.content for message in prompt.messages] == ["", "", "text"]
    assert [message.tool_call_id for message in prompt.messages] == [None, "1.0", "1.1"]


def test_a_required_call_takes_its_answers_along() -> None:
    items = [Item("later", priority=9), *exchange(1, 2, "text", required=True)]
    assert [message.role for message in assemble(items, 60, chat_format="openai").messages][-3:] == [
        "assistant",
        "tool",
        "tool",
    ]
    with pytest.raises(RequiredItemsError) as raised:
        assemble(items, 20, chat_format="openai")
    assert [name for name, _ in raised.value.needed] == ["call 1", "answer 1.0", "answer 1.1"]


@settings(max_examples=25)
@given(text=texts, role=st.sampled_from(["user", "assistant"]))
@pytest.mark.parametrize("name", sorted(CHAT_FORMATS))
def test_every_format_is_exact_for_any_text(name: str, text: str, role: str) -> None:
    case = Case(
        [Item(text, id="one", role=role), Item(text, id="two", role="user")],
        200,
        {"chat_format": name, "separator": "\n\n"},
    )
    check_prompt(case, assemble(case.items, case.budget, chat_format=name), counter("o200k_base"))
