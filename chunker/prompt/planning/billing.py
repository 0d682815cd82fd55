"""The cost of each request of a conversation: the tokens that the cache has, and its content afterwards.

    request 3   |system|turn 1|turn 2|user 3|        kept: |system|  and  |system|turn 1|turn 2|user 3|
    request 4   |system|turn 1|turn 2|turn 3|user 4|  hit:  |system|turn 1|turn 2|user 3|
    request 4   |system|turn 2|turn 3|user 4|         hit:  |system|          (turn 1 has left)

A turn is a user's part and the answer to it. A prompt is the fixed start, the turns from some first one on, and the new
user's part.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from chunker.arguments import require, whole_number
from chunker.errors import OptionError
from chunker.prompt.planning.cache_rules import CacheRules

MOST = 2**53  # tokens or messages of a turn: above it floats, which prices are, skip whole numbers


@dataclass(frozen=True)
class Exchange:
    """The tokens of a turn.

    Args:
        asked: Tokens of the user's part, with the answers of tools.
        answered: Tokens of the answer.
        seconds: Time since the request before.
        messages: How many messages it has.
        bound: Whether it answers a tool call of the turn before, so that no prompt may begin with it.

    Raises:
        WrongTypeError: A number is none.
        OptionError: It is negative, or too large to be priced.
    """

    asked: int
    answered: int
    seconds: float = 0.0
    messages: int = 2
    bound: bool = False

    def __post_init__(self) -> None:
        for name in ("asked", "answered", "messages"):
            if whole_number(getattr(self, name), name, least=0) > MOST:
                raise OptionError(f"{name} must be a whole number up to {MOST:,}")
        require(self.seconds, (int, float), "seconds", "a number")
        if not self.seconds >= 0:
            raise OptionError(f"seconds must not be negative, got {self.seconds}")


@dataclass(frozen=True)
class RequestBill:
    """The cost of a request.

    Attributes:
        first: The first turn in its prompt.
        tokens: Tokens of the prompt.
        hits: Tokens of these that came from the cache.
        marks: Ends of the cached prefixes, in tokens.
        summarized: Tokens that were summarized before it.
        dollars: The price of all, with the answer.
    """

    first: int
    tokens: int
    hits: int
    marks: tuple[int, ...]
    summarized: int
    dollars: float


class Cache(NamedTuple):
    """The cached prefix of an earlier prompt: its first turn, and the turn that sent it; -1 if at most the `fixed` start is cached."""

    first: int = -1
    last: int = -1
    fixed: bool = False


class Ledger:
    """The costs of the requests of one conversation.

    Args:
        rules: Prices and rules of the provider.
        turns: The turns.
        fixed: Tokens at the start of each prompt.
        summary: Tokens of the summary that replaces dropped turns, or 0.
    """

    def __init__(self, rules: CacheRules, turns: Sequence[Exchange], fixed: int, summary: int = 0) -> None:
        self.rules = rules
        self.turns = turns
        self.fixed = fixed
        self.summary = summary
        self._before = [0, *accumulate(turn.asked + turn.answered for turn in turns)]
        self._messages = [0, *accumulate(turn.messages for turn in turns)]

    def history(self, first: int, number: int) -> int:
        """Tokens of the turns from `first` up to `number`."""
        return self._before[number] - self._before[first]

    def choices(self, number: int, before: int, room: int, keep: int) -> list[int]:
        """Return the turns that a prompt may start with, ascending; empty if the new turn does not fit even alone.

        Args:
            number: The turn that asks.
            before: The first turn of the prompt before.
            room: Tokens that a prompt may have.
            keep: Tokens of the latest history that stay if the room allows it.
        """
        space, ends = room - self.fixed - self.turns[number].asked, self._before[number]
        low = bisect_left(self._before, ends + self.summary - space, max(before, 1), number + 1)
        high = bisect_right(self._before, ends - keep, 0, number + 1)
        all_of_it = [0] if before == 0 and ends <= space else []
        found = [first for first in (*all_of_it, *range(low, high)) if not self.turns[first].bound]
        return found or [first for first in range(max(low, high), number + 1) if not self.turns[first].bound][:1]

    def prompt(self, first: int, number: int) -> int:
        """Tokens of the prompt of turn `number` that begins with turn `first`."""
        return self.fixed + (self.summary if first else 0) + self.history(first, number) + self.turns[number].asked

    def bill(
        self, number: int, before: int, first: int, cache: Cache, *, write: bool = True, alive: bool | None = None
    ) -> tuple[RequestBill, Cache]:
        """Return the bill of a request, and the cache after it.

        Args:
            number: The turn that asks.
            before: The first turn of the prompt before.
            first: The first turn of its prompt.
            cache: The cache before the request.
            write: Whether the prompt is written to the cache.
            alive: Whether the cache has outlived the pause; by default, decided by the `seconds` of the turn.
        """
        rules, turn = self.rules, self.turns[number]
        if alive is None:
            alive = self.is_alive(number)
        tokens = self.prompt(first, number)
        known = 0
        if alive and cache.last >= 0 and cache.first == first and self._is_near(cache.last, number):
            known = rules.hit(self.prompt(first, cache.last))
        if alive and cache.fixed:
            known = max(known, rules.hit(self.fixed))
        marks = (self.fixed, *self._between(first, number), tokens) if write else (self.fixed,)
        marks = tuple(mark for mark in dict.fromkeys(marks) if mark >= rules.min_tokens)
        kept = max(marks, default=0)
        written = max(0, kept - known)
        dollars = known * rules.cached + written * rules.write + (tokens - known - written) * rules.input
        summarized = (
            self.history(before, first) + (self.summary if before else 0) if first != before and self.summary else 0
        )
        if summarized:
            dollars += summarized * rules.input + self.summary * rules.output
        dollars = (dollars + turn.answered * rules.output) / 1e6
        if write and tokens >= rules.min_tokens:
            after = Cache(first, number, self.fixed >= rules.min_tokens)
        elif alive and cache.first == first:
            after = Cache(first, cache.last, self.fixed >= rules.min_tokens)
        else:
            after = Cache(fixed=self.fixed >= rules.min_tokens)
        return RequestBill(first, tokens, known, marks, summarized, dollars), after

    def is_alive(self, number: int) -> bool:
        """Whether the cache outlives the pause before a turn."""
        return number > 0 and self.turns[number].seconds <= self.rules.seconds

    def _is_near(self, last: int, number: int) -> bool:
        """Return whether the cache finds the prefix of turn `last`: whether enough marks, `look_back` messages apart, lead back to it."""
        rules = self.rules
        if not rules.look_back or not rules.breakpoints:
            return True
        return self._messages[number] - self._messages[last] <= rules.look_back * max(1, rules.breakpoints - 1)

    def _between(self, first: int, number: int) -> list[int]:
        """Return the marks between the fixed start and the end, in tokens; there are some if the last turn has more messages than `look_back`."""
        rules = self.rules
        if not rules.look_back or rules.breakpoints < 3 or number == 0:
            return []
        new = self.turns[number - 1].messages
        wanted = min(rules.breakpoints - 2, (new - 1) // rules.look_back)
        end = self.prompt(first, number)
        size = self.turns[number - 1].answered + self.turns[number].asked
        # If the last turn has left the prompt, a mark may fall into the fixed start, which has a mark of its own.
        marks = (end - size * part // (wanted + 1) for part in range(wanted, 0, -1))
        return [mark for mark in marks if mark > self.fixed]
