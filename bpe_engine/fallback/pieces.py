"""One pre-token -> its ids or their number, cached for short pre-tokens.

Most pre-tokens of a text have been seen before, because words repeat. A dictionary from the pre-token to its ids makes
the Python engine fast enough to use; merging runs only the first time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from bpe_engine.reference import backtracking, naive
from bpe_engine.reference.dictionary import TokenDictionary

# Characters. Longer pre-tokens seldom occur twice.
REMEMBERED_LENGTH = 48
# Entries, about 100 bytes each. A full cache is cleared, which is exact and simple; least-recently-used order was tried
# and costs more on every hit than it saves on the misses.
REMEMBERED_PIECES = 1 << 18
# Bytes. Up to this length the quadratic merge loop is faster.
NAIVE_LENGTH = 24


def encode_piece(dictionary: TokenDictionary, data: bytes) -> Sequence[int]:
    """Return the ids of one pre-token: the token that has the same bytes, otherwise the result of merging."""
    whole = dictionary.id_of.get(data)
    if whole is not None:
        return (whole,)
    return naive.encode(dictionary, data) if len(data) <= NAIVE_LENGTH else backtracking.encode(dictionary, data)


class PieceIds(dict[str, tuple[int, ...]]):
    """Pre-token -> token ids; `ids[piece]` computes a missing entry.

    A pre-token that is a token itself is encoded as that token, even if its merges would not make it, as in tiktoken.
    Bytes that are not UTF-8 are lone surrogates in a pre-token, as errors="surrogateescape" decodes them.

    >>> PieceIds.of(TokenDictionary.of("a b c ac bb ab acbb"))["abacbb"]
    (5, 6)
    """

    def __init__(self, encode: Callable[[bytes], Sequence[int]]) -> None:
        super().__init__()
        self._encode = encode

    @classmethod
    def of(cls, dictionary: TokenDictionary) -> PieceIds:
        """Return a cache that encodes by merging the bytes."""
        return cls(partial(encode_piece, dictionary))

    def __missing__(self, piece: str) -> tuple[int, ...]:
        ids = tuple(self._encode(piece.encode("utf-8", "surrogateescape")))
        if len(piece) <= REMEMBERED_LENGTH:
            if len(self) >= REMEMBERED_PIECES:
                self.clear()
            self[piece] = ids
        return ids


class PieceCounts(dict[str, int]):
    """Pre-token -> number of tokens; like `PieceIds`."""

    def __init__(self, ids: PieceIds) -> None:
        super().__init__()
        self._ids = ids

    def __missing__(self, piece: str) -> int:
        count = len(self._ids[piece])
        if len(piece) <= REMEMBERED_LENGTH:
            if len(self) >= REMEMBERED_PIECES:
                self.clear()
            self[piece] = count
        return count
