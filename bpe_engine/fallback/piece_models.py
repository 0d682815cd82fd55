"""WordPiece, Unigram and WordLevel in Python: pre-token -> ids, by their specifications in `reference/`.

For the fallback engine only: the compiled core has its own models. Each pre-token is encoded by itself; callers cache
the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from bpe_engine.errors import EncodingError
from bpe_engine.pipeline.specification import Specification
from bpe_engine.reference import unigram, wordpiece
from bpe_engine.text.input import byte_places, to_bytes


class PieceModel:
    """The model of a specification without merges. Immutable; threads may share it. Has the attributes of `merging.Merging`."""

    is_ordered = False
    joins_unknown = False
    recoding = None

    def __init__(self, specification: Specification) -> None:
        self._specification = specification
        self._unknown = specification.unknown if isinstance(specification.unknown, int) else None
        self._tokens = {_utf8(token): token_id for token_id, token in specification.tokens.items()}

    def encode_piece(self, piece: str) -> Sequence[int]:
        """Return the ids of one pre-token. Raises EncodingError for text that is not a token, if the vocabulary has no unknown token."""
        return [token_id for token_id, _ in self._with_lengths(to_bytes(piece))]

    def encode_aligned(self, piece: str) -> list[tuple[int, int]]:
        """Return the ids of one pre-token, each with the offset of the character that it starts in."""
        places = byte_places(piece)
        starts = {place: number for number, place in enumerate(places)}
        found, start = [], 0
        for token_id, size in self._with_lengths(to_bytes(piece)):
            place = start
            while place not in starts:
                place -= 1
            found.append((token_id, starts[place]))
            start += size
        return found

    def _with_lengths(self, piece: bytes) -> list[tuple[int, int]]:
        """Return the ids, each with the number of bytes that it covers."""
        specification = self._specification
        if specification.model == "wordpiece":
            return wordpiece.encode_with_lengths(
                self._tokens,
                piece,
                unknown=self._unknown,
                prefix=specification.continuing_prefix.encode(),
                most_characters=specification.max_characters,
            )
        if specification.model == "unigram":
            return unigram.encode_with_lengths(
                self._scored,
                piece,
                unknown=self._unknown,
                byte_tokens=specification.byte_fallback,
                user_defined=specification.user_defined,
                like=specification.like,
            )
        token_id = self._tokens.get(piece, self._unknown)
        if token_id is None:
            raise EncodingError(f"{piece[:80]!r} is not a token, and the vocabulary has no unknown token")
        return [(token_id, len(piece))]

    @cached_property
    def _scored(self) -> list[tuple[bytes, int, float]]:
        scores = self._specification.scores or {}
        return [(token, token_id, scores[token_id]) for token, token_id in self._tokens.items()]


def _utf8(token: str | bytes) -> bytes:
    return token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass")
