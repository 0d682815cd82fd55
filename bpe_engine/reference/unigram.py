"""Unigram: of all ways to split a piece into tokens, the one with the highest sum of scores.

    tokens     a -1   b -2   ab -2.5   bc -3.5           an unknown character: the lowest score - 10, here -13.5

    text       a     b     c            For each end of a character the best split of the text before it is stored by its last token and score.
    last       a     ab    bc           "abc" is a bc (-4.5), which is better than ab and an unknown c (-16).
    score     -1    -2.5  -4.5

Two libraries implement it and differ only in details that decide ties. The package `tokenizers` adds doubles.
`sentencepiece` (since 0.2.3) adds floats, restarts at 0 after a sum beyond 100,000, and gives user-defined tokens a
score of their own. In both, of equal sums the one with the longer last token wins. Adjacent unknown characters become
one unknown token, or the tokens of their bytes if each byte has a token.

Source: Kudo, "Subword Regularization", ACL 2018; the search is Viterbi's. Not here: sampling, and the n best splits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from ctypes import c_float
from itertools import groupby
from typing import Literal

from bpe_engine.errors import EncodingError

_LARGEST_FLOAT = 2.0**128 - 2.0**104
_PENALTY = 10.0
_RESET_ABOVE = 100_000.0


def encode(
    tokens: Sequence[tuple[bytes, int, float]],
    piece: bytes,
    *,
    unknown: int | None,
    byte_tokens: Mapping[int, int] | None = None,
    user_defined: Collection[int] = (),
    like: Literal["tokenizers", "sentencepiece"] = "tokenizers",
) -> list[int]:
    """Return the token ids of `piece`.

    Args:
        tokens: Bytes, id and score; of equal tokens the last one counts. For `sentencepiece` only the normal and the
            user-defined tokens.
        piece: One pre-token, as UTF-8. A byte that is not UTF-8 is one character.
        unknown: The id of the unknown token; None if there is none.
        byte_tokens: Byte fallback: byte value -> id of its token.
        user_defined: Ids of user-defined tokens, for `sentencepiece` only.
        like: The package whose arithmetic to follow.

    Raises:
        EncodingError: A character is in no token, and there is no unknown token.

    >>> tokens = [(b"a", 0, -1.0), (b"b", 1, -2.0), (b"ab", 2, -2.5), (b"bc", 3, -3.5)]
    >>> encode(tokens, b"abc", unknown=9), encode(tokens, b"axyb", unknown=9)
    ([0, 3], [0, 9, 1])
    >>> encode(tokens, b"axyb", unknown=9, byte_tokens={0x78: 10, 0x79: 11})
    [0, 10, 11, 1]
    """
    found = encode_with_lengths(
        tokens, piece, unknown=unknown, byte_tokens=byte_tokens, user_defined=user_defined, like=like
    )
    return [token for token, _ in found]


def encode_with_lengths(
    tokens: Sequence[tuple[bytes, int, float]],
    piece: bytes,
    *,
    unknown: int | None,
    byte_tokens: Mapping[int, int] | None = None,
    user_defined: Collection[int] = (),
    like: Literal["tokenizers", "sentencepiece"] = "tokenizers",
) -> list[tuple[int, int]]:
    """Return the ids of `encode`, each with the number of bytes of `piece` that it covers.

    >>> encode_with_lengths([(b"a", 0, -1.0), (b"ab", 1, -1.5)], b"aabxy", unknown=9)
    [(0, 1), (1, 2), (9, 2)]
    """
    known = {token: (token_id, score) for token, token_id, score in tokens if token}
    if like == "tokenizers":
        lowest = min((score for _, _, score in tokens), default=float("inf"))
        parts = _best_parts(known, piece, unknown, lowest - _PENALTY, rounds=False)
        # With unusual scores the text of a run of unknown characters can be a token, so it is looked up.
        id_of_run = {token: token_id for token, (token_id, _) in known.items()}
    else:
        normal = [_rounded(score) for _, token_id, score in tokens if token_id not in user_defined]
        lowest = min([_LARGEST_FLOAT, *normal])
        for token, (token_id, score) in known.items():
            known[token] = (token_id, _rounded(0.1 * (len(token) - 1) if token_id in user_defined else score))
        parts = _best_parts(known, piece, unknown, _rounded(lowest - _PENALTY), rounds=True)
        id_of_run = {}

    found: list[tuple[int, int]] = []
    for is_unknown, group in groupby(parts, key=lambda part: part[1] == unknown):
        if not is_unknown or unknown is None:
            found += [(token_id, len(part)) for part, token_id in group]
            continue
        run = b"".join(part for part, _ in group)
        if run in id_of_run:
            found.append((id_of_run[run], len(run)))
        elif byte_tokens and all(byte in byte_tokens for byte in run):
            found += [(byte_tokens[byte], 1) for byte in run]
        else:
            found.append((unknown, len(run)))
    return found


def _best_parts(
    known: Mapping[bytes, tuple[int, float]], piece: bytes, unknown: int | None, unknown_score: float, *, rounds: bool
) -> list[tuple[bytes, int]]:
    """Return the parts of the best split, each with its id; single unknown characters have `unknown`."""
    longest = max(map(len, known), default=0)
    best: dict[int, tuple[float, int, int]] = {0: (0.0, 0, 0)}  # by end: the sum, where the last part starts, its id
    start = 0
    for character in piece.decode("utf-8", "surrogateescape"):
        size = len(character.encode("utf-8", "surrogateescape"))
        till_here = best[start][0]
        if rounds and abs(till_here) > _RESET_ABOVE:
            for end in [end for end in best if end > start]:
                best[end] = (_rounded(best[end][0] - till_here), *best[end][1:])
            till_here = 0.0
        for end in range(start + 1, min(start + longest, len(piece)) + 1):
            if (found := known.get(piece[start:end])) is not None:
                total = _rounded(found[1] + till_here) if rounds else found[1] + till_here
                if end not in best or total > best[end][0]:
                    best[end] = (total, start, found[0])
        end = start + size
        if piece[start:end] not in known:
            total = _rounded(unknown_score + till_here) if rounds else unknown_score + till_here
            if end not in best or total > best[end][0]:
                if unknown is None:
                    raise EncodingError(
                        f"{piece[start:end]!r} at byte offset {start} is not part of any token, and the vocabulary has no unknown token"
                    )
                best[end] = (total, start, unknown)
        start = end
    parts = []
    end = len(piece)
    while end:
        _, start, token_id = best[end]
        parts.append((piece[start:end], token_id))
        end = start
    return parts[::-1]


def _rounded(number: float) -> float:
    """Return a number rounded to the nearest four-byte float."""
    return c_float(number).value
