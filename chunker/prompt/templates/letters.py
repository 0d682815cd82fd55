"""Find messages in a rendered text by rendering them with other letters.

    content      Hi there!       rendered   <|im_start|>user\\nHi there!<|im_end|>
    once more    Ij uifsf!                  <|im_start|>user\\nIj uifsf!<|im_end|>
    differ                                                    ^^ ^^^^^

A second rendering replaces the letters and digits of each message by those 1 to 9 further on in their alphabet: the
distance identifies the message. With more than nine messages, further renderings give the next digits of their numbers.
If a template reads a text, the rendering has another length: then the messages are halved until each is known; in a
message that is read, only letters outside of tags are replaced, or none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from chunker.prompt.errors import ChatTemplateError, MessageError
from chunker.prompt.templates.spelled import differences
from chunker.prompt.templates.template import ChatTemplate, Request
from chunker.prompt.templates.values import Message

_SHIFTS = 9
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789")
_PLACES = {letter: (alphabet, place) for alphabet in _ALPHABETS for place, letter in enumerate(alphabet)}
_TAGS = re.compile(r"<[^<>]{0,60}>|\[[^\[\]]{0,40}\]")
# Fields that decide how a message is rendered, not what it says.
_FIELDS = ("role", "type", "id", "tool_call_id", "name")


def is_letter(character: str) -> bool:
    """Whether a character is a letter that `letters_of` exchanges."""
    return character in _PLACES


def letters_of(
    template: ChatTemplate, wanted: Request, text: str, numbers: Sequence[int], fields: Sequence[str] = ()
) -> dict[int, list[int]]:
    """The offsets in `text` of the letters of messages.

    Args:
        template: The template.
        wanted: What `text` was rendered from.
        text: The rendered text.
        numbers: The messages.
        fields: Only these fields of them; by default all that are text.

    Returns:
        For each message the ascending places of its letters. One that the template reads, so that other letters would
        change more, is missing; so is one without letters.
    """
    careful: dict[int, bool] = {}
    first: dict[int, int] = {}
    parts = [list(numbers)] if numbers else []
    while parts:
        part = parts.pop()
        for care in (False, True):
            found = _exchanged(template, wanted, text, dict.fromkeys(part, care), fields)
            if found is not None:
                first |= found
                careful |= dict.fromkeys(part, care)
                break
        else:
            if len(part) > 1:
                middle = len(part) // 2
                parts += [part[:middle], part[middle:]]
    owners = {place: shift - 1 for place, shift in first.items()}
    digit = 1
    while _SHIFTS**digit <= max(careful, default=0):
        found = _exchanged(template, wanted, text, careful, fields, digit=digit)
        if found is None:
            return _one_by_one(template, wanted, text, careful, fields)
        owners = {
            place: number + (found[place] - 1) * _SHIFTS**digit for place, number in owners.items() if place in found
        }
        digit += 1
    made: dict[int, list[int]] = {}
    for place in sorted(owners):
        if owners[place] in careful:
            made.setdefault(owners[place], []).append(place)
    return made


def _one_by_one(
    template: ChatTemplate, wanted: Request, text: str, careful: Mapping[int, bool], fields: Sequence[str]
) -> dict[int, list[int]]:
    """For templates that read several texts together: a rendering for each message."""
    made = {}
    for number, care in careful.items():
        found = _exchanged(template, wanted, text, {number: care}, fields)
        if found:
            made[number] = sorted(found)
    return made


def _exchanged(
    template: ChatTemplate,
    wanted: Request,
    text: str,
    careful: Mapping[int, bool],
    fields: Sequence[str],
    *,
    digit: int = 0,
) -> dict[int, int] | None:
    """Return the offsets where the text differs if these messages have other letters.

    With the distance of each letter; None if the template reads the messages.
    """
    messages = list(wanted.messages)
    for number, care in careful.items():
        shift = number // _SHIFTS**digit % _SHIFTS + 1
        messages[number] = _other(messages[number], fields, shift, careful=care)
    try:
        made = template.rendered(wanted._replace(messages=messages))
    except (ChatTemplateError, MessageError):
        return None
    if len(made) != len(text):
        return None
    found = {place: _distance(text[place], made[place]) for place in differences(text, made)}
    return found if all(1 <= shift <= _SHIFTS for shift in found.values()) else None


def _distance(one: str, other: str) -> int:
    """The distance of one letter from another in their alphabet; 0 if they have none in common.

    >>> _distance("a", "c"), _distance("z", "a"), _distance("a", "B")
    (2, 1, 0)
    """
    if one not in _PLACES or other not in _PLACES:
        return 0
    (alphabet, start), (other_alphabet, end) = _PLACES[one], _PLACES[other]
    return (end - start) % len(alphabet) if alphabet == other_alphabet else 0


def _other(message: Message, fields: Sequence[str], shift: int, *, careful: bool) -> Message:
    """The message with other letters."""
    return {
        key: _exchange(value, shift, careful=careful) if (key in fields if fields else key not in _FIELDS) else value
        for key, value in message.items()
    }


def _exchange(value: Any, shift: int, *, careful: bool) -> Any:  # noqa: ANN401 - plain values
    if isinstance(value, str):
        return _other_letters(value, shift, careful=careful)
    if isinstance(value, Mapping):
        return {key: item if key in _FIELDS else _exchange(item, shift, careful=careful) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_exchange(item, shift, careful=careful) for item in value)
    return value


@cache
def _table(shift: int) -> dict[int, int]:
    return {
        ord(letter): ord(alphabet[(place + shift) % len(alphabet)])
        for alphabet in _ALPHABETS
        for place, letter in enumerate(alphabet)
    }


def _other_letters(text: str, shift: int, *, careful: bool) -> str:
    """Replace each letter by the one `shift` further on; with `careful`, not inside of tags.

    >>> _other_letters("Hi <b>x</b>", 1, careful=False), _other_letters("Hi <b>x</b>", 1, careful=True)
    ('Ij <c>y</c>', 'Ij <b>y</b>')
    """
    table = _table(shift)
    if not careful:
        return text.translate(table)
    made, place = [], 0
    for tag in _TAGS.finditer(text):
        made += [text[place : tag.start()].translate(table), tag[0]]
        place = tag.end()
    return "".join([*made, text[place:].translate(table)])


def shown(text: str, content: str | None, places: Sequence[int]) -> tuple[int, int]:
    """Return the span of a content whose letters are at `places`: the whole content if the text has it there, else from the first to the last letter,
    with the signs beside them.

    >>> shown("<user>Hi!</user>", "Hi!", [6, 7]), shown("x (b).", "a (b).", [3])
    ((6, 9), (2, 6))
    """
    start, end = places[0], places[-1] + 1
    letters = [] if content is None else [place for place, character in enumerate(content) if is_letter(character)]
    if content is None or not len(places) <= len(letters):
        return start, end
    first, last = letters[-len(places)], letters[-1]
    if len(places) == len(letters) and start >= first and text.startswith(content, start - first):
        return start - first, start - first + len(content)
    while first > 0 < start and _is_sign(content[first - 1]) and content[first - 1] == text[start - 1]:
        first, start = first - 1, start - 1
    while (
        last + 1 < len(content) and end < len(text) and _is_sign(content[last + 1]) and content[last + 1] == text[end]
    ):
        last, end = last + 1, end + 1
    return start, end


def _is_sign(character: str) -> bool:
    return not character.isspace() and not is_letter(character)
