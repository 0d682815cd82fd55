"""The messages of a conversation, and how many of a list of messages are the same.

    messages   {"role": "user", "content": "Hi"}, {"role": "assistant", "tool_calls": [{"name": "search"}]}
    kept       names, "user", "Hi", names, "assistant", list of 1, names, "search"          names = ("role", "content"), ...

The compiled messages are kept as such a row of values, at 8 bytes each: a dict a message would take 200 bytes and more,
the call of a tool 700. Templates get dicts, which are made for a rendering and gone after it. Strings are the caller's
own objects. Without the compiled module the dicts are kept.

A caller may change any value of a message between two calls, however deep inside. So all values are compared, most by
their addresses, and nothing is taken from a list or dict being the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

from chunker.native import native
from chunker.prompt.templates.values import Message, identical, plain_or_none, replaced

_compiled = native()


class PythonMessages:
    """The compiled class of the messages, in Python.

    >>> kept = PythonMessages()
    >>> kept.splice(0, 0, [{"role": "user"}, {"role": "assistant"}])
    []
    >>> kept.unchanged([{"role": "user"}, {"role": "tool"}, {"role": "assistant", "content": None}], plain_or_none)
    (1, 1)
    """

    def __init__(self) -> None:
        self._messages: list[Message] = []

    def __len__(self) -> int:
        return len(self._messages)

    def copy(self) -> PythonMessages:
        """Return an independent copy."""
        made = PythonMessages()
        made._messages = self._messages.copy()
        return made

    def dicts(self) -> list[Message]:
        """The messages, each a new dict."""
        return [replaced(message, {}) for message in self._messages]

    def splice(self, first: int, last: int, messages: list[Message]) -> list[Message]:
        """Replace the messages from `first` up to `last`, and return those that were there."""
        if not first <= last <= len(self):
            raise IndexError(f"there are no messages {first} to {last}: there are {len(self)}")
        gone = self._messages[first:last]
        self._messages[first:last] = [replaced(message, {}) for message in messages]
        return gone

    def unchanged(self, messages: list[Any], plain: Callable[[Any], Any]) -> tuple[int, int]:
        """The number of messages equal to the kept ones: at the start, and of the others at the end. `plain` converts a message to the form that is kept."""
        kept = self._messages
        most = min(len(kept), len(messages))
        first = last = 0
        while first < most and identical(plain(messages[first]), kept[first]):
            first += 1
        while first + last < most and identical(plain(messages[-1 - last]), kept[-1 - last]):
            last += 1
        return first, last


class KeptMessages(Sequence[Message]):
    """A sequence of plain messages. Each access makes a new dict.

    >>> kept = KeptMessages()
    >>> kept.splice(0, 0, [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    []
    >>> kept.splice(0, 1, []), list(kept)
    ([{'role': 'user', 'content': 'Hi'}], [{'role': 'assistant', 'content': 'Hello'}])
    """

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept = PythonMessages() if _compiled is None else _compiled.KeptMessages()

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Message]:
        return iter(self._kept.dicts())

    @overload
    def __getitem__(self, number: int) -> Message: ...
    @overload
    def __getitem__(self, number: slice) -> list[Message]: ...
    def __getitem__(self, number: int | slice) -> Message | list[Message]:
        return list(self)[number]

    def copy(self) -> KeptMessages:
        """Return an independent copy."""
        made = KeptMessages()
        made._kept = self._kept.copy()
        return made

    def splice(self, first: int, last: int, new: list[Message]) -> list[Message]:
        """Replace the messages from `first` up to `last`.

        Args:
            first: The first message that goes.
            last: The message after the last one that goes.
            new: Plain messages.

        Returns:
            The messages that went.
        """
        gone: list[Message] = self._kept.splice(first, last, new)
        return gone

    def unchanged(self, messages: Iterable[Any]) -> tuple[int, int]:
        """The number of these messages, plain or not, that equal the kept ones: at the start, and of the others at the end.

        Args:
            messages: All messages that are to be here.
        """
        first, last = self._kept.unchanged(messages if type(messages) is list else list(messages), plain_or_none)
        return int(first), int(last)
