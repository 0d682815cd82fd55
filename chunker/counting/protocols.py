"""Protocols of the tokenizer that a chunker needs: count a text, stop counting soon after a limit, and count while a
text grows.

`bpe_engine.Tokenizer` implements them all. The other modules of this package adapt other tokenizers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, runtime_checkable

Mark = TypeVar("Mark")
"""The state of a counter: returned by `snapshot`, taken by `rollback`. Counters define its type."""


class AppendingCounter(Protocol[Mark]):
    """Protocol of a counter of a text that grows to the right. After every call, `count` equals a fresh count of the
    whole text.
    """

    @property
    def count(self) -> int:
        """Tokens of the text appended so far."""
        ...

    def append(self, text: str, /) -> None:
        """Add text at the end.

        Args:
            text: The text to add.
        """
        ...

    def snapshot(self) -> Mark:
        """Return a mark of this state, for `rollback`. O(1)."""
        ...

    def rollback(self, mark: Mark, /) -> None:
        """Return to the state of a mark. O(1).

        Args:
            mark: A mark that `snapshot` returned.
        """
        ...


class PrependingCounter(Protocol):
    """Protocol of a counter of a text that grows to the left. After every call, `count` equals a fresh count of the
    whole text.
    """

    @property
    def count(self) -> int:
        """Tokens of the text prepended so far."""
        ...

    def prepend(self, text: str, /) -> None:
        """Add text at the start.

        Args:
            text: The text to add.
        """
        ...


@runtime_checkable
class TokenCounter(Protocol):
    """Protocol of the tokenizer that a chunker needs. Immutable, and shared by threads.

    A counter may have an attribute `reserve`: the number of tokens that its model puts around each text (`[CLS]` and
    `[SEP]`, say). They are not part of any count, and `chunker.growing.budget` keeps room for them.
    """

    def count(self, text: str, /) -> int:
        """The number of tokens of a text, without the special tokens that a model puts around it.

        Args:
            text: The text.

        Returns:
            A whole number of tokens, 0 or more.
        """
        ...

    def count_up_to(self, text: str, limit: int, /) -> int | None:
        """The number of tokens of a text, if it is at most `limit`. Stops reading soon after the limit is certainly
        exceeded.

        Args:
            text: The text.
            limit: The largest number of tokens of interest.

        Returns:
            The number of tokens; None if it is above `limit`.
        """
        ...

    def appending_encoder(self) -> AppendingCounter[Any]:
        """Return a counter of an empty text that grows to the right."""
        ...

    def prepending_encoder(self) -> PrependingCounter:
        """Return a counter of an empty text that grows to the left."""
        ...


class SupportsEncode(Protocol):
    """Protocol of a tokenizer of another package: of tokenizers, transformers, tiktoken or sentencepiece, say."""

    def encode(self, text: str, /) -> object:
        """The tokens of a text.

        Args:
            text: The text.

        Returns:
            A list of tokens, or for `tokenizers` its `Encoding`.
        """
        ...


AnyTokenizer = str | os.PathLike[str] | TokenCounter | SupportsEncode | Callable[[str], object]
"""All that `chunker.counting.resolve_tokenizer` takes, and so every `tokenizer` of a chunker."""
