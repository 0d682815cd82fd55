"""Byte pair encoding with a heap: the merges of `naive.py`, each found in O(log n).

The parts form a linked list over the bytes. The heap holds every pair that makes a token, as (token, place). A pair is
stale after one of its parts has merged with another, and is dropped when it is popped.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from bpe_engine.reference.dictionary import TokenDictionary


def encode(dictionary: TokenDictionary, data: bytes) -> list[int]:
    """Return the token ids of `data`, in O(n log n) on any input. Raises EncodingError for a byte without a token.

    >>> encode(TokenDictionary.of("a b c ac bb ab acbb"), b"abacbb")
    [5, 6]
    """
    rank_of, priorities = dictionary.id_of.get, dictionary.priorities
    size = len(data)
    end_of = list(
        range(1, size + 1)
    )  # the end of the part that starts at each offset; 0 if no part starts there any more
    start_of_previous = list(range(-1, size - 1))

    def pair(start: int) -> tuple[int, int, int] | None:
        """Return the merge of the part at `start` with the next one as (priority of the token, start, end); None if they make no token."""
        middle = end_of[start]
        if middle >= size:
            return None
        end = end_of[middle]
        token = rank_of(data[start:end]) if end - start <= dictionary.longest else None
        return None if token is None else (token if priorities is None else priorities[token], start, end)

    heap = [found for start in range(size) if (found := pair(start))]
    heapify(heap)
    while heap:
        _, start, end = heappop(heap)
        middle = end_of[start]
        if not middle or middle >= end or end_of[middle] != end:
            continue  # stale
        end_of[start], end_of[middle] = end, 0
        if end < size:
            start_of_previous[end] = start
        for neighbour in (start_of_previous[start], start):
            if neighbour >= 0 and (found := pair(neighbour)):
                heappush(heap, found)

    ids = []
    start = 0
    while start < size:
        token = rank_of(data[start : end_of[start]])
        if token is None:
            raise dictionary.no_token(data, start)
        ids.append(token)
        start = end_of[start]
    return ids
