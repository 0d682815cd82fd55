"""The start and end of a message's text in a rendered text, found by private-use characters that a second rendering has there.

    content      " Hi there! "      rendered   <|im_start|>user\\nHi there!<|im_end|>
    once more    " ▸Hi there!◂ "               <|im_start|>user\\n▸Hi there!◂<|im_end|>

Outside the edges there is only white space, so a template that trims changes nothing. If the text without the marks
differs from the first rendering, the template reads the messages: then they are halved until each is known; of a
message that is read, one edge may still be found.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from chunker.prompt.errors import ChatTemplateError, MessageError
from chunker.prompt.templates.template import ChatTemplate, Request, replace_text
from chunker.prompt.templates.values import Message

_CANDIDATES = [chr(code) for code in range(0x10F000, 0x10F080)]
_BASE = 16
_START, _END = 0, 1


class Asked(NamedTuple):
    """A template, the request that `text` was rendered from, and fields of messages: the first of these that a message has is its text."""

    template: ChatTemplate
    wanted: Request
    text: str
    fields: Sequence[str]

    def name(self, number: int) -> str | None:
        """The field of a message."""
        return next((name for name in self.fields if self.wanted.messages[number].get(name)), None)

    def mark(self) -> str:
        """A character that the text does not have."""
        return next((character for character in _CANDIDATES if character not in self.text), "")

    def again(self, messages: Mapping[int, Message]) -> str | None:
        """Render the request with some messages replaced, by their numbers; None if the template fails."""
        made = [messages.get(number, message) for number, message in enumerate(self.wanted.messages)]
        try:
            return self.template.rendered(self.wanted._replace(messages=made))
        except (ChatTemplateError, MessageError):
            return None


class Edges(NamedTuple):
    """The starts and the ends of a text, once for each time that it is written; empty if they are not known."""

    starts: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


def edges_of(asked: Asked, numbers: Sequence[int]) -> dict[int, Edges]:
    """Return the edges of these messages' texts, as far as the template copies the texts without reading them.

    A text is a str, or a list with blocks of text.
    """
    made: dict[int, Edges] = dict.fromkeys(numbers, Edges())
    parts: list[tuple[list[int], tuple[int, ...]]] = [(list(numbers), (_START, _END))] if numbers else []
    while parts:
        part, sides = parts.pop()
        found = _marked(asked, part, sides)
        if found is None and len(part) > 1:
            middle = len(part) // 2
            parts += [(part[:middle], sides), (part[middle:], sides)]
        elif found is None and len(sides) > 1:
            parts += [(part, (side,)) for side in sides]
        for number, side, place in found or ():
            starts, ends = made[number]
            made[number] = Edges((*starts, place), ends) if side == _START else Edges(starts, (*ends, place))
    return made


def one_sided(asked: Asked, number: int, edges: Edges) -> list[tuple[int, int]]:
    """Return the span of a text of which the template shows one edge and cuts the other off. Bisection with marks inside the text finds how much is shown."""
    wanted, text, name = asked.wanted, asked.text, asked.name(number)
    value = wanted.messages[number].get(name or "")
    if name is None or not isinstance(value, str):
        return []
    mark = asked.mark()

    def is_shown(place: int) -> bool:
        message = {**wanted.messages[number], name: value[:place] + mark + value[place:]}
        made = asked.again({number: message})
        return made is not None and made.count(mark) == 1 and made.replace(mark, "") == text

    first, last = len(value) - len(value.lstrip()), len(value.rstrip())
    places = range(first, last + 1)
    if edges.ends:
        seen = places[bisect_left(places, 1, key=is_shown)]
        (end,) = edges.ends
        return [(end - len(value[seen:last].lstrip()), end)]
    seen = places[bisect_left(places, 1, key=lambda place: not is_shown(place)) - 1]
    (start,) = edges.starts
    return [(start, start + len(value[first:seen].rstrip()))]


def _marked(asked: Asked, numbers: Sequence[int], sides: Sequence[int]) -> list[tuple[int, int, int]] | None:
    """Return the message, the side and the offset of each mark that the template shows; None if the marks change the rest of the text."""
    digits = [character for character in _CANDIDATES if character not in asked.text][:_BASE]
    if len(digits) < _BASE:
        return None
    width = 1
    while _BASE**width < 2 * (max(numbers) + 1):
        width += 1
    messages = {}
    for number in numbers:
        written = {side: _written(2 * number + side, width, digits) for side in sides}
        messages[number] = _with_marks(asked.wanted.messages[number], asked.name(number), written)
    marked = asked.again(messages)
    return None if marked is None else _places(asked.text, marked, width, digits)


def _written(number: int, width: int, digits: Sequence[str]) -> str:
    return "".join(digits[number // _BASE**place % _BASE] for place in range(width))


def _places(text: str, marked: str, width: int, digits: Sequence[str]) -> list[tuple[int, int, int]] | None:
    """Read the marks of a rendering: message, side and offset of each; None if the text without them is not `text`."""
    values = {digit: value for value, digit in enumerate(digits)}
    found, pieces = [], []
    before = length = 0
    for mark in re.finditer(f"[{''.join(digits)}]{{{width}}}", marked):
        pieces.append(marked[before : mark.start()])
        length += mark.start() - before
        number = sum(values[digit] * _BASE**place for place, digit in enumerate(mark[0]))
        found.append((number // 2, number % 2, length))
        before = mark.end()
    pieces.append(marked[before:])
    return found if "".join(pieces) == text else None


def _with_marks(message: Message, name: str | None, written: Mapping[int, str]) -> Message:
    """Return the message with marks at the first and after the last visible character of its text."""
    if name is None:
        return message
    value = message[name]
    if isinstance(value, str):
        return {**message, name: _between(value, written.get(_START, ""), written.get(_END, ""))}
    if not isinstance(value, list | tuple):
        return message
    blocks: list[Any] = list(value)
    seen = [place for place, block in enumerate(blocks) if _text_of(block).strip()]
    if seen:
        for place, opening, closing in ((seen[0], written.get(_START, ""), ""), (seen[-1], "", written.get(_END, ""))):
            blocks[place] = replace_text(blocks[place], _between(_text_of(blocks[place]), opening, closing))
    return {**message, name: blocks}


def _text_of(block: Any) -> str:  # noqa: ANN401 - plain values
    text = block.get("text") if isinstance(block, Mapping) else None
    return text if isinstance(text, str) else ""


def _between(text: str, opening: str, closing: str) -> str:
    """Insert `opening` at the first and `closing` after the last visible character of a text.

    >>> _between(" Hi\\n", "<", ">")
    ' <Hi>\\n'
    """
    end = len(text.rstrip())
    if not end:
        return text
    start = len(text) - len(text.lstrip())
    return text[:start] + opening + text[start:end] + closing + text[end:]
