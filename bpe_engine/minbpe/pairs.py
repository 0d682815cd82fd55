"""The basic functions of byte pair encoding.

training:   count the pairs, merge the most frequent one, and again
encoding:   count the pairs, merge the one that was learned first, and again
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

Pair = tuple[int, int]


def get_stats(ids: Sequence[int], counts: dict[Pair, int] | None = None) -> dict[Pair, int]:
    """Count each pair of neighbours, in the order in which they first occur.

    Args:
        ids: Token ids.
        counts: Counts to add to; by default all start at zero.

    Returns:
        `counts`, or a new dictionary, with the occurrences of each pair.

    >>> get_stats([1, 2, 3, 1, 2])
    {(1, 2): 2, (2, 3): 1, (3, 1): 1}
    """
    counts = {} if counts is None else counts
    for pair in pairwise(ids):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def merge(ids: Sequence[int], pair: Pair, idx: int) -> list[int]:
    """Replace each `pair` in the ids by `idx`, from the left.

    Args:
        ids: Token ids.
        pair: The two ids to replace.
        idx: The id to put in their place.

    Returns:
        A new list, shorter by one id for each pair that was replaced.

    >>> merge([1, 2, 3, 1, 2], (1, 2), 4), merge([1, 1, 1], (1, 1), 2)
    ([4, 3, 4], [2, 1])
    """
    merged: list[int] = []
    left, right = pair
    fresh = False  # whether this merge made the last of `merged`, which then cannot be part of another pair
    for token in ids:
        if token == right and merged and merged[-1] == left and not fresh:
            merged[-1] = idx
            fresh = True
        else:
            merged.append(token)
            fresh = False
    return merged


def render_token(token: bytes) -> str:
    """Return a token in readable form: control characters escaped, U+FFFD for bytes that are not UTF-8.

    Args:
        token: The bytes of the token.

    Returns:
        Text for people to read, from which the bytes cannot always be told.

    >>> render_token(b"a\\n"), render_token("é".encode()[:1])
    ('a\\\\u000a', '\\ufffd')
    """
    return "".join(
        f"\\u{ord(character):04x}" if unicodedata.category(character).startswith("C") else character
        for character in token.decode("utf-8", "replace")
    )
