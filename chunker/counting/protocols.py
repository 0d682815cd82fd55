"""Protocols of a tokenizer, as a chunker needs it: count, stop counting soon after a limit, and count while a text
grows.

`bpe_engine.Tokenizer` has it all by itself. For everything else there are the other modules of this package.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable

Mark = TypeVar("Mark")


class AppendingCounter(Protocol[Mark]):
    """Counts a text that grows to the right. `count` is that of a fresh count of the whole text, after every call."""

    @property
    def count(self) -> int:
        """Tokens of the text appended so far."""
        ...

    def append(self, text: str, /) -> None:
        """Put `text` behind what is there."""
        ...

    def snapshot(self) -> Mark:
        """A mark of this state, for `rollback`. O(1)."""
        ...

    def rollback(self, mark: Mark, /) -> None:
        """Return to the state of `mark`. O(1)."""
        ...


class PrependingCounter(Protocol):
    """Counts a text that grows to the left. `count` is that of a fresh count of the whole text, after every call."""

    @property
    def count(self) -> int:
        """Tokens of the text prepended so far."""
        ...

    def prepend(self, text: str, /) -> None:
        """Put `text` before what is there."""
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """A tokenizer, as far as a chunker is concerned. Immutable, and shared by threads.

    One that has the attribute `reserve` says with it how many tokens its model puts around each text (`[CLS]` and `[SEP]`, say); they are
    no part of any count, and `chunker.growing.budget` keeps room for them.
    """

    def count(self, text: str, /) -> int:
        """Tokens of `text`, without those that a model puts around it."""
        ...

    def count_up_to(self, text: str, limit: int, /) -> int | None:
        """Tokens of `text`, None if they are more than `limit`; stops reading soon after the limit where that can be known."""
        ...

    def appending_encoder(self) -> AppendingCounter[Any]:
        """A counter over an empty text, to be appended to."""
        ...

    def prepending_encoder(self) -> PrependingCounter:
        """A counter over an empty text, to be prepended to."""
        ...
