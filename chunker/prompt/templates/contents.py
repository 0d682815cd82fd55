"""The content and the thinking of each message in the rendered text, and their offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunker.prompt.templates.letters import letters_of, shown
from chunker.prompt.templates.marks import Stretch, stretches
from chunker.prompt.templates.template import ChatTemplate, Request
from chunker.prompt.templates.values import Message

_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)


def answers(
    template: ChatTemplate, wanted: Request, text: str, numbers: Sequence[int]
) -> dict[int, tuple[int, int, int]]:
    """For messages that a model sampled: the start of what they say, the end of the message, and the end of its
    content.
    """
    parts = stretches(template, wanted, text)
    found = {}
    for content in contents(template, wanted, text, parts):
        if content.message in numbers:
            own = [part for part in parts if part.kind == "message" and part.message == content.message]
            thought = [span.start() for span in _THINKING.finditer(text, own[0].start, content.start)] if own else []
            ends = [part.end for part in own if part.start <= content.start]
            found[content.message] = min([content.start, *thought]), max([content.end, *ends]), content.end
    return found


def contents(
    template: ChatTemplate,
    wanted: Request,
    text: str,
    parts: Sequence[Stretch],
    *,
    fields: Sequence[str] = ("content",),
    kind: str = "content",
) -> list[Stretch]:
    """The stretches of the text that show some fields of the messages."""
    numbers = [number for number, message in enumerate(wanted.messages) if any(message.get(name) for name in fields)]
    letters = letters_of(template, wanted, text, numbers, fields)
    made = []
    for number in numbers:
        message = wanted.messages[number]
        own = [part for part in parts if part.kind == "message" and part.message == number]
        content = _text_of(message, fields)
        found = shown(text, content, letters[number]) if number in letters else _found(text, content, own)
        if found is not None:
            made.append(Stretch(kind, number, 0, *found))
    return made


def _text_of(message: Message, fields: Sequence[str]) -> str | None:
    value = next((message[name] for name in fields if message.get(name)), None)
    return value.strip() if isinstance(value, str) else None


def _found(text: str, content: str | None, parts: Sequence[Stretch]) -> tuple[int, int] | None:
    """The span of a content without letters, or one that the template reads: the last in its message's stretches."""
    if not content:
        return None
    for part in reversed(parts):
        place = text.rfind(content, part.start, part.end)
        if place >= 0:
            return place, place + len(content)
    return None


def thinking(template: ChatTemplate, wanted: Request, text: str, parts: Sequence[Stretch]) -> list[Stretch]:
    """The thoughts of a model: between <think> and </think> in the messages of an assistant, else what its field says."""
    made = []
    tagged = set()
    for part in parts:
        if part.kind == "message" and wanted.messages[part.message]["role"] == "assistant":
            found = _THINKING.search(text, part.start, part.end)
            if found:
                tagged.add(part.message)
                made.append(Stretch("thinking", part.message, 0, *found.span()))
    fields = ("reasoning_content", "thinking", "reasoning")
    if any(message.get(name) for message in wanted.messages for name in fields):
        made += [
            part
            for part in contents(template, wanted, text, parts, fields=fields, kind="thinking")
            if part.message not in tagged
        ]
    return made
