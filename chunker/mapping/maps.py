"""The map of a repository within a budget: the choice of definitions, and the text of it.

Each definition has a value and a price: its line, those of the definitions around it that are not there yet, and the name of its file. The densest
comes first. What was chosen is counted as a whole, for prices of lines do not add up; what still fits afterwards is added.
"""

from __future__ import annotations

import heapq
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from chunker.arguments import require_whole
from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.errors import OptionError
from chunker.mapping.ranks import Key, definition_values
from chunker.mapping.reading import MappedFile, Repository
from chunker.mapping.skeletons import depths, line_of, lines_of, parents

# So many definitions are tried in vain before the map is as full as it gets.
_TRIES = 60


@dataclass(frozen=True, slots=True)
class RepositoryMap:
    """A map.

    Args:
        text: The names of files, and below each the signatures that were chosen.
        token_count: The tokens of `text`, never more than allowed.
        files: How many files are in it.
        definitions: How many definitions are in it.
        value: The value of these by rank, as a share of the value of all.
        bound: A share that no map of this size exceeds, as prices of lines by themselves have it.
    """

    text: str
    token_count: int
    files: int
    definitions: int
    value: float
    bound: float


def map_repository(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | Repository,
    max_tokens: int = 2000,
    *,
    focus: str | Collection[str] = (),
    tokenizer: str | TokenCounter = "o200k_base",
) -> RepositoryMap:
    """Draw the map of a repository: the signatures that matter most, in at most so many tokens.

    Args:
        paths: Files and folders, or a `Repository`, which reads again what has changed alone.
        max_tokens: The largest number of tokens of the text.
        focus: Names of files or folders as the map has them, or of symbols, that the map is for.
        tokenizer: The name of an encoding or model, or a tokenizer.

    Returns:
        The map; the same files give the same one.

    Raises:
        OptionError: max_tokens is no whole number from 1.
    """
    require_whole(max_tokens, "max_tokens", " of tokens")
    if max_tokens < 1:
        raise OptionError(f"max_tokens must be a whole number from 1, got {max_tokens!r}")
    repository = paths if isinstance(paths, Repository) else Repository(paths)
    repository.refresh()
    files = repository.files
    wanted = [focus] if isinstance(focus, str) else list(focus)
    return _Chooser(files, definition_values(files, wanted), resolve_tokenizer(tokenizer)).map(max_tokens)


class _Chooser:
    """Chooses the definitions of a map."""

    def __init__(self, files: Sequence[MappedFile], values: Mapping[Key, float], counter: TokenCounter) -> None:
        self._files = files
        self._values = values
        self._counter = counter
        self._parents = [parents(file.symbols.definitions) for file in files]
        self._depths = [depths(around) for around in self._parents]
        self._has_parts = [_with_parts(around) for around in self._parents]
        self._prices: dict[Key, int] = {}

    def map(self, budget: int) -> RepositoryMap:
        """The map within a budget."""
        order = self._order(budget)
        # The longest beginning of the order that fits: bisection, for a map with more in it has more tokens, but for a few.
        low, high = 0, len(order)
        while low < high:
            middle = (low + high + 1) // 2
            if self._tokens(order[:middle]) <= budget:
                low = middle
            else:
                high = middle - 1
        chosen = order[:low]
        failed = 0
        for step in order[low:]:
            if self._tokens([*chosen, step]) <= budget:
                chosen.append(step)
            else:
                failed += 1
                if failed == _TRIES:
                    break
        text = self._text(chosen)
        keys = {key for step in chosen for key in step}
        total = sum(self._values.values()) or 1.0
        value = sum(self._values[key] for key in keys) / total
        return RepositoryMap(
            text,
            self._counter.count(text),
            len({file for file, _ in keys}),
            len(keys),
            value,
            self._bound(budget) / total,
        )

    def _order(self, budget: int) -> list[tuple[Key, ...]]:
        """The definitions by value for their price, each with those around it that come with it; twice as many as may fit."""
        opened: set[int] = set()
        taken: set[Key] = set()
        heap = [
            (-self._values[key] / self._price(self._step(key, taken), opened), key) for key in self._dearest(budget)
        ]
        heapq.heapify(heap)
        by_file: dict[int, list[Key]] = defaultdict(list)
        for _, key in heap:
            by_file[key[0]].append(key)
        order: list[tuple[Key, ...]] = []
        spent = 0
        while heap and spent < 2 * budget + 100:
            _, key = heapq.heappop(heap)
            if key in taken:
                continue
            step = self._step(key, taken)
            spent += self._price(step, opened)
            taken.update(step)
            order.append(step)
            if key[0] in opened and len(step) == 1 and not self._has_parts[key[0]][key[1]]:
                continue
            opened.add(key[0])
            # What is in the same file is cheaper now.
            for other in by_file[key[0]]:
                if other not in taken:
                    density = self._values[other] / self._price(self._step(other, taken), opened)
                    heapq.heappush(heap, (-density, other))
        return order

    def _dearest(self, budget: int) -> list[Key]:
        """The definitions of the largest value: more than ever fit."""
        most = 20 * budget + 1000
        return heapq.nsmallest(most, self._values, key=lambda key: (-self._values[key], key))

    def _step(self, key: Key, taken: Collection[Key]) -> tuple[Key, ...]:
        """A definition and those around it that are not taken, outermost first."""
        file, number = key
        step = []
        while number >= 0 and (file, number) not in taken:
            step.append((file, number))
            number = self._parents[file][number]
        return tuple(reversed(step))

    def _price(self, step: Sequence[Key], opened: Collection[int]) -> int:
        price = sum(self._own_price(key) for key in step)
        if step and step[0][0] not in opened:
            price += self._counter.count(f"{self._files[step[0][0]].name}\n") + 2  # a line between files, a mark
        return max(price, 1)

    def _own_price(self, key: Key) -> int:
        if key not in self._prices:
            file, number = key
            line = line_of(self._files[file].symbols.definitions[number], self._depths[file][number])
            self._prices[key] = self._counter.count(f"{line}\n")
        return self._prices[key]

    def _bound(self, budget: int) -> float:
        """The value that whole and broken lines have together for the budget, names of files left out."""
        left, value = float(budget), 0.0
        for key in sorted(self._dearest(budget), key=lambda key: (-self._values[key] / self._own_price(key), key)):
            price = self._own_price(key)
            value += self._values[key] * min(1.0, left / price)
            left -= price
            if left <= 0:
                break
        return value

    def _tokens(self, steps: Iterable[tuple[Key, ...]]) -> int:
        return self._counter.count(self._text(steps))

    def _text(self, steps: Iterable[tuple[Key, ...]]) -> str:
        chosen: dict[int, set[int]] = defaultdict(set)
        for step in steps:
            for file, number in step:
                chosen[file].add(number)
        parts = []
        for file in sorted(chosen):
            parts += [self._files[file].name, *lines_of(self._files[file], chosen[file], self._parents[file]), ""]
        return "\n".join(parts)


def _with_parts(around: Sequence[int]) -> list[bool]:
    """For each definition, whether others are in it."""
    outer = set(around)
    return [number in outer for number in range(len(around))]
