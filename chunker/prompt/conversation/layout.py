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
from collections.abc import Sequence
from typing import NamedTuple

from bpe_engine import Tokenizer
from bpe_engine.special_tokens import Part
from chunker.prompt.conversation.pins import Pin

# A special token may begin this many lengths of the longest one before a difference and still depend on it: where longer ones win, by a chain of them.
_CHAIN = 4


class Tail(NamedTuple):
    """The parts that an encoder appends from `start` (characters) on; `ends`: of the special tokens in it, from which a text can be read on."""

    start: int
    parts: list[Part]
    ends: list[int]


class Layout:
    """The ends of the special tokens of a text: places from which it can be read on."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        longest = max(map(len, tokenizer.special_tokens_set), default=0)
        self.ahead = _CHAIN * longest + 1
        specification = tokenizer.specification
        # Text before a token decides whether it is a word by itself; and after a normalizer, lengths are those of another text.
        added = () if specification is None else specification.added_tokens
        self._reads_on = not any(token.special and token.single_word for token in added)
        self._ends = array("Q")

    def copy(self) -> Layout:
        """Another one, to be changed by itself."""
        made = Layout.__new__(Layout)
        made._tokenizer, made.ahead, made._reads_on = self._tokenizer, self.ahead, self._reads_on
        made._ends = self._ends[:]
        return made

    def tail(self, text: str, told: str, same: int, pins: Sequence[Pin]) -> Tail:
        """The difference to a text whose first `same` characters, special tokens and pins stay.

        Args:
            text: The rendered text.
            told: The same, with all special tokens broken that the template does not write (spelled.py).
            same: Characters that the text of before begins with as well.
            pins: The pins of the whole text, in order.
        """
        number = bisect_right(self._ends, same - self.ahead) if self._reads_on and same >= self.ahead else 0
        start = self._ends[number - 1] if number else 0
        parts: list[Part] = []
        ends: list[int] = []
        place = start
        behind = [pin for pin in pins if pin.end > start]
        special = [(start + first, start + last, token) for first, last, token in self._tokenizer.find_special(told[start:], "all")]  # fmt: skip
        for first, last, token in self._merged(told, special, behind):
            if isinstance(token, Pin):
                parts += token.parts(text[place:first])
            else:
                parts.append(Part(text[place:first], token, text[first:last].encode()))
                ends.append(last)
            place = last
        parts.append(Part(text[place:], None, b""))
        return Tail(start, parts, ends)

    def outside(self, told: str, pin: Pin) -> Pin | None:
        """The part of a pin that does not begin or end inside a special token that the template writes."""
        start, end = max(0, pin.start - self.ahead), pin.end + self.ahead
        special = [(start + first, start + last, token) for first, last, token in self._tokenizer.find_special(told[start:end], "all")]  # fmt: skip
        return pin.outside([(first, first + len(told[first:last].strip()), token) for first, last, token in special])

    def keep(self, tail: Tail) -> None:
        """The text has this tail now."""
        del self._ends[bisect_right(self._ends, tail.start) :]
        self._ends.extend(tail.ends)

    def _merged(
        self, told: str, special: Sequence[tuple[int, int, int]], pins: Sequence[Pin]
    ) -> list[tuple[int, int, int | Pin]]:
        """Special tokens and pins in the order of the text. A special token takes no white space of a pin, and in a pin there is none beside its ids."""
        made: list[tuple[int, int, int | Pin]] = []
        number = 0
        for first, last, token in special:
            while number < len(pins) and pins[number].end <= first:
                made.append((pins[number].start, pins[number].end, pins[number]))
                number += 1
            if number == len(pins) or pins[number].start >= last:
                made.append((first, last, token))
            elif told[first : pins[number].start].strip() in self._tokenizer.special_tokens_set:
                made.append((first, pins[number].start, token))
        return made + [(pin.start, pin.end, pin) for pin in pins[number:]]
