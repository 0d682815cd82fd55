"""What a chunker needs of a tokenizer.

`bpe_engine.Tokenizer` is one; whatever else has these methods, with these meanings, will do. Not here: adapters for tokenizers of
other packages, which can neither append nor stop early by themselves.
"""

from __future__ import annotations

import functools
from typing import Any, Protocol, TypeVar

from bpe_engine import Tokenizer
from chunker.errors import OptionError

Mark = TypeVar("Mark")

_METHODS = ("appending_encoder", "count", "count_up_to", "prepending_encoder")


class AppendingCounter(Protocol[Mark]):
    """Counts a text that grows to the right. `count` is that of a fresh count of the whole text, after every call."""

    @property
    def count(self) -> int:
        """Tokens of the text appended so far. O(1)."""
        ...

    def append(self, text: str, /) -> None:
        """Put `text` behind what is there. Linear in `text`."""
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
        """Tokens of the text prepended so far. O(1)."""
        ...

    def prepend(self, text: str, /) -> None:
        """Put `text` before what is there. Linear in `text`."""
        ...


class TokenCounter(Protocol):
    """A tokenizer, as far as a chunker is concerned. Immutable, and shared by threads."""

    def count(self, text: str, /) -> int:
        """Tokens of `text`; special tokens that stand in it are plain text."""
        ...

    def count_up_to(self, text: str, limit: int, /) -> int | None:
        """Tokens of `text`, None if they are more than `limit`; stops reading soon after the limit."""
        ...

    def appending_encoder(self) -> AppendingCounter[Any]:
        """A counter over an empty text, to be appended to."""
        ...

    def prepending_encoder(self) -> PrependingCounter:
        """A counter over an empty text, to be prepended to."""
        ...


def resolve_tokenizer(tokenizer: str | TokenCounter) -> TokenCounter:
    """The tokenizer itself, or the one that is published under this encoding or model name.

    Raises what `bpe_engine.Tokenizer.load` raises for a name it does not know, and `OptionError` for what is neither.
    """
    if isinstance(tokenizer, str):
        return _load(tokenizer)
    missing = [name for name in _METHODS if not hasattr(tokenizer, name)]
    if missing:
        raise OptionError(
            "tokenizer must be the name of an encoding or model, or an object like bpe_engine.Tokenizer; "
            f"got {type(tokenizer).__name__}, which has no {', '.join(missing)}"
        )
    return tokenizer


@functools.cache
def _load(name: str) -> Tokenizer:
    """The tokenizer of this name, one for all chunkers: it is immutable, and to build one takes longer than to chunk a small file."""
    return Tokenizer.load(name)
