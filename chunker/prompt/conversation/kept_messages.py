"""The messages of a conversation in one list, at 8 bytes a value, and 8 for the names that dicts of a kind share.

    messages   {"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [{"name": "search"}]}
    kept       names, "user", "Hi", names, "assistant", (list, 1), names, "search"          names = ("role", "content"), ...

A dict a message would take 200 bytes and more, the call of a tool 700. Templates get dicts, which are made for a rendering and gone after it. Strings are
the caller's own objects.
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

    >>> dicts_of([("role", "content"), "user", "Hi", ("role", "calls"), "assistant", (list, 2), 1, 2])
    [{'role': 'user', 'content': 'Hi'}, {'role': 'assistant', 'calls': [1, 2]}]
    """
    left = iter(values)
    return [_made(names, left) for names in left]


def place_of(values: list[Any], number: int) -> int:
    """The place at which a message begins in a list.

    >>> place_of([("role", "calls"), "user", (list, 2), 1, 2, ("role",), "assistant"], 1)
    5
    """
    place = 0
    for _ in range(number):
        left = 1
        while left:
            value = values[place]
            left += _size(value) - 1 if type(value) is tuple else -1
            place += 1
    return place


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


def _made(value: Any, left: Iterator[Any]) -> Any:  # noqa: ANN401 - what is kept
    """A value: itself, or what these names, or this type and length, and the values that are left make."""
    if type(value) is not tuple:
        return value
    if not _is_sequence(value):
        return {name: _made(next(left), left) for name in value}
    return value[0](_made(next(left), left) for _ in range(value[1]))


def _is_sequence(head: tuple[Any, ...]) -> bool:
    """Whether a list or tuple follows, and no dict: no name is a type."""
    return len(head) == 2 and isinstance(head[0], type)


def _size(head: tuple[Any, ...]) -> int:
    return head[1] if _is_sequence(head) else len(head)


def _keep(value: Any, values: list[Any]) -> None:  # noqa: ANN401 - a plain value
    """Add a value to a list of kept ones."""
    kind = type(value)
    if kind is dict:
        names = tuple(value)
        # 1 and True are equal, and written in two ways.
        values.append(_shared(names) if all(type(name) is str for name in names) else names)
        for item in value.values():
            if type(item) is str:
                values.append(item)
            else:
                _keep(item, values)
    elif kind is list or kind is tuple:
        values.append(_shared((kind, len(value))))
        for item in value:
            _keep(item, values)
    else:
        values.append(value)


@lru_cache(maxsize=1024)
def _shared(head: tuple[Any, ...]) -> tuple[Any, ...]:
    """The names of a dict, one tuple for all dicts that have them. Those of rare kinds may be there twice."""
    return head


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
        return iter(_dicts_of(self._values))

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
        values: list[Any] = []
        for message in new:
            _keep(message, values)
        if first == self._count:
            self._values += values
            self._count += len(new)
            return []
        start = _place_of(self._values, first)
        end = len(self._values) if last == self._count else _place_of(self._values, last)
        gone = _dicts_of(self._values[start:end])
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
        first, last = _compiled.unchanged(self._values, self._count, given, plain_or_none)
        return int(first), int(last)


_dicts_of, _place_of = (dicts_of, place_of) if _compiled is None else (_compiled.dicts_of, _compiled.place_of)
