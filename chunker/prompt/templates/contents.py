"""The content and the thinking of each message in the rendered text, and their offsets."""

from __future__ import annotations

import re
from collections.abc import Sequence

from chunker.prompt.templates.edges import Asked, edges_of, one_sided
from chunker.prompt.templates.letters import letters_of, shown
from chunker.prompt.templates.marks import MarkedSpan, marked_spans
from chunker.prompt.templates.template import ChatTemplate, Request
from chunker.prompt.templates.values import Message

_THINKING = re.compile(r"<think>.*?</think>", re.DOTALL)


def answers(
    template: ChatTemplate, wanted: Request, text: str, numbers: Sequence[int]
) -> dict[int, tuple[int, int, int]]:
    """Return for each of these messages, which a model sampled: the start of its thinking or content, the end of the
    message, and the end of its content, in characters.
    """
    parts = marked_spans(template, wanted, text)
    found = {}
    for content in contents(template, wanted, text):
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
    *,
    fields: Sequence[str] = ("content",),
    kind: str = "content",
) -> list[MarkedSpan]:
    """The spans of the text that show some fields of the messages: by their edges (edges.py), else by their letters (letters.py)."""
    numbers = [number for number, message in enumerate(wanted.messages) if any(message.get(name) for name in fields)]
    asked = Asked(template, wanted, text, fields)
    edges = edges_of(asked, numbers)
    letters = letters_of(template, wanted, text, [number for number in numbers if not all(edges[number])], fields)
    made = []
    for number in numbers:
        content = _text_of(wanted.messages[number], fields)
        starts, ends = edges[number]
        found = _paired(starts, ends)
        if not found and number in letters:
            start, end = shown(text, content, letters[number])
            found = [(min(starts, default=start), max(ends, default=end))]
        elif not found and len(starts) + len(ends) == 1:
            found = one_sided(asked, number, edges[number])
        made += [MarkedSpan(kind, number, 0, start, end) for start, end in found if start < end]
    return made


def _paired(starts: Sequence[int], ends: Sequence[int]) -> list[tuple[int, int]]:
    """Return the spans between starts and ends; one span over all of them if starts and ends do not alternate.

    >>> _paired((2, 9), (4, 12)), _paired((2,), ())
    ([(2, 4), (9, 12)], [])
    """
    if not starts or not ends:
        return []
    pairs = list(zip(starts, ends, strict=False))
    places = [place for pair in pairs for place in pair]
    return pairs if len(starts) == len(ends) and places == sorted(places) else [(min(starts), max(ends))]


def _text_of(message: Message, fields: Sequence[str]) -> str | None:
    value = next((message[name] for name in fields if message.get(name)), None)
    return value.strip() if isinstance(value, str) else None


def thinking(template: ChatTemplate, wanted: Request, text: str, parts: Sequence[MarkedSpan]) -> list[MarkedSpan]:
    """Return the thinking of each message: the text between <think> and </think> in a message of an assistant, else that of its reasoning field."""
    made = []
    tagged = set()
    for part in parts:
        if part.kind == "message" and wanted.messages[part.message]["role"] == "assistant":
            found = _THINKING.search(text, part.start, part.end)
            if found:
                tagged.add(part.message)
                made.append(MarkedSpan("thinking", part.message, 0, *found.span()))
    fields = ("reasoning_content", "thinking", "reasoning")
    if any(message.get(name) for message in wanted.messages for name in fields):
        made += [
            part
            for part in contents(template, wanted, text, fields=fields, kind="thinking")
            if part.message not in tagged
        ]
    return made
