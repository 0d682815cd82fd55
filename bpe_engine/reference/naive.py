"""Byte pair encoding by its definition: the ground truth for all faster algorithms.

Start from single bytes. As long as two neighbours make a token, merge the pair whose token has the lowest id, the
leftmost of equals. Quadratic time, so only for short pre-tokens and for tests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from bpe_engine.errors import EncodingError


class Ranks(Protocol):
    """Protocol for the tokens and their merge ranks: what this algorithm asks of a `TokenDictionary`."""

    @property
    def id_of(self) -> Mapping[bytes, int]:
        """The id of each token."""

    @property
    def priorities(self) -> Sequence[int] | None:
        """Merge ranks by id, lowest first; None if ids are merge ranks."""

    def no_token(self, data: bytes, offset: int) -> EncodingError:
        """Return the error for the byte at `offset`, which has no token."""


def encode(dictionary: Ranks, data: bytes) -> list[int]:
    """Return the token ids of `data`.

    Raises EncodingError for a byte without a token.

    >>> from bpe_engine.reference.dictionary import TokenDictionary
    >>> encode(TokenDictionary.of("a b c ac bb ab acbb"), b"abacbb")
    [5, 6]
    >>> encode(TokenDictionary.of("a b c ab cb ac bb cbb acbb"), b"abacbb")
    [3, 8]
    """
    parts = [data[index : index + 1] for index in range(len(data))]
    while _merge_lowest(dictionary, parts):
        pass
    return _ids(dictionary, parts)


def merges(dictionary: Ranks, data: bytes) -> list[list[bytes]]:
    """Return the parts of `data` before the first merge and after each merge.

    >>> from bpe_engine.reference.dictionary import TokenDictionary
    >>> for parts in merges(TokenDictionary.of("a b c ac bb ab acbb"), b"abacbb"):
    ...     print(*(part.decode() for part in parts))
    a b a c b b
    a b ac b b
    a b ac bb
    ab ac bb
    ab acbb
    """
    parts = [data[index : index + 1] for index in range(len(data))]
    steps = [list(parts)]
    while _merge_lowest(dictionary, parts):
        steps.append(list(parts))
    return steps


def _merge_lowest(dictionary: Ranks, parts: list[bytes]) -> bool:
    """Merge the pair that comes first, in place. Returns False if no pair makes a token."""
    rank_of, priorities = dictionary.id_of.get, dictionary.priorities
    lowest = None
    where = -1
    for index in range(len(parts) - 1):
        rank = rank_of(parts[index] + parts[index + 1])
        if rank is not None and priorities is not None:
            rank = priorities[rank]
        if rank is not None and (lowest is None or rank < lowest):
            lowest, where = rank, index
    if lowest is None:
        return False
    parts[where : where + 2] = [parts[where] + parts[where + 1]]
    return True


def _ids(dictionary: Ranks, parts: list[bytes]) -> list[int]:
    try:
        return [dictionary.id_of[part] for part in parts]
    except KeyError:
        data = b"".join(parts)
        offset = next(i for i in range(len(data)) if data[i : i + 1] not in dictionary.id_of)
        raise dictionary.no_token(data, offset) from None
