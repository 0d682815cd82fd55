"""One pre-token -> its ids or their number, remembered for the short ones.

Most pre-tokens of a text have been seen before: words repeat. A dictionary from the pre-token to its ids is what makes the
readable engine usable; merging runs on the first sight only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from bpe_engine.reference import backtracking, naive
from bpe_engine.reference.dictionary import TokenDictionary

# Characters. Longer pre-tokens seldom come twice.
REMEMBERED_LENGTH = 48
# Entries, about 100 bytes each. When full the memory starts anew, which is exact and simple; least-recently-used order was
# tried and costs more on every hit than it saves on the misses.
REMEMBERED_PIECES = 1 << 18
# Bytes. Below it the quadratic merge loop is the faster one.
NAIVE_LENGTH = 24


def encode_piece(dictionary: TokenDictionary, data: bytes) -> Sequence[int]:
    """The ids of one pre-token: the token that it is itself, else its merges."""
    whole = dictionary.id_of.get(data)
    if whole is not None:
        return (whole,)
    return naive.encode(dictionary, data) if len(data) <= NAIVE_LENGTH else backtracking.encode(dictionary, data)


class PieceIds(dict[str, tuple[int, ...]]):
    """Pre-token -> token ids; `ids[piece]` computes what is missing.

    A pre-token that is a token itself is that token, also where its merges would not end in it: so tiktoken does. Bytes that
    are not UTF-8 stand in a pre-token as lone surrogates, as errors="surrogateescape" decodes them.

    >>> PieceIds.of(TokenDictionary.of("a b c ac bb ab acbb"))["abacbb"]
    (5, 6)
    """

    def __init__(self, encode: Callable[[bytes], Sequence[int]]) -> None:
        super().__init__()
        self._encode = encode

    @classmethod
    def of(cls, dictionary: TokenDictionary) -> PieceIds:
        """By merging the bytes."""
        return cls(partial(encode_piece, dictionary))

    def __missing__(self, piece: str) -> tuple[int, ...]:
        ids = tuple(self._encode(piece.encode("utf-8", "surrogateescape")))
        if len(piece) <= REMEMBERED_LENGTH:
            if len(self) >= REMEMBERED_PIECES:
                self.clear()
            self[piece] = ids
        return ids


class PieceCounts(dict[str, int]):
    """Pre-token -> number of tokens, as `PieceIds`."""

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
