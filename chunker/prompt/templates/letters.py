"""Where the texts of messages stand in a rendered text, told by their letters.

    content      Hi there!       rendered   <|im_start|>user\\nHi there!<|im_end|>
    once more    Ij uifsf!                  <|im_start|>user\\nIj uifsf!<|im_end|>
    differ                                                    ^^ ^^^^^

All letters and digits of a text are exchanged for their neighbours in a second rendering; where that differs, the text stands. A template that reads a text
shows it by a rendering of another length: then the messages are halved until each is known, and of one that is read only letters outside of its tags are
exchanged, or none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chunker.prompt.errors import ChatTemplateError, MessageError
from chunker.prompt.templates.spelled import differences
from chunker.prompt.templates.template import ChatTemplate, Request
from chunker.prompt.templates.values import Message, replaced, strings

_FROM = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_NEXT = str.maketrans(_FROM, "bcdefghijklmnopqrstuvwxyzaBCDEFGHIJKLMNOPQRSTUVWXYZA1234567890")
_TAGS = re.compile(r"<[^<>]{0,60}>|\[[^\[\]]{0,40}\]")
_LETTERS = frozenset(_FROM)
# What says how a message is rendered, and not what it says.
_FIELDS = ("role", "type", "id", "tool_call_id", "name")


def is_letter(character: str) -> bool:
    """Whether a character is one that is exchanged."""
    return character in _LETTERS


def written_places(
    template: ChatTemplate, wanted: Request, text: str, numbers: Sequence[int], fields: Sequence[str] = ()
) -> dict[int, list[int]]:
    """Where in `text` the letters of messages stand.

    Args:
        template: The template.
        wanted: What `text` was rendered from.
        text: The rendered text.
        numbers: The messages.
        fields: Only these fields of them; by default all that are text.

    Returns:
        For each message the ascending places of its letters. One that the template reads in a way that other letters would change is missing; so is one
        without letters. Where the letters of several messages were exchanged at once, all places are those of all of them.
    """
    found: dict[int, list[int]] = {}
    for number in numbers:
        for careful in (False, True):
            places = _differing(template, wanted, text, number, fields, careful=careful)
            if places:
                found[number] = places
                break
    return found


def all_places(template: ChatTemplate, wanted: Request, text: str, numbers: Sequence[int], fields: Sequence[str]) -> tuple[list[int], list[int]]:
    """Where the letters of many messages stand, in few renderings; and the messages of which that cannot be told."""
    places: list[int] = []
    untold: list[int] = []
    parts = [list(numbers)]
    while parts:
        part = parts.pop()
        if not part:
            continue
        for careful in (False, True):
            found = _exchanged(template, wanted, text, part, fields, careful=careful)
            if found is not None:
                places += found
                break
        else:
            if len(part) == 1:
                untold += part
            else:
                middle = len(part) // 2
                parts += [part[:middle], part[middle:]]
    return sorted(set(places)), sorted(untold)


def _differing(
    template: ChatTemplate, wanted: Request, text: str, number: int, fields: Sequence[str], *, careful: bool
) -> list[int] | None:
    return _exchanged(template, wanted, text, [number], fields, careful=careful)


def _exchanged(
    template: ChatTemplate, wanted: Request, text: str, numbers: Sequence[int], fields: Sequence[str], *, careful: bool
) -> list[int] | None:
    """Where the text differs with other letters in these messages; None where the template reads them."""
    messages = list(wanted.messages)
    for number in numbers:
        messages[number] = _other(messages[number], fields, careful=careful)
    try:
        made = template.rendered(replace(wanted, messages=messages))
    except (ChatTemplateError, MessageError):
        return None
    if len(made) != len(text):
        return None
    places = differences(text, made)
    return places if all(text[place].translate(_NEXT) == made[place] for place in places) else None


def _other(message: Message, fields: Sequence[str], *, careful: bool) -> Message:
    """The message with other letters."""
    return {
        key: _exchange(value, careful=careful) if (key in fields if fields else key not in _FIELDS) else value
        for key, value in message.items()
    }


def _exchange(value: Any, *, careful: bool) -> Any:  # noqa: ANN401 - plain values
    if isinstance(value, Mapping):
        return {key: item if key in _FIELDS else _exchange(item, careful=careful) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_exchange(item, careful=careful) for item in value)
    return replaced(value, {text: _other_letters(text, careful=careful) for text in strings(value)})


def _other_letters(text: str, *, careful: bool) -> str:
    """
    >>> _other_letters("Hi <b>x</b>", careful=False), _other_letters("Hi <b>x</b>", careful=True)
    ('Ij <c>y</c>', 'Ij <b>y</b>')
    """
    if not careful:
        return text.translate(_NEXT)
    made, place = [], 0
    for tag in _TAGS.finditer(text):
        made += [text[place : tag.start()].translate(_NEXT), tag[0]]
        place = tag.end()
    return "".join([*made, text[place:].translate(_NEXT)])
