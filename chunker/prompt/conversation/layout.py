"""The explicit tokens in a rendered text: special tokens that the template writes, and pinned ids.

    <|im_start|>assistant\\nHel|lo|<|im_end|>\\n
    special              pinned   special

What stands between them is encoded as plain text. A text is read on from the end of a special token: what stands before it has no say in what is
found after it.
"""

# A copy is of this class.
# ruff: noqa: SLF001

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from bpe_engine import Tokenizer
from bpe_engine.pipeline.normalizers import Prepend, Strip
from bpe_engine.special_tokens import Part
from chunker.prompt.conversation.pins import Pin

# A special token may begin this many lengths of the longest one before a difference and still depend on it: where longer ones win, by a chain of them.
_CHAIN = 4


class Sliced(Protocol):
    """A text, as far as it is asked here."""

    def part(self, start: int, end: int | None = None) -> str: ...  # noqa: D102


class Tail(NamedTuple):
    """The parts that an encoder appends from `start` (characters) on; `ends`: of the special tokens in it, from which a text can be read on; `text`: all
    of it.
    """

    start: int
    parts: list[Part]
    ends: list[int]
    text: str


class Layout:
    """The ends of the special tokens of a text: places from which it can be read on."""

    __slots__ = ("_ends", "_has_special", "_reads_on", "_tokenizer", "ahead")

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        longest = max(map(len, tokenizer.special_tokens_set), default=0)
        self.ahead = _CHAIN * longest + 1
        self._has_special = longest > 0
        specification = tokenizer.specification
        # Text before a token decides whether it is a word by itself; and to normalizers that act where a text begins, text after a token that they see is not
        # the start of one.
        added, normalizers = (
            ((), ()) if specification is None else (specification.added_tokens, specification.normalizers)
        )
        acts = any(isinstance(step, Prepend | Strip) for step in normalizers)
        self._reads_on = not any(
            token.special and (token.single_word or (token.normalized and acts)) for token in added
        )
        self._ends = array("I")  # a rendered text is below 4 GB (limits.LONGEST)

    def copy(self) -> Layout:
        """Another one, to be changed by itself."""
        made = Layout.__new__(Layout)
        made._tokenizer, made.ahead = self._tokenizer, self.ahead
        made._has_special, made._reads_on = self._has_special, self._reads_on
        made._ends = self._ends[:]
        return made

    def tail(self, text: Sliced, told: Sliced, same: int, pins: Sequence[Pin]) -> Tail:
        """The difference to a text whose first `same` characters, special tokens and pins stay.

        Args:
            text: The rendered text.
            told: The same, with all special tokens broken that the template does not write (spelled.py).
            same: Characters that the text of before begins with as well.
            pins: The pins of the whole text, in order.
        """
        number = bisect_right(self._ends, same - self.ahead) if self._reads_on and same >= self.ahead else 0
        start = self._ends[number - 1] if number else 0
        if not self._has_special:  # Nothing is found, wherever it is read on; but a pin is of one piece.
            start = min([same, *(pin.start for pin in pins[bisect_right(pins, same, key=_end) :][:1])])
        parts: list[Part] = []
        ends: list[int] = []
        place = 0
        rest = text.part(start)
        broken = rest if told is text else told.part(start)
        found: Iterable[tuple[int, int, int | Pin]] = self._tokenizer.find_special(broken, "all")
        if behind := pins[bisect_right(pins, start, key=_end) :]:
            found = self._merged(broken, start, found, behind)
        for first, last, token in found:
            if isinstance(token, Pin):
                parts += token.parts(rest[place:first])
            else:
                parts.append(Part(rest[place:first], token, rest[first:last]))
                ends.append(start + last)
            place = last
        parts.append(Part(rest[place:], None, b""))
        return Tail(start, parts, ends, rest)

    def outside(self, told: Sliced, pin: Pin) -> Pin | None:
        """The part of a pin that does not begin or end inside a special token that the template writes."""
        start, end = max(0, pin.start - self.ahead), pin.end + self.ahead
        part = told.part(start, end)
        special = self._tokenizer.find_special(part, "all")
        return pin.outside([(start + first, start + first + len(part[first:last].strip()), token) for first, last, token in special])  # fmt: skip

    def keep(self, tail: Tail) -> None:
        """The text has this tail now."""
        del self._ends[bisect_right(self._ends, tail.start) :]
        self._ends.extend(tail.ends)

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
