"""Byte pair encoding by its definition: merge the pair of lowest rank, the leftmost of equals, until no pair is left.

For merges without an order of tokens (`fallback/ranking.py`), which the engine cannot run. O(n log n) in the length of
a pre-token, and in Python: about a hundred times slower than the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

RankOf = Callable[[int, int], tuple[int, int] | None]
"""Two ids -> the rank of their merge and the id that it makes; None if they do not merge."""

# Replaces the id of a symbol that was merged with its left neighbour. Not -1, which is ~0: an unknown token of id 0.
_MERGED = -(1 << 63)


def merge_by_definition(symbols: Sequence[tuple[int, int]], rank_of: RankOf) -> list[tuple[int, int]]:
    """Return the tokens after all merges. `symbols` are ids, each with its start offset; a merged token has the start of its left half.

    >>> merges = {(0, 1): (7, 2)}
    >>> merge_by_definition([(0, 0), (1, 1), (1, 2)], lambda left, right: merges.get((left, right)))
    [(2, 0), (1, 2)]
    """
    ids = [token_id for token_id, _ in symbols]
    size = len(ids)
    following = list(range(1, size + 1))
    previous = list(range(-1, size - 1))

    def candidate(left: int) -> tuple[int, int, int, int, int] | None:
        """Return (rank, place, left id, right id, merged id), or None if the symbol at `left` does not merge with the next one."""
        right = following[left]
        if right >= size:
            return None
        found = rank_of(ids[left], ids[right])
        return None if found is None else (found[0], left, ids[left], ids[right], found[1])

    heap = [found for left in range(size) if (found := candidate(left))]
    heapify(heap)
    while heap:
        _, left, left_id, right_id, made = heappop(heap)
        right = following[left]
        if ids[left] != left_id or right >= size or ids[right] != right_id:
            continue  # one of the two has been merged with another symbol since
        ids[left], ids[right] = made, _MERGED
        following[left] = following[right]
        if following[left] < size:
            previous[following[left]] = left
        for place in (previous[left], left):
            if place >= 0 and (found := candidate(place)):
                heappush(heap, found)
    return [(token_id, place) for token_id, (_, place) in zip(ids, symbols, strict=True) if token_id != _MERGED]
