"""The prices of texts, each counted once, and their safe splits.

    "Who won the match in Oslo?"        head "Who"   inner: tokens of " won the match in"   tail " Oslo?"
    "match"                             head "match"                                        no tail

A safe split is an offset at which counts add up, whatever text comes before and after: our tokenizers have them under
every named grammar (`bpe_engine.text.safe_splits`), those of Hugging Face if their configuration shows it
(`chunker.counting`). A tokenizer of which nothing is known has none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from bpe_engine import Pattern, Tokenizer
from bpe_engine.text.safe_splits import first_safe_split, has_safe_splits, last_safe_split
from chunker.counting import TokenCounter
from chunker.prompt.chat import Break, Part
from chunker.prompt.kept_counts import LongRuns

# Finds the first or the last safe split of a text: an offset in characters, None for none.
Cut = Callable[[str], int | None]

# Characters near an end that are searched for a safe split before the whole text is.
_NEAR = 200
# Counts are kept for texts of so many characters in all, for each tokenizer.
_KEPT_CHARACTERS = 1 << 24


class Priced(NamedTuple):
    """A text divided at its first and last safe split. Without a safe split, `tail` is None, `head` is the whole text and `inner` is 0."""

    text: str
    head: str
    inner: int
    tail: str | None
    tokens: int  # the tokens of the text alone

    def start(self, length: int) -> str:
        """Return up to `length` characters at the start of the text, none of them after the first safe split."""
        return self.head[:length]

    def end(self, length: int) -> str:
        """Return up to `length` characters at the end of the text, none of them before the last safe split."""
        return (self.head if self.tail is None else self.tail)[-length:]


class Pricer:
    """Counts texts with one tokenizer, each only once; `known` stores the counted texts."""

    def __init__(self, tokenizer: TokenCounter, known: dict[str, Priced] | None = None) -> None:
        self._first, self._last = _cuts_of(tokenizer) or (_nowhere, _nowhere)
        self._known: dict[str, Priced] = {} if known is None else known
        self.count = tokenizer.count
        # For long texts of which one is like the next.
        self.count_run = LongRuns(tokenizer).count if isinstance(tokenizer, Tokenizer) else tokenizer.count

    @classmethod
    def remembering(cls, tokenizer: TokenCounter) -> Pricer:
        """Return a pricer that shares its counted texts with all others made this way for the same tokenizer."""
        return cls(tokenizer, _remembered(tokenizer))

    def priced(self, text: str) -> Priced:
        """`text` with its tokens. Linear in the text, the first time."""
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._price(text)
        return known

    def first_cut(self, text: str) -> int | None:
        """The first safe split of a text, in characters."""
        return self._first(text)

    def last_cut(self, text: str) -> int | None:
        """The last safe split of a text, in characters."""
        return self._last(text)

    def cuts_within(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """The first and the last safe split of `text[start:end]`, as offsets in `text`. Looks near the two ends first."""
        near = min(end, start + _NEAR)
        first = self._first(text[start:near])
        if first is None and near < end:
            near = end
            first = self._first(text[start:near])
        if first is None:
            return None
        near = max(start, end - _NEAR)
        last = self._last(text[near:end])
        if last is None and near > start:
            near = start
            last = self._last(text[near:end])
        return start + first, start + first if last is None else near + last

    def of_parts(self, parts: Iterable[Part]) -> Priced:
        """Return the text made of `parts`; the texts before and after a break are counted separately."""
        pieces: list[Priced] = []
        run = ""
        for part in parts:
            if isinstance(part, Break):
                if run:
                    pieces.append(self._price(run))
                pieces.append(Priced(part.text, "", part.tokens, "", part.tokens))
                run = ""
            else:
                run += part
        if run:
            pieces.append(self._price(run))
        return self.joined(pieces)

    def joined(self, pieces: Sequence[Priced]) -> Priced:
        """The concatenation of priced texts."""
        if len(pieces) == 1:
            return pieces[0]
        head: str | None = None
        inner, run = 0, ""
        for piece in pieces:
            run += piece.head
            if piece.tail is not None:
                if head is None:
                    head = run
                else:
                    inner += self.count(run) if run else 0
                inner += piece.inner
                run = piece.tail
        text = "".join(piece.text for piece in pieces)
        if head is None:
            return Priced(text, run, 0, None, self.count(run) if run else 0)
        ends = (self.count(head) if head else 0) + (self.count(run) if run else 0)
        return Priced(text, head, inner, run, inner + ends)

    def _price(self, text: str) -> Priced:
        count = self.count
        first = self._first(text)
        if first is None:
            return Priced(text, text, 0, None, count(text))
        last = self._last(text) or first
        tokens = count(text)
        head, tail = text[:first], text[last:]
        return Priced(text, head, tokens - count(head) - count(tail), tail, tokens)


def _cuts_of(tokenizer: TokenCounter) -> tuple[Cut, Cut] | None:
    """Return the functions that find the first and the last safe split; None if nothing is known of the tokenizer."""
    if isinstance(tokenizer, Tokenizer):
        return (first_safe_split, last_safe_split) if has_safe_splits(_pattern_of(tokenizer)) else None
    cuts = getattr(tokenizer, "cuts", None)
    if cuts is None:
        return None
    return _Found(cuts.first), _Found(cuts.last)


def _pattern_of(tokenizer: Tokenizer) -> Pattern | None:
    """The pattern of a tokenizer that is a vocabulary alone; None for a pipeline."""
    return tokenizer.vocabulary.pattern if tokenizer.specification is None else None


class _Found:
    """A search that returns 0 if it finds nothing. Can be pickled."""

    def __init__(self, find: Callable[[str], int]) -> None:
        self._find = find

    def __call__(self, text: str) -> int | None:
        return (self._find(text) if text else 0) or None


def _nowhere(_text: str) -> None:
    return None


class _Remembered(dict[str, Priced]):
    """Priced texts of up to `_KEPT_CHARACTERS` in all; the oldest leave."""

    def __init__(self) -> None:
        super().__init__()
        self._characters = 0
        self._lock = Lock()

    def __setitem__(self, text: str, priced: Priced) -> None:
        if len(text) > _KEPT_CHARACTERS:
            return
        with self._lock:
            if text not in self:
                self._characters += len(text)
            super().__setitem__(text, priced)
            while self._characters > _KEPT_CHARACTERS:
                oldest = next(iter(self))
                self._characters -= len(oldest)
                del self[oldest]


_ALL_REMEMBERED: WeakKeyDictionary[Any, _Remembered] = WeakKeyDictionary()


def forget(tokenizer: TokenCounter) -> None:
    """Forget the counted texts of a tokenizer, for benchmarks."""
    _ALL_REMEMBERED.pop(tokenizer, None)


def _remembered(tokenizer: TokenCounter) -> dict[str, Priced]:
    """The known prices of texts that this tokenizer has counted; none for one that cannot be a key."""
    try:
        return _ALL_REMEMBERED.setdefault(tokenizer, _Remembered())
    except TypeError:  # it has no hash, or takes no weak reference
        return {}
