"""The explicit tokens in a rendered text: special tokens that the template writes, and pinned ids.

    <|im_start|>assistant\\nHel|lo|<|im_end|>\\n
    special              pinned   special

The text between them is encoded as plain text. Reading can resume at an offset that no special token spans: the text
before it does not affect what is found after it. Such offsets are the ends of special tokens, and one in each thousand
characters of plain text.
"""

# A copy is of this class.
# ruff: noqa: SLF001

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from bpe_engine import Tokenizer
from bpe_engine.pipeline.normalizers import Prepend, Strip
from bpe_engine.special_tokens import Part
from chunker.prompt.conversation.pins import Pin

# A special token may begin this many lengths of the longest one before a difference and still depend on it: where
# longer ones win, by a chain of them.
_CHAIN = 4
# Characters of plain text between two offsets at which reading can resume.
_APART = 1024


class Sliced(Protocol):
    """Protocol of a text, as far as it is used here."""

    def part(self, start: int, end: int | None = None) -> str: ...  # noqa: D102


class Tail(NamedTuple):
    """The parts that an encoder appends from `start` (characters) on.

    `places`: the offsets after `start` at which reading can resume; `text`: the text from `start` on.
    """

    start: int
    parts: list[Part]
    places: list[int]
    text: str


class Layout:
    """The offsets of a text at which reading can resume."""

    __slots__ = ("_has_special", "_places", "_plain", "_single", "_tokenizer", "ahead")

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        longest = max(map(len, tokenizer.special_tokens_set), default=0)
        self.ahead = _CHAIN * longest + 1
        self._has_special = longest > 0
        specification = tokenizer.specification
        added = () if specification is None else specification.added_tokens
        special = [token for token in added if token.special]
        # A token that is a word by itself looks at the character before it: that is found where no token begins. Others
        # take white space on both sides along.
        is_single = any(token.single_word for token in special)
        firsts = "".join(sorted({text[0] for text in tokenizer.special_tokens_set if text})) if is_single else ""
        takes_space = any(token.lstrip or token.rstrip for token in special)
        other = ("\\s" if takes_space else "") + re.escape(firsts)
        self._single = re.compile(f"[^{re.escape(firsts)}]") if is_single else None
        self._plain: re.Pattern[str] | None = re.compile(
            ("(?<!\\s)" if takes_space else "") + (f"[^{other}]" if other else "(?s:.)")
        )
        # Of what a normalizer writes nobody knows where it stands in the text; and to one that acts where a text
        # begins, text after a token that it sees is not the start of one.
        normalizers = () if specification is None else specification.normalizers
        if normalizers and any(token.normalized for token in special):
            acts = any(isinstance(step, Prepend | Strip) for step in normalizers)
            self._plain = None
            self._single = re.compile("(?!)") if is_single or acts else None
        self._places = array("I")  # a rendered text is below 4 GB (limits.LONGEST)

    def copy(self) -> Layout:
        """Return an independent copy."""
        made = Layout.__new__(Layout)
        made._tokenizer, made.ahead, made._has_special = self._tokenizer, self.ahead, self._has_special
        made._plain, made._single = self._plain, self._single
        made._places = self._places[:]
        return made

    def tail(self, text: Sliced, told: Sliced, same: int, pins: Sequence[Pin]) -> Tail:
        """The difference to a text whose first `same` characters, special tokens and pins stay.

        Args:
            text: The rendered text.
            told: The same, with all special tokens broken that the template does not write (spelled.py).
            same: Characters that the text of before begins with as well.
            pins: The pins of the whole text, in order.
        """
        number = bisect_right(self._places, same - self.ahead) if same >= self.ahead else 0
        start = self._places[number - 1] if number else 0
        if not self._has_special:  # Nothing is found, wherever it is read on; but a pin is of one piece.
            start = min([same, *(pin.start for pin in pins[bisect_right(pins, same, key=_end) :][:1])])
        parts: list[Part] = []
        places: list[int] = []
        place = 0
        rest = text.part(start)
        broken = rest if told is text else told.part(start)
        found: Iterable[tuple[int, int, int | Pin]] = self._tokenizer.find_special(broken, "all")
        if later := pins[bisect_right(pins, start, key=_end) :]:
            found = self._merged(broken, start, found, later)
        for first, last, token in found:
            if first - place > _APART:
                places += self._within(broken, place, first, start)
            if isinstance(token, Pin):
                parts += token.parts(rest[place:first])
            else:
                parts.append(Part(rest[place:first], token, rest[first:last]))
                if self._single is None or self._single.match(broken, last):
                    places.append(start + last)
            place = last
        if len(broken) - place > _APART:
            places += self._within(broken, place, len(broken), start)
        parts.append(Part(rest[place:], None, b""))
        return Tail(start, parts, places, rest)

    def _within(self, text: str, first: int, last: int, start: int) -> Iterator[int]:
        """Yield the offsets in the plain text from `first` up to `last` at which reading can resume.

        In characters of the whole text; `text` starts at `start` there.
        """
        while self._plain is not None and last - first > _APART:
            found = self._plain.search(text, first + _APART, last)
            if found is None:
                return
            first = found.start()
            yield start + first

    def outside(self, told: Sliced, pin: Pin) -> Pin | None:
        """The part of a pin that does not begin or end inside a special token that the template writes."""
        start, end = max(0, pin.start - self.ahead), pin.end + self.ahead
        part = told.part(start, end)
        special = self._tokenizer.find_special(part, "all")
        return pin.outside(
            [(start + first, start + first + len(part[first:last].strip()), token) for first, last, token in special]
        )

    def keep(self, tail: Tail) -> None:
        """Replace the offsets after the start of this tail by those of the tail."""
        del self._places[bisect_right(self._places, tail.start) :]
        self._places.extend(tail.places)

    def _merged(
        self, told: str, start: int, special: Iterable[tuple[int, int, int | Pin]], pins: Sequence[Pin]
    ) -> list[tuple[int, int, int | Pin]]:
        """Special tokens and pins in the order of the text, from `start` on. A special token takes no white space of a pin, and in a pin there is none
        beside its ids.
        """
        made: list[tuple[int, int, int | Pin]] = []
        left = [(max(0, pin.start - start), pin.end - start, pin) for pin in reversed(pins)]
        for first, last, token in special:
            while left and left[-1][1] <= first:
                made.append(left.pop())
            if not left or left[-1][0] >= last:
                made.append((first, last, token))
            elif told[first : left[-1][0]].strip() in self._tokenizer.special_tokens_set:
                made.append((first, left[-1][0], token))
        return made + left[::-1]


def _end(pin: Pin) -> int:
    return pin.end
