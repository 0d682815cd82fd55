"""Counters over functions that can only count: any function, a tokenizer's `encode`, and characters, bytes and words by
name.

TextChunker(1000, tokenizer="characters")
TextChunker(512, tokenizer=lambda text: len(model.tokenize(text)))
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sized

from chunker.counting.growing_tails import Count, SettledCuts, TailAppender, TailPrepender
from chunker.errors import OptionError

# The number of characters that are read at a time per token of a limit: an average token has 3 to 5.
_STRIDE = 16
# Nothing is known about how more text changes the count of a function. A prefix with more than `_FALL` times the limit
# plus `_SPARE` tokens is taken as proof that the whole text exceeds the limit; otherwise one count could read ten
# megabytes for every chunk. A wrong guess makes a chunk shorter than it could be, never longer.
_FALL = 2
_SPARE = 256


class RecountingCounter:
    """A counter over any function `count`; each answer of a growing counter reads its text again.

    `count` may be any function: one more character may lower the count by a lot, and a part may have more tokens than
    the whole. Chunks keep to the budget all the same, because the exact text of each chunk is counted. Only the time
    suffers: a chunk of n units is read n times.

    Args:
        count: The number of tokens of a text.
    """

    reserve = 0
    cuts: SettledCuts | None = None  # the safe splits of its texts; None if they are not known

    def __init__(self, count: Count) -> None:
        self._count = count

    def count(self, text: str, /) -> int:
        """The number of tokens of a text.

        Args:
            text: The text.

        Returns:
            What the function that was given counts, in tokens or its own unit.
        """
        return self._count(text)

    def count_up_to(self, text: str, limit: int, /) -> int | None:
        """The number of tokens of a text, if it is at most `limit`.

        Reads at most about twice the text of `limit` tokens: a prefix of more than 2 x limit + 256 tokens is taken as
        proof that the text exceeds the limit.

        Args:
            text: The text.
            limit: The largest number of tokens of interest.

        Returns:
            The number of tokens; None if it is above `limit`.
        """
        end = max(limit, _SPARE) * _STRIDE
        while end < len(text):
            if self._count(text[:end]) > _FALL * limit + _SPARE:
                return None
            end *= 2
        count = self._count(text)
        return count if count <= limit else None

    def appending_encoder(self) -> TailAppender:
        """Return a counter over an empty text that grows at the end."""
        return TailAppender(self._count, self.cuts)

    def prepending_encoder(self) -> TailPrepender:
        """Return a counter over an empty text that grows at the start."""
        return TailPrepender(self._count, self.cuts)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._count!r})"


class SettlingCounter(RecountingCounter):
    """A counter for a tokenizer with safe splits: a growing text is read about once.

    Args:
        count: The number of tokens of a text.
        cuts: The offsets where the counts of both sides add up.
    """

    def __init__(self, count: Count, cuts: SettledCuts) -> None:
        super().__init__(count)
        self.cuts = cuts

    def count_up_to(self, text: str, limit: int, /) -> int | None:
        """The number of tokens of a text, if it is at most `limit`. Stops reading once more tokens than that are
        settled.

        Args:
            text: The text.
            limit: The largest number of tokens of interest.

        Returns:
            The number of tokens; None if it is above `limit`.
        """
        encoder = self.appending_encoder()
        stride = max(limit, 16) * _STRIDE
        at = 0
        while at < len(text):
            encoder.append(text[at : at + stride])
            if encoder.settled > limit:
                return None
            at += stride
            # As long as nothing is settled, the open end is searched again and again: read more at a time.
            stride *= 2
        return encoder.count if encoder.count <= limit else None


class Measured:
    """Turns the result of a user's function into a count: a number, or the length of a sized object, such as a list of
    tokens.
    """

    def __init__(self, function: Callable[[str], object]) -> None:
        self.function = function

    def __call__(self, text: str) -> int:
        """Return the number of tokens. Raises `OptionError` if the function returned neither a number nor a sized
        object.
        """
        answer = self.function(text)
        # The tokenizers of transformers return a mapping when called: its length is the number of its keys, not of
        # tokens.
        if isinstance(answer, Sized) and not isinstance(answer, str | bytes | Mapping):
            return len(answer)
        try:
            number = operator.index(answer)  # type: ignore[arg-type]  # whether it is an integer is what is asked here
        except TypeError:
            number = -1
        if number < 0 or isinstance(answer, bool):
            raise OptionError(
                f"tokenizer must return the number of tokens or a list of them; {self.function!r} returned {answer!r:.100}"
            )
        return number

    def __repr__(self) -> str:
        return repr(self.function)


class _Anywhere:
    """Safe splits for units that are counted character by character: everywhere."""

    def last(self, text: str) -> int:
        return len(text)

    def first(self, text: str) -> int:
        return min(1, len(text) - 1)

    def shortened(self, tail: str) -> str:
        return tail


class _AtSpaces:
    """Safe splits for words: on either side of white space."""

    def last(self, text: str) -> int:
        if text[-1:].isspace():
            return len(text)
        words = text.rsplit(None, 1)
        return len(text) - len(words[1]) if len(words) > 1 else 0

    def first(self, text: str) -> int:
        if text[:1].isspace():
            return min(1, len(text) - 1)
        word = len(text.split(None, 1)[0])
        return word if word < len(text) else 0

    def shortened(self, tail: str) -> str:
        # The open end is at most one word, with white space before it; however long, it counts as one.
        return tail[-1:]


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _words(text: str) -> int:
    return len(text.split())


class UnitCounter(SettlingCounter):
    """A counter of units of text in place of tokens.

    Args:
        unit: "characters" (code points), "bytes" (of UTF-8), or "words" (between white space).

    Examples:
        >>> [UnitCounter(unit).count("naïve  café") for unit in UNITS]
        [13, 11, 2]
    """

    def __init__(self, unit: str) -> None:
        super().__init__(*UNITS[unit])
        self.unit = unit
        # The compiled core counts these two units by offsets alone.
        self._length_in = unit if unit in {"bytes", "characters"} else None

    def count_up_to(self, text: str, limit: int, /) -> int | None:
        """The number of units of a text, if it is at most `limit`.

        Args:
            text: The text.
            limit: The largest number of interest.

        Returns:
            The number; None if it is above `limit`.
        """
        if self._length_in is None:
            return super().count_up_to(text, limit)
        # A character has at least one byte.
        count = self.count(text) if len(text) <= limit else limit + 1
        return count if count <= limit else None

    def __reduce__(self) -> tuple[type[UnitCounter], tuple[str]]:
        return type(self), (self.unit,)

    def __eq__(self, other: object) -> bool:
        return self.unit == other.unit if isinstance(other, UnitCounter) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.unit)

    def __repr__(self) -> str:
        return f"UnitCounter({self.unit!r})"


UNITS: dict[str, tuple[Count, SettledCuts]] = {
    "bytes": (_bytes, _Anywhere()),
    "characters": (len, _Anywhere()),
    "words": (_words, _AtSpaces()),
}
