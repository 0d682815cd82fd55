"""Greedy encoding with backtracking: take the longest token that may follow, and step back if no token may.

An offset from which the search steps back is on no valid encoding, so it is crossed out and never visited again: linear
time.

    text acbbab, dictionary a b c ac bb ab acbb ->  acbb | ab, no step back
    text abacbb with  a b c ab cb ac bb cbb acbb ->  ab | acbb

Source: `BacktrackEncoder` of the `bpe` crate of github/rust-gems.
"""

from __future__ import annotations

from bpe_engine.reference.compatible import compatible
from bpe_engine.reference.dictionary import TokenDictionary


def encode(dictionary: TokenDictionary, data: bytes) -> list[int]:
    """Return the token ids of `data`. Raises EncodingError for a byte without a token.

    >>> encode(TokenDictionary.of("a b c ac bb ab acbb"), b"abacbb")
    [5, 6]
    """
    ids: list[int] = []
    place = 0
    crossed_out = bytearray(len(data) + 1)
    while place < len(data):
        for token in dictionary.tokens_at(data, place):
            end = place + len(dictionary.bytes_of[token])
            if crossed_out[end]:
                continue
            fits = compatible(dictionary, ids[-1], token) if ids else dictionary.halves(token) is not None
            if fits:
                ids.append(token)
                place = end
                break
        else:
            if data[place : place + 1] not in dictionary.id_of:
                raise dictionary.no_token(data, place)
            # Each byte has a token, so an encoding exists, and it does not pass this offset.
            crossed_out[place] = 1
            place -= len(dictionary.bytes_of[ids.pop()])
    return ids
