"""Base classes of the appending and the prepending encoder: the text, its unfinished end, marks and rollback."""

from __future__ import annotations

import sys
from abc import abstractmethod
from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeVar

from bpe_engine.encoders import GrowingEncoder, Mark
from bpe_engine.errors import EncodingError, StaleMarkError
from bpe_engine.text.input import received, to_bytes

if TYPE_CHECKING:
    from bpe_engine.engine import Engine

State = TypeVar("State")

UTF_32 = "utf-32-le" if sys.byteorder == "little" else "utf-32-be"  # the byte order of the array


class GrowingText:
    """Characters in an array that grows and is cut back at its end; amortized constant time a character."""

    def __init__(self) -> None:
        self._code_points = array("I")

    def __len__(self) -> int:
        return len(self._code_points)

    def extend(self, characters: str) -> None:
        """Add characters at the end."""
        self._code_points.frombytes(characters.encode(UTF_32, "surrogatepass"))

    def truncate(self, length: int) -> None:
        """Keep the first `length` characters."""
        del self._code_points[length:]

    def read(self, start: int, end: int) -> str:
        """Return the characters [start, end)."""
        return self._code_points[start:end].tobytes().decode(UTF_32, "surrogatepass")

    def character(self, place: int) -> str:
        """Return the character at offset `place`."""
        return chr(self._code_points[place])


class SavedState(Mark, Generic[State]):
    """A mark of the encoders of this package."""

    __slots__ = ("number", "state")

    def __init__(self, number: int, state: tuple[State, tuple[str | bytes, State] | None]) -> None:
        self.number = number
        self.state = state


class StatefulEncoder(GrowingEncoder, Generic[State]):
    """Base class of the two growing encoders."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._marks: list[SavedState[State]] = []
        # The unfinished end as it was given, which more text could change, and the state before it: see
        # `text/input.py`.
        self._unfinished: tuple[str | bytes, State] | None = None

    @abstractmethod
    def _characters(self) -> str:
        """Return the whole text as received characters."""

    @abstractmethod
    def _state(self) -> State:
        """Return everything that `_return_to` needs, in constant time and size."""

    @abstractmethod
    def _push(self, characters: str) -> None:
        """Add received characters at the growing side."""

    @abstractmethod
    def _return_to(self, state: State) -> None:
        """Go back to an earlier state. The text still has the text of that state, with more at the growing side."""

    @property
    def text(self) -> str:
        """As `GrowingEncoder` says."""
        return to_bytes(self._characters()).decode("utf-8", "replace")

    @property
    def data(self) -> bytes:
        """As `GrowingEncoder` says."""
        return to_bytes(self._characters())

    def tokens(self) -> list[int]:
        """As `GrowingEncoder` says."""
        return self._engine.encode_ordinary(self.data)

    def snapshot(self) -> SavedState[State]:
        """As `GrowingEncoder` says."""
        mark = SavedState(len(self._marks), (self._state(), self._unfinished))
        self._marks.append(mark)
        return mark

    def rollback(self, mark: SavedState[State]) -> None:
        """As `GrowingEncoder` says."""
        if not isinstance(mark, SavedState):
            raise TypeError(f"rollback takes a mark from snapshot(), not {type(mark).__name__}")
        if mark.number >= len(self._marks) or self._marks[mark.number] is not mark:
            raise StaleMarkError(
                "this mark belongs to another encoder, or a rollback to an earlier mark has ended it; take a new one with snapshot()"
            )
        del self._marks[mark.number + 1 :]
        self._restore(mark.state)

    def _grow(self, text: str | bytes, cut: Callable[[str | bytes], tuple[str, str | bytes]], *, before: bool) -> None:
        """Add `text` at the growing side, joined with the unfinished end of the text so far.

        `cut` separates the unfinished end of the result, which is kept to be joined with the next text.
        """
        given: object = text
        if not isinstance(given, str | bytes):
            text = to_bytes(received(text))  # takes a bytearray or memoryview, too; anything else is a TypeError
        if not text:
            return
        start = self._state(), self._unfinished
        if self._unfinished and isinstance(text, str) == isinstance(self._unfinished[0], str):
            raw, state = self._unfinished
            self._restore((state, None))
            text = text + raw if before else raw + text  # type: ignore[operator]  # both str or both bytes, as just checked
        self._unfinished = None
        finished, unfinished = cut(text)
        try:
            if finished:
                self._push(finished)
            if unfinished:
                state = self._state()
                self._push(received(unfinished))
                self._unfinished = unfinished, state
        except EncodingError:
            self._restore(start)
            raise

    def _restore(self, position: tuple[State, tuple[str | bytes, State] | None]) -> None:
        """Go back to an earlier state and its unfinished end.

        The end is pushed again, because later text may have completed another character with it.
        """
        state, unfinished = position
        if unfinished is None:
            self._return_to(state)
        else:
            self._return_to(unfinished[1])
            self._push(received(unfinished[0]))
        self._unfinished = unfinished
