"""Count slices in cases that the compiled core does not handle: lone surrogates, and text next to characters without a
token.
"""

from __future__ import annotations

from array import array
from typing import Protocol

from bpe_engine.encoders import IntervalEncoder
from bpe_engine.text.input import byte_places, received, require_int, source_places


class Counts(Protocol):
    """Protocol for the methods of an engine that slices use."""

    def count(self, text: str | bytes, /) -> int: ...  # noqa: D102
    def interval_encoder(self, text: str | bytes, /) -> IntervalEncoder: ...  # noqa: D102


class CountedSlices(IntervalEncoder):
    """Counts each slice anew, in time proportional to the slice."""

    def __init__(self, engine: Counts, text: str | bytes) -> None:
        self._engine = engine
        self._text = text if isinstance(text, str) else bytes(text)

    def __reduce__(self) -> tuple[type[CountedSlices], tuple[Counts, str | bytes]]:
        return type(self), (self._engine, self._text)

    def __len__(self) -> int:
        """The length of the text, in its own unit."""
        return len(self._text)

    def count(self, start: int, end: int) -> int:
        """The number of tokens of text[start:end]. Raises IndexError as `encoders.IntervalEncoder`."""
        check_slice(start, end, len(self._text))
        return self._engine.count(self._text[start:end])


class SurrogateSlices(CountedSlices):
    """Counts slices of a str with surrogates by slices of its received text; a slice that splits a surrogate pair is counted anew."""

    def __init__(self, engine: Counts, text: str) -> None:
        super().__init__(engine, text)
        characters = received(text)
        self._offsets = source_offsets(text, characters)
        self._slices = engine.interval_encoder(characters)

    def count(self, start: int, end: int) -> int:
        """The number of tokens of text[start:end]. Raises IndexError as `encoders.IntervalEncoder`."""
        check_slice(start, end, len(self._text))
        first, last = (start, end) if self._offsets is None else (self._offsets[start], self._offsets[end])
        if first < 0 or last < 0:
            return self._engine.count(self._text[start:end])
        return self._slices.count(first, last)


def check_slice(start: int, end: int, length: int) -> None:
    """Raise IndexError unless 0 <= start <= end <= length, TypeError if one of them is not a whole number."""
    require_int(start, "start")
    require_int(end, "end")
    if not 0 <= start <= end <= length:
        raise IndexError(f"no slice [{start}:{end}] in a text of {length}: 0 <= start <= end <= length")


def source_offsets(source: str | bytes, characters: str) -> array[int] | None:
    """Return the offset in `characters` for each offset in `source`, -1 inside of a character; None if the offsets are equal.

    >>> list(source_offsets("aé".encode(), "aé")), source_offsets("aé", "aé")
    ([0, 1, -1, 2], None)
    """
    if len(source) == len(characters):
        return None
    starts = source_places(source, characters) if isinstance(source, str) else byte_places(characters)
    places = array("q", [-1]) * (len(source) + 1)
    for place, start in enumerate(starts):
        places[start] = place
    return places
