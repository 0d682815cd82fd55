"""Which characters and ids of a conversation belong to which message, tool call, thinking or generation.

    <|im_start|>assistant\\n<think>\\nhm\\n</think>\\n\\nHello<|im_end|>\\n
    [message 1 .................................................]
                          [thinking ..........]    [content]

Told by rendering once more with marks (templates/marks.py) and with other letters (templates/letters.py): so also for templates that rewrite, trim or
move messages.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Literal, NamedTuple

from chunker.prompt.conversation.conversation import Conversation
from chunker.prompt.conversation.offsets import starts_of
from chunker.prompt.templates.letters import letters_of, shown
from chunker.prompt.templates.marks import Stretch, stretches
from chunker.prompt.templates.template import ChatTemplate, Request
from chunker.prompt.templates.values import Message

Kind = Literal["message", "content", "thinking", "tool_call", "generation", "sampled"]
_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)


class Span(NamedTuple):
    """A part of a conversation. `start`, `end`: in characters; `first`, `last`: the ids that have a character in it, `last` not included.

    `kind`: "message" (with what the template writes around it), "content" (what of its content the template shows, without white space at both ends),
    "thinking", "tool_call", "generation" (a `{% generation %}` block) or "sampled" (pinned ids). `message`: its number, -1 where no message wrote it;
    `role`: of that message; `number`: of the tool call in its message.
    """

    kind: Kind
    message: int
    role: str
    number: int
    start: int
    end: int
    first: int
    last: int


def spans(conversation: Conversation) -> list[Span]:
    """All spans, in the order of the text, outer ones first. A message has several where the template writes it in several places. Some renderings.

    Raises ConversationError where the tokenizer does not say which characters an id has.

    >>> from chunker.prompt.conversation import Conversation
    >>> conversation = Conversation("o200k_base", "{% for m in messages %}<|endoftext|>{{ m.role }}: {{ m.content }}{% endfor %}")
    >>> _ = conversation.append({"role": "user", "content": "Hi there"})
    >>> [(span.kind, span.start, span.end, span.first, span.last) for span in spans(conversation)]
    [('message', 0, 27, 0, 5), ('content', 19, 27, 3, 5)]
    """
    wanted = conversation.request
    text = conversation.text
    rendered = text[: conversation.rendered_length]
    parts: list[Stretch] = []
    if wanted.messages:
        parts = stretches(conversation.template, wanted, rendered)
        parts += contents(conversation.template, wanted, rendered, parts)
        parts += _thinking(conversation.template, wanted, rendered, parts)
    parts += [Stretch("sampled", message, 0, start, end) for message, start, end in conversation.pinned_messages]
    starts = starts_of(conversation, text)
    roles = [str(message["role"]) for message in wanted.messages]
    made = []
    for part in parts:
        first, last = ids_between(starts, part.start, part.end)
        role = roles[part.message] if 0 <= part.message < len(roles) else "assistant" if part.kind == "sampled" else ""
        made.append(Span(part.kind, part.message, role, part.number, part.start, part.end, first, last))  # type: ignore[arg-type]
    order = ("message", "generation", "sampled", "thinking", "tool_call", "content")
    return sorted(made, key=lambda span: (span.start, -span.end, order.index(span.kind)))


def ids_between(starts: array[int], start: int, end: int) -> tuple[int, int]:
    """The ids that have a character of [start, end): the first, and one behind the last. `starts`: of each id, and the end of the text."""
    if start >= end:
        place = bisect_left(starts, start, 0, len(starts) - 1)
        return place, place
    first = bisect_right(starts, start, 0, len(starts) - 1) - 1
    # Of a character that several ids share, all of them.
    while first > 0 and starts[first - 1] == starts[first]:
        first -= 1
    return max(first, 0), bisect_left(starts, end, 0, len(starts) - 1)


def answers(
    template: ChatTemplate, wanted: Request, text: str, numbers: Sequence[int]
) -> dict[int, tuple[int, int, int]]:
    """Of messages that a model sampled: where what they say begins, where the message ends, and where its content does."""
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
    """Where what is shown of some fields of the messages stands."""
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


def _thinking(template: ChatTemplate, wanted: Request, text: str, parts: Sequence[Stretch]) -> list[Stretch]:
    """What a model thought: between <think> and </think> in the messages of an assistant, else what its field says."""
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
