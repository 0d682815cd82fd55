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
    """A rendered text; `told`: the same text, with every special token broken that a message spells and the template does not write itself."""

    text: ComparedText
    told: Sliced


class Spliced(NamedTuple):
    """A change of messages: of `before` messages, those from number `first` on, `gone`, were replaced by `new`."""

    before: int
    first: int
    gone: Sequence[Message]
    new: Sequence[Message]

    def renumbered(self, pins: Sequence[Pin]) -> Sequence[Pin]:
        """Pins with the numbers that their messages have now; where a message is no longer there, one that no message has.

        What is being sampled keeps its number: it is of the message that comes next.
        """
        if self.first == self.before:
            return pins
        last, more = self.first + len(self.gone), len(self.new) - len(self.gone)
        now = self._again({pin.message for pin in pins})
        now |= {number: number + more for number in range(last, self.before) if more}
        return [replace(pin, message=now[pin.message]) if pin.message in now else pin for pin in pins]

    def _again(self, numbers: set[int]) -> dict[int, int]:
        """The new numbers of messages that have left; of several equal ones in the same order."""
        where: dict[str, list[int]] = {}
        for number, message in enumerate(self.new) if self.gone else ():
            where.setdefault(str(message.get("content")), []).append(number)
        made, place = {}, 0
        for number in sorted(numbers & set(range(self.first, self.first + len(self.gone)))):
            message = self.gone[number - self.first]
            found = [one for one in where.get(str(message.get("content")), ()) if self.new[one] == message]
            if found:
                place = next((one for one in found if one >= place), found[0])
                made[number] = self.first + place
                place += 1
            else:
                made[number] = self.before + len(self.new)
        return made


def placed(
    pins: Sequence[Pin], layout: Layout, template: ChatTemplate, wanted: Request, rendered: Rendered
) -> list[Pin]:
    """Return the pins, or the parts of them, that the text still has, at their new offsets.

    Args:
        pins: The pins of the text before, in order, with the numbers that their messages have now.
        layout: The special tokens of the text before.
        template: The template.
        wanted: The request that the text was rendered from.
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
    wanted = wanted._replace(messages=list(wanted.messages))
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


def first_difference(one: Sequence[Any], other: Sequence[Any]) -> int | None:
    """Return the index of the first item in which two lists differ; None if they are equal.

    >>> first_difference([2, 5], [2, 7]), first_difference([2], [2, 3]), first_difference([2], [2])
    (1, 1, None)
    """
    if one == other:
        return None
    shorter = min(len(one), len(other))
    after = None if len(one) == len(other) else shorter  # a tuple is not a list, but may hold the same
    return next((number for number in range(shorter) if one[number] != other[number]), after)


def same_before(same: int, one: Sequence[int], other: Sequence[int]) -> int:
    """The length of the part of `same` characters that stays when two ordered lists of offsets differ from some offset
    on.

    >>> same_before(9, [2, 5], [2, 7]), same_before(9, [2], [2])
    (5, 9)
    """
    number = first_difference(one, other)
    return same if number is None else min(same, *one[number : number + 1], *other[number : number + 1])
