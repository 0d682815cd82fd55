"""Work counted, not timed: the lines of Python that run in the package, and the characters that a counter is given to read.

A count is the same on each machine and in each run, so that growth can be told from a few thousand characters.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import chunker
from bpe_engine import Tokenizer

_PACKAGE = str(Path(chunker.__file__).parent)


class Ledger:
    """What has been done so far: `lines` of the package run, `characters` handed to a counter or an encoder, `calls` of them."""

    def __init__(self) -> None:
        self.lines = 0
        self.characters = 0
        self.calls = 0

    @property
    def total(self) -> int:
        """All of it in one figure."""
        return self.lines + self.characters + self.calls

    def read(self, text: str) -> str:
        """Note that a counter reads `text`."""
        self.calls += 1
        self.characters += len(text)
        return text


class _Encoder:
    """An appending or prepending encoder that notes what it reads."""

    def __init__(self, encoder: Any, ledger: Ledger) -> None:
        self._encoder = encoder
        self._ledger = ledger
        self.snapshot = encoder.snapshot
        self.rollback = encoder.rollback

    @property
    def count(self) -> int:
        count: int = self._encoder.count
        return count

    def append(self, text: str) -> None:
        self._encoder.append(self._ledger.read(text))

    def prepend(self, text: str) -> None:
        self._encoder.prepend(self._ledger.read(text))


class _Slices:
    """An interval encoder that notes how often it is asked: what an answer costs is its own affair."""

    def __init__(self, encoder: Any, ledger: Ledger) -> None:
        self._encoder = encoder
        self._ledger = ledger

    def count(self, start: int, end: int) -> int:
        self._ledger.calls += 1
        count: int = self._encoder.count(start, end)
        return count


class Noting:
    """A tokenizer that notes in a ledger what it is given to read."""

    def __init__(self, tokenizer: Tokenizer, ledger: Ledger) -> None:
        self._tokenizer = tokenizer
        self._ledger = ledger

    def count(self, text: str) -> int:
        """See `Tokenizer.count`."""
        return self._tokenizer.count(self._ledger.read(text))

    def count_up_to(self, text: str, limit: int) -> int | None:
        """See `Tokenizer.count_up_to`."""
        return self._tokenizer.count_up_to(self._ledger.read(text), limit)

    def appending_encoder(self) -> _Encoder:
        """See `Tokenizer.appending_encoder`."""
        return _Encoder(self._tokenizer.appending_encoder(), self._ledger)

    def prepending_encoder(self) -> _Encoder:
        """See `Tokenizer.prepending_encoder`."""
        return _Encoder(self._tokenizer.prepending_encoder(), self._ledger)


class NotingSlices(Noting):
    """The same for one that prices slices."""

    def interval_encoder(self, text: str) -> _Slices:
        """See `Tokenizer.interval_encoder`."""
        return _Slices(self._tokenizer.interval_encoder(self._ledger.read(text)), self._ledger)


def work_of(ledger: Ledger, call: Callable[[], object]) -> int:
    """What `call` does, where what it counts with notes in `ledger`."""
    before = ledger.total

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if event == "call":
            return trace if frame.f_code.co_filename.startswith(_PACKAGE) else None
        ledger.lines += event == "line"
        return trace

    known = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(known)
    return ledger.total - before
