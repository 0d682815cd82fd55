"""Merge pairs of symbols within one word, in the order of a list: byte pair encoding for symbols that are not bytes.

    merges: l o | lo w</w> | n e          l o w</w>  ->  lo w</w>  ->  low</w>

The engine's own encoders know tokens by their bytes and are faster. This module is for symbols that do not fit them,
such as those with a "</w>" mark.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TypeVar

Symbol = TypeVar("Symbol", bound=Hashable)


def merge_pairs(
    symbols: Sequence[Symbol],
    rank_of: Mapping[tuple[Symbol, Symbol], int],
    joined: Callable[[tuple[Symbol, Symbol]], Symbol],
) -> list[Symbol]:
    """Return the symbols after all merges, in O(n log n) for any input.

    The pair with the lowest rank is merged wherever it occurs, from the left; then the next pair. Pairs that a merge
    has just made take part, and may have a lower rank. `joined` returns the symbol that a pair becomes, which must
    differ from all symbols so far.

    >>> merge_pairs(["l", "o", "w</w>"], {("l", "o"): 0, ("lo", "w</w>"): 1}, "".join)
    ['low</w>']
    >>> merge_pairs(["a", "a", "a"], {("a", "a"): 0}, "".join)
    ['aa', 'a']
    """
    parts: list[Symbol | None] = list(symbols)
    following = list(range(1, len(parts) + 1))
    previous = list(range(-1, len(parts) - 1))

    def pair_at(start: int) -> tuple[int, int, Symbol, Symbol] | None:
        """Return (rank, start, left, right) for the pair whose left symbol is at `start`, or None if it does not merge."""
        if start < 0 or following[start] >= len(parts):
            return None
        left, right = parts[start], parts[following[start]]
        assert left is not None  # noqa: S101 - both are alive: for the type checker
        assert right is not None  # noqa: S101 - as above
        rank = rank_of.get((left, right))
        return None if rank is None else (rank, start, left, right)

    heap = [found for start in range(len(parts)) if (found := pair_at(start))]
    heapify(heap)
    while heap:
        rank = heap[0][0]
        changed = []
        # All pairs of this rank are merged first; a pair that appears meanwhile waits, even if its rank is lower.
        while heap and heap[0][0] == rank:
            _, start, left, right = heappop(heap)
            middle = following[start]
            if parts[start] != left or middle >= len(parts) or parts[middle] != right:
                continue  # one of the two has been merged with another symbol
            end = following[middle]
            parts[start], parts[middle] = joined((left, right)), None
            following[start] = end
            if end < len(parts):
                previous[end] = start
            changed.append(start)
        for start in changed:
            if parts[start] is None:
                continue  # merged with the symbol before it in the same round
            for place in (previous[start], start):
                if found := pair_at(place):
                    heappush(heap, found)
    return [part for part in parts if part is not None]
