"""A rendered text, known from where it differs from the text before.

    before   |system|user|assistant|
    now      |system|user|assistant|user|
              same .................tail

The text is compared while it is rendered, and only its tail is kept. The rest is that of before, and is read from the
encoder where somebody asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from bpe_engine.encoders import AppendingEncoder


class ComparedText:
    """A text, stored as its difference from the text of an encoder. Valid until that encoder changes.

    `same`: the number of characters that both texts begin with; `size`: the same in bytes; `tail`: the text after them.
    """

    def __init__(self, encoder: AppendingEncoder, size: int, same: int, tail: str) -> None:
        self._encoder = encoder
        self.size = size
        self.same = same
        self.tail = tail
        self.length = same + len(tail)

    @classmethod
    def beside(cls, encoder: AppendingEncoder) -> Callable[[Iterable[str]], ComparedText]:
        """Return a function that compares a text, given in parts, with that of an encoder."""
        return lambda parts: cls(encoder, *encoder.common_prefix_of(parts))

    @cached_property
    def whole(self) -> str:
        """The whole text. Linear time."""
        return self._encoder.text_before(self.size, self.same) + self.tail

    def part(self, start: int, end: int | None = None) -> str:
        """Return a slice, in characters. Linear in the slice, and in the text from `start` up to `same`."""
        same = self.same
        if start >= same:
            return self.tail[start - same : None if end is None else max(0, end - same)]
        before = self._encoder.text_before(self.size, same - start)
        return before + self.tail if end is None else (before + self.tail[: max(0, end - same)])[: end - start]


class WholeText(str):
    """A whole text with the `part` method of `ComparedText`."""

    __slots__ = ()

    def part(self, start: int, end: int | None = None) -> str:
        """A slice, in characters."""
        return self[start:end]
