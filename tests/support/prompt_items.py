"""Prompts that look for trouble, and an oracle that writes and counts a prompt anew from its report."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from small_tokenizers import small

from bpe_engine import Pattern, Tokenizer, Vocabulary
from chunker import Chunk
from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.hits import Hit
from chunker.prompt import CHAT_FORMATS, ChatFormat, Item, ItemReport, Prompt, Section

# What a prompt may be made of; here it is made of items and sections.
Entry = Item | Section | Chunk | Hit | Path

# What stands at the ends of these decides how many tokens a join has.
PIECES = (
    *("don", "'t", "'s", "'", "s", "ll", "The", "answer", "abc", "ABC", "camelCase", "x", "I"),
    *("1", "12", "1234", " ", "  ", "\n", "\n\n", "\r\n", "\t", ".", ",", "!", "…", "(", "/", "-", "_"),
    *("e\u0301", "\u0301", "中文", "字", "。", "か", "ー", "한국", "ไทย", "👩🏽‍💻", "🇩🇪", "🇩", "\u200d", "\0", "\ud83d", "\ude00", "½"),
    *("def f(x):\n    return x\n", "One sentence. Another one! ", "word word word "),
)  # fmt: skip
SEPARATORS = ("", " ", "\n", "\n\n", "'", "s", "---", "\u0301", "1")

texts = st.lists(st.sampled_from(PIECES), min_size=1, max_size=12).map("".join)
short_texts = st.lists(st.sampled_from(PIECES), max_size=3).map("".join)


# --- tokenizers


@functools.cache
def whole_text_tokenizer() -> Tokenizer:
    """Byte-pair encoding without a grammar: any character may change tokens far away."""
    ranks = Tokenizer.load("cl100k_base").vocabulary.ranks
    return Tokenizer(Vocabulary.from_ranks(ranks, pattern=None))


@functools.cache
def custom_tokenizer() -> Tokenizer:
    """A pattern that has no name, so nothing is known of where counts add up."""
    ranks = Tokenizer.load("cl100k_base").vocabulary.ranks
    return Tokenizer(Vocabulary.from_ranks(ranks, pattern=Pattern(r"[a-z]+\n?|\S+ ?|\s", "split")))


def strange_count(text: str) -> int:
    """A count of somebody else's that falls now and then while a text grows."""
    return max(len(text.split()) + len(text) // 3 - 3 * text.count("s\n") % 5 + text.count("  "), 0)


TOKENIZERS: dict[str, Callable[[], Any]] = {
    "o200k_base": lambda: "o200k_base",
    "cl100k_base": lambda: "cl100k_base",
    "whole text": whole_text_tokenizer,
    "custom pattern": custom_tokenizer,
    "function": lambda: strange_count,
    "words": lambda: "words",
    "characters": lambda: "characters",
    "bert, uncased": lambda: small("bert, uncased"),
    "t5": lambda: small("t5"),
    "gpt2": lambda: small("gpt2"),
    "llama2": lambda: small("llama2"),
}


def counter(name: str) -> TokenCounter:
    """The tokenizer of this name, as the oracle uses it."""
    return resolve_tokenizer(TOKENIZERS[name]())


# --- prompts


class Case:
    """What `assemble` is called with."""

    def __init__(self, items: list[Item | Section], budget: int, options: dict[str, Any]) -> None:
        self.items = items
        self.budget = budget
        self.options = options

    def __repr__(self) -> str:
        return f"Case({_short(self.items)}, {self.budget}, {self.options})"


def _short(value: object) -> str:
    """The call that makes a value, without the options that have their defaults."""
    if isinstance(value, list):
        return f"[{', '.join(map(_short, value))}]"
    if not isinstance(value, Item | Section):
        return repr(value)
    default = Item("") if isinstance(value, Item) else Section("", [])
    given = [
        f"{field.name}={_short(getattr(value, field.name))}"
        for field in fields(value)
        if getattr(value, field.name) != getattr(default, field.name)
    ]
    return f"{type(value).__name__}({', '.join(given)})"


def every_other(text: str) -> list[int]:
    """Places of one's own at which an item may be cut."""
    return list(range(0, len(text) + 3, 2))


@st.composite
def items(draw: st.DrawFn, name: str, *, chat: bool, in_message: bool) -> Item:
    """An item with options of all kinds."""
    options: dict[str, Any] = {"id": name, "priority": draw(st.integers(-3, 3))}
    if draw(st.booleans()):
        options["truncate"] = draw(st.sampled_from(["tail", "head", "middle"]))
        options["truncate_at"] = draw(st.sampled_from(["token", "token", "line", "sentence", every_other]))
        options["ellipsis"] = draw(st.sampled_from(["…", "", " [...] ", "'s"]))
        options["min_tokens"] = draw(st.integers(0, 6))
    if draw(st.integers(0, 4)) == 0:
        options["max_tokens"] = draw(st.integers(max(1, options.get("min_tokens", 0)), 20))
    kind = draw(st.integers(0, 7))
    if kind == 0:
        options["required"] = True
    elif kind == 1:
        options["group"] = draw(st.sampled_from(["one", "two"]))
    elif kind == 2 and "truncate" in options:
        options["grow"] = draw(st.sampled_from([1, 2.5]))
    if chat and not in_message:
        options["role"] = draw(st.sampled_from(["user", "assistant", "system"]))
        options["name"] = draw(st.sampled_from([None, None, "Ann"]))
    drawn = texts if kind == 0 else texts | st.just("")
    return Item(draw(drawn | st.sampled_from(["same text", "same"])), **options)


@st.composite
def entries(
    draw: st.DrawFn, prefix: str, depth: int, *, chat: bool, in_message: bool, floor: int | None = None
) -> list[Item | Section]:
    """Items and sections, to a depth; `floor`: the tokens that may be promised to sections, together."""
    made: list[Item | Section] = []
    share = 1.0
    for number in range(draw(st.integers(1, 5 if depth else 4))):
        name = f"{prefix}{number}"
        if depth and draw(st.integers(0, 2)) == 0:
            options: dict[str, Any] = {"separator": draw(st.sampled_from(SEPARATORS))}
            speaks = chat and not in_message and draw(st.booleans())
            if speaks:
                options["role"] = "user"
            if not chat or speaks or in_message:
                options["header"] = draw(st.just("") | short_texts)
                options["footer"] = draw(st.just("") | short_texts)
            given = draw(st.sampled_from(["none", "tokens", "share"]))
            if given == "tokens":
                options["tokens"] = draw(st.integers(0, 40))
            elif given == "share":
                options["share"] = draw(st.sampled_from([part for part in (0.0, 0.2, 0.5) if part <= share]))
                share -= options["share"]
            if given != "none" and floor:
                options["min_tokens"] = draw(st.integers(0, floor))
                floor -= options["min_tokens"]
            if draw(st.integers(0, 3)) == 0:
                options["max_tokens"] = draw(st.integers(max(1, options.get("min_tokens", 0)), 40))
            options["fill"] = draw(st.sampled_from([None, None, "strict", "best_effort"]))
            inner = draw(entries(f"{name}.", depth - 1, chat=chat, in_message=in_message or speaks))
            made.append(Section(name, inner, **options))
        else:
            made.append(draw(items(name, chat=chat, in_message=in_message)))
    return made


@st.composite
def cases(draw: st.DrawFn, *, chat: bool | None = None) -> Case:
    """A call of `assemble`."""
    chat = draw(st.booleans()) if chat is None else chat
    options: dict[str, Any] = {
        "separator": draw(st.sampled_from(SEPARATORS)),
        "fill": draw(st.sampled_from(["best_effort", "strict"])),
        "drop_duplicates": draw(st.booleans()),
        "reserve": draw(st.integers(0, 5)),
    }
    if chat:
        options["chat_format"] = draw(st.sampled_from(sorted(CHAT_FORMATS)))
    tree = draw(entries("", 2, chat=chat, in_message=False, floor=15))
    return Case(tree, draw(st.integers(30, 120)), options)


# --- the oracle


def check_prompt(case: Case, prompt: Prompt, tokenizer: TokenCounter) -> None:
    """The laws of every prompt."""
    report = prompt.report
    reserve = case.options.get("reserve", 0)
    assert prompt.token_count == report.token_count <= case.budget - reserve
    reports = {one.id: one for one in report.items}
    name = case.options.get("chat_format")
    if name is None:
        assert prompt.text == (written(case.items, case.options["separator"], reports) or "")
        assert prompt.token_count == tokenizer.count(prompt.text)
        assert prompt.messages == ()
    else:
        check_messages(case, prompt, reports)
        assert prompt.token_count == chat_count(CHAT_FORMATS[name], prompt, tokenizer)
    check_items(list(leaves(case.items)), reports, tokenizer)
    check_sums(report.items, prompt, frame_of(name, tokenizer))


def leaves(entries: Sequence[Entry]) -> list[Item]:
    """The items of a tree, in order."""
    found: list[Item] = []
    for entry in entries:
        assert isinstance(entry, Item | Section)
        found += [entry] if isinstance(entry, Item) else leaves(entry.items)
    return found


def text_of(item: Item, report: ItemReport) -> str | None:
    """What of an item is in the prompt, by its report."""
    if report.status == "dropped":
        return None
    text = item.content
    if report.status == "kept":
        return text
    (start, end), *rest = report.kept
    if rest:
        assert item.truncate == "middle"
        assert (start, rest[0][1]) == (0, len(text))
        assert end < rest[0][0]
        return text[:end] + item.ellipsis + text[rest[0][0] :]
    return text[:end] + item.ellipsis if start == 0 else item.ellipsis + text[start:]


def written(entries: Sequence[Entry], separator: str, reports: dict[str, ItemReport]) -> str | None:
    """The text of a tree; None if nothing of it is kept."""
    parts = []
    for entry in entries:
        assert isinstance(entry, Item | Section)
        if isinstance(entry, Item):
            part = text_of(entry, reports[str(entry.id)])
        else:
            part = written(entry.items, entry.separator, reports)
            part = None if part is None else entry.header + part + entry.footer
        if part is not None:
            parts.append(part)
    return separator.join(parts) if parts else None


def check_messages(case: Case, prompt: Prompt, reports: dict[str, ItemReport]) -> None:
    expected: list[tuple[str, str | None, str]] = []

    def speak(entries: Sequence[Entry]) -> None:
        for entry in entries:
            assert isinstance(entry, Item | Section)
            if isinstance(entry, Item):
                text = text_of(entry, reports[str(entry.id)])
                if text is not None:
                    expected.append((entry.role or "user", entry.name, text))
            elif entry.role is not None:
                text = written(entry.items, entry.separator, reports)
                if text is not None:
                    expected.append((entry.role, None, entry.header + text + entry.footer))
            else:
                speak(entry.items)

    speak(case.items)
    assert [(one.role, one.name, one.content) for one in prompt.messages] == expected


def chat_count(chat: ChatFormat, prompt: Prompt, tokenizer: TokenCounter) -> int:
    """The tokens of a prompt in messages, counted anew: a special token is one, and what is between two of them counts by itself."""
    names = sum(message.name is not None for message in prompt.messages)
    tokens = chat.tokens_per_message * len(prompt.messages) + chat.tokens_per_name * names + chat.tokens_for_reply
    if chat.whole_messages:
        for message in prompt.messages:
            calls = [json.dumps(call, ensure_ascii=False, sort_keys=True) for call in message.tool_calls or ()]
            content = "\n".join([message.content, *calls] if message.content else calls)
            tokens += sum(tokenizer.count(part) for part in (message.role, message.name or "", content))
        return tokens
    rest = [prompt.text]
    for special in chat.special:
        split = [part.split(special) for part in rest]
        tokens += sum(len(parts) - 1 for parts in split)
        rest = [piece for parts in split for piece in parts]
    return tokens + sum(tokenizer.count(piece) for piece in rest)


def check_items(items: list[Item], reports: dict[str, ItemReport], tokenizer: TokenCounter) -> None:
    """What every report of an item must say."""
    groups: dict[str, set[bool]] = {}
    for item in items:
        report = reports[str(item.id)]
        assert report.tokens_before == tokenizer.count(item.content)
        assert report.tokens == sum(tokenizer.count(item.content[start:end]) for start, end in report.kept)
        assert (report.step is None) == (report.status == "dropped")
        assert (report.reason is None) == (report.status == "kept")
        if report.status == "truncated":
            assert item.truncate is not None
            assert report.tokens >= max(1, item.min_tokens)
        if report.status == "dropped":
            assert (report.tokens, report.kept) == (0, ())
            assert not item.required
        elif item.max_tokens is not None:
            assert report.tokens <= item.max_tokens
        if item.group is not None and report.reason != "empty":
            groups.setdefault(item.group, set()).add(report.status == "dropped")
    assert all(len(dropped) == 1 for dropped in groups.values())


def check_sums(items: Sequence[ItemReport], prompt: Prompt, frame: int) -> None:
    """What the report says comes to the whole."""
    report = prompt.report
    assert sum(item.added for item in items) + frame == prompt.token_count
    assert sum(item.tokens for item in items) + report.separator_tokens == prompt.token_count
    steps = [item.step for item in items if item.step is not None]
    assert len(set(steps)) == len(steps)
    for section in report.sections:
        assert section.used <= section.given
        added = sum(item.added for item in items if f"{item.section}/".startswith(f"{section.name}/"))
        assert section.used == added


def frame_of(name: str | None, tokenizer: TokenCounter) -> int:
    """The tokens of a prompt without items."""
    if name is None:
        return 0
    chat = CHAT_FORMATS[name]
    rest, tokens = [chat.reply.replace("{role}", "assistant")], chat.tokens_for_reply
    for special in chat.special:
        tokens += sum(part.count(special) for part in rest)
        rest = [piece for part in rest for piece in part.split(special)]
    return tokens + sum(tokenizer.count(piece) for piece in rest if piece)
