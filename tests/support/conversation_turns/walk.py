"""A random walk: a conversation is changed in any way, and is compared after each step with encoding it anew."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from random import Random
from typing import Any

from real_tokenizers import real_file

from chunker.prompt.conversation import Change, Conversation
from chunker.prompt.errors import ChatTemplateError, MessageError
from chunker.prompt.templates.template import ChatTemplate
from conversation_turns.oracle import FAMILIES, TOKENS, World, encoded, renamed, rendered, world
from conversation_turns.places import Places

# Such as no package carries: one that takes white space, one that writes special tokens in parts, one that rewrites all
# it has said.
OWN = {
    "phi, in parts": "{% for m in messages %}{{ '<|' + m['role'] + '|>' + '\n' + m['content'] + '<|end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>' + '\n' }}{% endif %}",
    "trims and quotes": "{{ bos_token }}{% for m in messages %}[INST] {{ (m.content | string | trim) | tojson }} [/INST]"
    "{% endfor %}{% if add_generation_prompt %}<|answer|>{% endif %}",
    "the last message first": "{% for m in messages[::-1] %}<|turn|>{{ m.role | upper }}{{ m.content }}<|/turn|>{% endfor %}",
    "only the end": "{{ messages | length }}{% for m in messages[-3:] %}<|turn|>{{ m.content[:40] }}{{ eos_token }}{% endfor %}",
}
_PLACES = 0.2
# Conversations of a template, one after the other: to compile it takes as long as some of them.
_TOGETHER = 8
PIECES = (
    "Hello",
    " there",
    "\n",
    "\n\n",
    " ",
    "  ",
    "x = f(y)",
    "café ☃ 日本",
    "<think>",
    "</think>",
    "<tool_call>",
    "'s",
    "123456",
    "<",
    ">",
    "|",
    '"',
    "{{ x }}",
    "e\u0301",
)
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a place",
        "parameters": {
            "type": "object",
            "properties": {"place": {"type": "string", "description": "Which place"}},
            "required": ["place"],
        },
    },
}


@cache
def templates() -> dict[str, str]:
    folder = real_file("trl", "trl/chat_templates/qwen3.jinja").parent
    return {path.stem: path.read_text("utf-8") for path in sorted(folder.glob("*.jinja"))} | OWN


@cache
def all_templates() -> dict[str, str]:
    """Those of `axolotl` as well, if it is installed: `pip install --no-deps axolotl`."""
    try:
        folder = Path(str(distribution("axolotl").locate_file("axolotl/utils/chat_templates/templates")))
    except PackageNotFoundError:
        return templates()
    return templates() | {f"axolotl {path.stem}": path.read_text("utf-8") for path in sorted(folder.glob("*.jinja"))}


class Client:
    """One who only gets the changes."""

    def __init__(self, ids: Sequence[int] = ()) -> None:
        self.ids = list(ids)

    def take(self, change: Change) -> None:
        assert change.first <= len(self.ids)
        self.ids[change.first :] = change.ids.tolist()
        assert change.count == len(self.ids)


class Walk:
    """A conversation, and beside it the plain list of its messages."""

    def __init__(self, template: str, family: str, random: Random, *, spelled: str) -> None:
        self.random = random
        self.world: World = world(family, all_templates()[template])
        self.where = f"{template}, {family}, {spelled}"
        self.spelled = spelled
        self.conversation = Conversation(
            self.world.ours,
            ChatTemplate(self.world.template, TOKENS),
            spelled_special=spelled,  # type: ignore[arg-type]
        )
        self.client = Client()
        self.messages: list[dict[str, Any]] = []
        self.tools: list[Any] | None = None
        self.options: dict[str, Any] = {}
        self.pins: list[tuple[int, int, list[int]]] = []
        self.turns = self.refused = self.unequal_worlds = self.pinned = 0
        self.places = Places(random, self.world.template, TOKENS, self.where)

    # --- texts and messages

    def text(self) -> str:
        random = self.random
        specials = self.world.specials
        hostile = [
            *specials,
            *(special[: len(special) // 2] for special in specials),
            *(special[len(special) // 2 :] for special in specials),
        ]
        pieces = [
            random.choice(hostile) if random.random() < 0.12 else random.choice(PIECES)
            for _ in range(random.choice((1, 3, 8, 20)))
        ]
        return "".join(pieces)

    def message(self, role: str | None = None) -> dict[str, Any]:
        random = self.random
        role = role or random.choice(("user", "assistant", "user", "assistant", "tool", "system"))
        made: dict[str, Any] = {"role": role, "content": self.text()}
        if role == "assistant" and random.random() < 0.3:
            made["content"] = f"<think>\n{self.text()}\n</think>\n\n{self.text()}"
        if role == "assistant" and random.random() < 0.2:
            made["reasoning_content"] = self.text()
        if role == "assistant" and random.random() < 0.25:
            made["tool_calls"] = [
                {
                    "id": "call12345",
                    "type": "function",
                    "function": {"name": "weather", "arguments": {"place": self.text()}},
                }
                for _ in range(random.choice((1, 2)))
            ]
        if role == "tool":
            made |= {"name": "weather", "tool_call_id": "call12345"}
        if role == "user" and random.random() < 0.1:
            made["content"] = [{"type": "text", "text": self.text()} for _ in range(2)]
        return made

    # --- steps

    def step(self) -> None:
        """One turn."""
        step = self.random.choice(
            (
                self.append,
                self.append,
                self.append,
                self.replace,
                self.drop,
                self.sync,
                self.sync,
                self.fork,
                self.generate,
            )
        )
        if len(self.messages) > 14:
            step = self.drop
        step()
        self.turns += 1

    def go(self, messages: list[dict[str, Any]], tools: list[Any] | None, options: dict[str, Any], change: Any) -> bool:
        """Change the conversation, if `transformers` renders what comes of it; else it must refuse, and stay as it was."""
        try:
            expected = rendered(self.world.tokenizer, messages, tools, **options) if messages else ""
        except Exception:  # noqa: BLE001 - templates may raise whatever they like
            expected = None
        before = self.conversation.ids.tolist()
        try:
            told = change()
        except (ChatTemplateError, MessageError):
            assert expected is None, f"{self.where}: refused {messages!r}"
            assert self.conversation.ids.tolist() == before, self.where
            self.refused += 1
            return False
        assert expected is not None, f"{self.where}: not refused {messages!r}"
        self.messages, self.tools, self.options = messages, tools, options
        self.client.take(told)
        assert self.client.ids == self.conversation.ids.tolist(), self.where
        self.check(expected)
        return True

    def check(self, expected: str) -> None:
        conversation, messages = self.conversation, self.messages
        assert conversation.text == expected, f"{self.where}: {messages!r}"
        pins = [(pin.start, pin.end, pin.ids.tolist()) for pin in conversation._all_pins()]
        self.pinned += sum(len(ids) for _, _, ids in pins)
        for start, end, ids in pins:
            written = b"".join(self.world.ours.decode_tokens_bytes(ids))
            assert written == expected[start:end].encode(), (self.where, expected, pins)
        sizes = [[len(data) for data in self.world.ours.decode_tokens_bytes(ids)] for _, _, ids in pins]
        if self.spelled == "token":
            made = encoded(self.world.tokenizer, expected, pins, sizes)
        else:
            other = rendered(self.world.renamed, messages, self.tools, **self.options) if messages else ""
            # A template that looks for special tokens in messages is another in the other world.
            back = {name: special for special, name in self.world.names.items()}
            if len(other) != len(expected) or renamed(other, back) != expected:
                self.unequal_worlds += 1
                self.check_places(None)
                return
            made = encoded(self.world.renamed, other, pins, sizes)
        self.same(conversation.ids.tolist(), made.ids, pins)
        self.check_places(made.offsets)

    def check_places(self, offsets: Sequence[tuple[int, int]] | None) -> None:
        """At one turn of four: it takes many renderings."""
        if self.random.random() < _PLACES:
            options = {"tools": self.tools, **self.options}
            self.places.check(self.conversation, self.messages, self.render, offsets, options)

    def render(self, messages: list[dict[str, Any]], *, beginning: bool = False) -> str | None:
        """Other messages, as `transformers` renders them; None where it does not."""
        options = {} if beginning else self.options
        try:
            return rendered(self.world.tokenizer, messages, self.tools, **options)
        except Exception:  # noqa: BLE001 - templates may raise whatever they like
            return None

    def same(self, ours: list[int], theirs: list[int], pins: Any) -> None:
        if ours == theirs:
            return
        place = next(
            (n for n, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]),
            min(len(ours), len(theirs)),
        )
        around = slice(max(0, place - 4), place + 6)
        decode = self.world.ours.decode_tokens_bytes
        raise AssertionError(
            f"{self.where}: id {place}: {decode(ours[around])} and not {decode(theirs[around])}; {pins}; {self.messages!r}"
        )

    def append(self) -> None:
        message = self.message("user" if not self.messages else None)
        options = {"add_generation_prompt": True} if self.random.random() < 0.5 else {}
        self.go([*self.messages, message], self.tools, options, lambda: self.conversation.append(message, **options))

    def replace(self) -> None:
        if not self.messages:
            return
        place, message = self.random.randrange(len(self.messages)), self.message()
        messages = [*self.messages[:place], message, *self.messages[place + 1 :]]
        self.go(messages, self.tools, self.whole(), lambda: self.conversation.replace(place, message))

    def drop(self) -> None:
        start = self.random.randrange(len(self.messages) + 1)
        stop = min(len(self.messages), start + self.random.choice((1, 1, 2, 4)))
        if start >= stop:
            return
        messages = [*self.messages[:start], *self.messages[stop:]]
        self.go(messages, self.tools, self.whole() if messages else {}, lambda: self.conversation.drop(start, stop))

    def whole(self) -> dict[str, Any]:
        """The options, without that of a message that goes on: another change ends it."""
        return {name: value for name, value in self.options.items() if name != "continue_final_message"}

    def sync(self) -> None:
        random = self.random
        messages = list(self.messages) or [self.message("user")]
        for _ in range(random.choice((0, 1, 2))):
            place = random.randrange(len(messages) + 1)
            messages[place : place + random.choice((0, 1))] = [self.message() for _ in range(random.choice((0, 1, 2)))]
        if not messages:
            return
        tools = random.choice((self.tools, self.tools, [TOOL], None))
        options: dict[str, Any] = random.choice(
            ({}, {"add_generation_prompt": True}, {"add_generation_prompt": True}, {"continue_final_message": True})
        )
        self.go(
            messages,
            tools,
            options,
            lambda: self.conversation.sync(messages, [] if tools is None else tools, **options),
        )

    def fork(self) -> None:
        """Go on with the fork; the one it came from stays as it is."""
        number = self.random.choice((None, len(self.messages), self.random.randrange(len(self.messages) + 1)))
        old, ids = self.conversation, self.conversation.ids.tolist()
        try:
            new = old.fork(number)
        except ChatTemplateError:
            self.refused += 1
            return
        assert old.ids.tolist() == ids
        if number is not None and number < len(self.messages):
            self.messages, self.options = self.messages[:number], {}
        self.conversation = new
        first, told = new._encoder.changes()
        self.client.take(Change(first, told, new.count))
        assert self.client.ids == new.ids.tolist()
        if not new._sampled:
            self.check(
                rendered(self.world.tokenizer, self.messages, self.tools, **self.options) if self.messages else ""
            )

    def generate(self) -> None:
        """A model samples an answer, in ids that encoding its text would not always give."""
        random = self.random
        if not self.messages:
            return
        if not self.go(self.messages, self.tools, {"add_generation_prompt": True}, self.conversation.ask):
            return
        text = self.text() if random.random() < 0.6 else f"<think>\n{self.text()}\n</think>\n\n{self.text()}"
        text = text.strip() or "ok"
        ids: list[int] = []
        place = 0
        while place < len(text):
            size = random.choice((1, 2, 5, 9, 40))
            ids += self.world.ours.encode(text[place : place + size])
            place += size
        if self.world.ours.decode_bytes(ids).decode("utf-8", "replace") != text:
            ids = self.world.ours.encode(text)
            if self.world.ours.decode_bytes(ids).decode("utf-8", "replace") != text:
                return
        for start in range(0, len(ids), 3):
            self.client.take(self.conversation.push(ids[start : start + 3]))
        assert self.client.ids == self.conversation.ids.tolist()
        assert self.client.ids[-len(ids) :] == ids
        message = {"role": "assistant", "content": text}
        options = {"add_generation_prompt": True} if random.random() < 0.3 else {}
        if not self.go(
            [*self.messages, message], self.tools, options, lambda: self.conversation.append(message, **options)
        ):
            self.client.take(self.conversation.unpush())
            assert self.client.ids == self.conversation.ids.tolist()


def walk(seed: int, steps: int) -> Walk:
    """A walk of so many steps. Raises AssertionError."""
    random = Random(seed)
    names = list(all_templates())
    made = Walk(
        names[seed // _TOGETHER % len(names)],
        random.choice(FAMILIES),
        random,
        spelled=random.choice(("text", "text", "token")),
    )
    for _ in range(steps):
        made.step()
    return made
