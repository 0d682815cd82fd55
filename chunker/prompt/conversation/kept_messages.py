"""The messages of a conversation in one list, at 8 bytes a value, and 8 for the names that messages of a kind share.

    messages   {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}
    kept       names, "user", "Hi", names, "assistant", "Hello"          names = ("role", "content")

A dict a message would take 200 bytes and more. Templates get dicts, which are made for a rendering and gone after it. Strings are the caller's own objects;
lists and dicts in a message, such as tool calls, are copies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any, overload

from chunker.native import native
from chunker.prompt.templates.values import Message, identical, plain_or_none

_compiled = native()


def dicts_of(values: list[Any]) -> list[Message]:
    """The messages in a list.

    >>> dicts_of([("role", "content"), "user", "Hi", ("role",), "assistant"])
    [{'role': 'user', 'content': 'Hi'}, {'role': 'assistant'}]
    """
    left = iter(values)
    return [dict(zip(names, left, strict=False)) for names in left]


def unchanged(values: list[Any], messages: list[Any]) -> tuple[int, int]:
    """How many messages are those that are kept, at the start and after them at the end. Messages need not be plain ones.

    >>> unchanged([("role",), "user", ("role",), "assistant"], [{"role": "user"}, {"role": "tool"}, {"role": "assistant"}])
    (1, 1)
    """
    kept = dicts_of(values)
    most = min(len(kept), len(messages))
    first = last = 0
    while first < most and _is_kept(messages[first], kept[first]):
        first += 1
    while first + last < most and _is_kept(messages[-1 - last], kept[-1 - last]):
        last += 1
    return first, last


def _is_kept(message: object, known: Message) -> bool:
    return identical(message, known) or identical(plain_or_none(message), known)


@lru_cache(maxsize=256)
def _shared(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of a message, one tuple for all messages that have them. Those of rare kinds may be there twice."""
    return names


class KeptMessages(Sequence[Message]):
    """Plain messages. Each is a dict of its own whenever it is asked for.

    >>> kept = KeptMessages()
    >>> kept.splice(0, 0, [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    []
    >>> kept.splice(0, 1, []), list(kept)
    ([{'role': 'user', 'content': 'Hi'}], [{'role': 'assistant', 'content': 'Hello'}])
    """

    __slots__ = ("_count", "_values")

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Message]:
        return iter(dicts_of(self._values) if _compiled is None else _compiled.dicts_of(self._values))

    @overload
    def __getitem__(self, number: int) -> Message: ...
    @overload
    def __getitem__(self, number: slice) -> list[Message]: ...
    def __getitem__(self, number: int | slice) -> Message | list[Message]:
        return list(self)[number]

    def copy(self) -> KeptMessages:
        """Another one, to be changed by itself."""
        made = KeptMessages()
        made._values, made._count = self._values.copy(), self._count
        return made

    def splice(self, first: int, last: int, new: Sequence[Message]) -> list[Message]:
        """Put others in the place of the messages from `first` up to `last`.

        Args:
            first: The first message that goes.
            last: The message after the last one that goes.
            new: Plain messages.

        Returns:
            The messages that went.
        """
        start = self._place(first)
        end = start if last == first else self._place(last)
        gone = dicts_of(self._values[start:end])
        values: list[Any] = []
        for message in new:
            values += (_shared(tuple(message)), *message.values())
        self._values[start:end] = values
        self._count += len(new) - len(gone)
        return gone

    def unchanged(self, messages: Iterable[Any]) -> tuple[int, int]:
        """How many of these messages, plain or not, stand here at the start as well; and after those, how many at the end.

        Args:
            messages: All messages that are to be here.
        """
        given = messages if type(messages) is list else list(messages)
        if _compiled is None:
            return unchanged(self._values, given)
        first, last = _compiled.unchanged(self._values, given, plain_or_none)
        return int(first), int(last)

    def _place(self, number: int) -> int:
        """Where a message begins in the list."""
        if number == self._count:
            return len(self._values)
        place = 0
        for _ in range(number):
            place += len(self._values[place]) + 1
        return place
