"""Pinned ids: ids that a model sampled stay as they are, even if encoding their text would give other ids.

    sampled      [" Hel", "lo", "<|im_end|>"]      pinned, and its text stands in the rendered conversation
    canonical    [" Hello", "<|im_end|>"]          drift: 2 ids where 1 is canonical

A pin lasts while its text stands in the conversation. A template that takes the reasoning out of an answer leaves the
end of it: those ids stay.
"""

# A part of a pin is of this class.
# ruff: noqa: SLF001

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from bpe_engine import Tokenizer
from bpe_engine.special_tokens import Part


class Drift(NamedTuple):
    """Pinned ids that differ from those of their text.

    Attributes:
        first: The index of the first of them in the conversation.
        ids: The pinned ids.
        canonical: The ids of encoding the text again.
        start: The start of the text, in characters.
        end: Its end.
    """

    first: int
    ids: tuple[int, ...]
    canonical: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Pin:
    """Ids pinned to a span of the text.

    `start`, `end`: the span, in characters; `message`: the number of its message; `ends`: bytes from the start of the
    pin to the end of each id.
    """

    start: int
    end: int
    message: int
    ids: array[int]
    ends: array[int]
    data: bytes

    @classmethod
    def of(cls, tokenizer: Tokenizer, ids: Sequence[int], start: int, message: int) -> Pin:
        """A pin. Raises UnknownTokenError."""
        parts = tokenizer.decode_tokens_bytes(ids)
        data = b"".join(parts)
        characters = len(data.decode("utf-8", "replace"))
        return cls(start, start + characters, message, array("I", ids), array("Q", accumulate(map(len, parts))), data)

    def parts(self, before: str) -> list[Part]:
        """The parts that an encoder appends: the text before, and each id as such."""
        made = []
        place = 0
        for number, token in enumerate(self.ids):
            end = self.ends[number]
            made.append(Part(before if number == 0 else "", token, self.data[place:end]))
            place = end
        return made

    def cut(self, first: int, last: int, start: int) -> Pin:
        """Return a pin of the ids from `first` up to `last`, at the offset `start` of the text."""
        begin = self.ends[first - 1] if first else 0
        data = self.data[begin : self.ends[last - 1]]
        ends = array("Q", (end - begin for end in self.ends[first:last]))
        return Pin(start, start + len(data.decode("utf-8", "replace")), self.message, self.ids[first:last], ends, data)

    def beginning(self, there: str) -> Pin | None:
        """Return the longest beginning of the pin, in whole ids and characters, with which `there` starts.

        `there`: the text from the start of the pin on. None if it has no id.
        """
        same = _common(self.data, there.encode())
        last = sum(1 for end in self.ends if end <= same)
        while last and not _is_whole(self.data[: self.ends[last - 1]]):
            last -= 1
        return self.cut(0, last, self.start) if last else None

    def ending(self, there: str, start: int) -> Pin | None:
        """Return the longest end of the pin, in whole ids and characters, that occurs in `there`, which starts at offset
        `start` of the text; its last occurrence. None if there is none.
        """
        region = there.encode()
        best: tuple[int, int] | None = None
        tail = self.data[self.ends[-2] if len(self.ends) > 1 else 0 :]
        place = region.rfind(tail) if tail else -1
        while place >= 0:
            stop = place + len(tail)
            same = _common(self.data[::-1], region[:stop][::-1])
            if best is None or same > best[0]:
                best = same, stop
            place = region.rfind(tail, 0, stop - 1)
        if best is None:
            return None
        same, stop = best
        first = next(
            (
                number
                for number in range(len(self.ids))
                if len(self.data) - self._begin(number) <= same and _is_whole(self.data[self._begin(number) :])
            ),
            None,
        )
        if first is None:
            return None
        begin = stop - (len(self.data) - self._begin(first))
        if not _is_whole(region[:begin]):
            return None
        return self.cut(first, len(self.ids), start + len(region[:begin].decode()))

    def outside(self, special: Sequence[tuple[int, int, int]]) -> Pin | None:
        """Return the part of the pin whose ends are not inside special tokens (start, end and id each) of the text; None if no id is left."""
        pin: Pin | None = self
        for start, end, _ in special:
            if pin is not None and start < pin.start < end:
                pin = pin._between(end, pin.end)
            if pin is not None and start < pin.end < end:
                pin = pin._between(pin.start, start)
        return pin

    def _between(self, start: int, end: int) -> Pin | None:
        """The whole ids and characters of it from `start` up to `end`."""
        text = self.data.decode("utf-8", "replace")
        first_byte, last_byte = len(text[: start - self.start].encode()), len(text[: end - self.start].encode())
        whole = [0, *(number + 1 for number, stop in enumerate(self.ends) if _is_start(self.data, stop))]
        bounds = [number for number in whole if first_byte <= (self.ends[number - 1] if number else 0) <= last_byte]
        if len(bounds) < 2:  # a start and an end
            return None
        before = self.data[: self._begin(bounds[0])].decode("utf-8", "replace")
        return self.cut(bounds[0], bounds[-1], self.start + len(before))

    def _begin(self, number: int) -> int:
        return self.ends[number - 1] if number else 0


def _common(one: bytes, other: bytes) -> int:
    """The length of the common prefix, in bytes.

    >>> _common(b"abc", b"abd")
    2
    """
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _is_start(data: bytes, place: int) -> bool:
    """Whether a character begins at this offset, or the bytes end there.

    >>> _is_start("aä".encode(), 1), _is_start("aä".encode(), 2)
    (True, False)
    """
    return place == len(data) or data[place] & 0xC0 != 0x80


def _is_whole(data: bytes) -> bool:
    """Whether bytes are whole characters.

    >>> _is_whole("ä".encode()), _is_whole("ä".encode()[:1])
    (True, False)
    """
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
