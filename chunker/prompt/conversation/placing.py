"""Pins in a text that has changed: which of them still stand in it, and where.

before   |user|<think>hm</think>Hello|          pinned: <think> ... Hello
after    |user|Hello|user|                      pinned: Hello, for the template takes the reasoning out
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from chunker.prompt.conversation.compared import ComparedText
from chunker.prompt.conversation.layout import Layout, Sliced
from chunker.prompt.conversation.pins import Pin
from chunker.prompt.templates.contents import answers
from chunker.prompt.templates.template import ChatTemplate, Request
from chunker.prompt.templates.values import Message

# Roles of messages that no model samples.
_OTHERS = ("user", "system", "developer", "tool")


class Rendered(NamedTuple):
    """A rendered text; `told`: the same with all special tokens broken that the template does not write."""

    text: ComparedText
    told: Sliced


def placed(
    pins: Sequence[Pin], layout: Layout, template: ChatTemplate, wanted: Request, rendered: Rendered
) -> list[Pin]:
    """The pins that still stand in a text, at their places.

    Args:
        pins: Those of the text before, in order, with the numbers that their messages have now.
        layout: The special tokens of the text before.
        template: The template.
        wanted: What the text was rendered from.
        rendered: The text.
    """
    text, told = rendered
    same = text.same
    number = bisect_right(pins, same - layout.ahead, key=lambda pin: pin.end)
    kept, lost = list(pins[:number]), list[Pin]()
    for pin in pins[number:]:
        whole = pin.end <= same and layout.outside(told, pin) is pin
        (kept if whole and not lost else lost).append(pin)
    if not lost:
        return kept
    where: dict[int, tuple[int, int, int]] | None = None
    for pin in lost:
        if pin.message >= len(wanted.messages) or wanted.messages[pin.message]["role"] in _OTHERS:
            continue
        beginning = pin.beginning(text.part(pin.start, pin.start + len(pin.data))) if pin.start <= same else None
        candidates: list[Pin | None] = [beginning]
        if beginning is None or len(beginning.ids) < len(pin.ids):
            if where is None:
                where = answers(template, wanted, text.whole, [pin.message for pin in lost])
            start, end, least = where.get(pin.message, (0, 0, 0))
            ending = pin.ending(text.part(start, end), start)
            candidates.append(ending if ending is not None and ending.end >= least else None)
        fitting = [layout.outside(told, one) for one in candidates if one is not None]
        found = max(filter(None, fitting), key=lambda one: len(one.ids), default=None)
        if found is not None and (not kept or found.start >= kept[-1].end):
            kept.append(found)
    return kept


def renumbered(pins: list[Pin], old: list[Message], new: list[Message]) -> list[Pin]:
    """Pins with the numbers that their messages have now. What is being sampled is of the message that comes next."""
    if not pins or old is new or old == new[: len(old)]:
        return pins
    made: list[Pin] = []
    numbers = {id(message): number for number, message in reversed(list(enumerate(new)))}
    for pin in pins:
        number = pin.message
        if number < len(old):
            found = numbers.get(id(old[number]))
            number = (
                found
                if found is not None
                else next((n for n, message in enumerate(new) if message == old[number]), len(new))
            )
        made.append(pin if number == pin.message else replace(pin, message=number))
    return made


def first_difference(one: Sequence[Any], other: Sequence[Any]) -> int | None:
    """From which item on two lists differ; None where they do not.

    >>> first_difference([2, 5], [2, 7]), first_difference([2], [2, 3]), first_difference([2], [2])
    (1, 1, None)
    """
    if one == other:
        return None
    shorter = min(len(one), len(other))
    return next((number for number in range(shorter) if one[number] != other[number]), shorter)


def same_before(same: int, one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the part of `same` characters that stays when two ordered lists of offsets differ from some offset
    on.

    >>> same_before(9, [2, 5], [2, 7]), same_before(9, [2], [2])
    (5, 9)
    """
    number = first_difference(one, other)
    return same if number is None else min(same, *one[number : number + 1], *other[number : number + 1])
