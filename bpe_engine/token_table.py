"""TokenTable: the ids of a vocabulary and their bytes, for engines over a Vocabulary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from bpe_engine.errors import UnknownTokenError
from bpe_engine.text.input import require_int
from bpe_engine.text.stream_decoder import StreamDecoder
from bpe_engine.vocabulary import Vocabulary


class Lookup(Protocol):
    """Protocol for the tokens of a vocabulary in an implementation, without the special tokens and the empty token."""

    def bytes_of(self, token: int, /) -> bytes | None: ...  # noqa: D102
    def id_of(self, token: bytes, /) -> int | None: ...  # noqa: D102
    def largest_id(self) -> int: ...  # noqa: D102
    def joined(self, tokens: list[int], special: dict[int, bytes], /) -> bytes | None: ...  # noqa: D102
    def sorted_tokens(self) -> list[bytes]: ...  # noqa: D102


class TokenTable:
    """The tokens of a vocabulary, special ones included. Immutable; threads may share it. See `engine.Tokens`."""

    has_offsets = True

    def __init__(self, vocabulary: Vocabulary, lookup: Lookup) -> None:
        self._vocabulary = vocabulary
        self._lookup = lookup
        self._special_bytes: dict[int, bytes] = {}
        for text, token in vocabulary.special_tokens.items():
            self._special_bytes.setdefault(token, text.encode())
        self.special_ids = frozenset(self._special_bytes)

    @property
    def special_texts(self) -> set[str]:
        """The texts of the special tokens."""
        return set(self._vocabulary.special_tokens)

    def bytes_of(self, token: int) -> bytes | None:
        """Return the bytes of a token, or None if no token has the id."""
        found = self._lookup.bytes_of(token)
        if found is None:
            found = self._special_bytes.get(token)
        if found is None and self._vocabulary.empty_token is not None and token == self._vocabulary.empty_token:
            found = b""
        return found

    def written(self, token: int) -> bytes:
        """Return the bytes of a token as in an original text. Raises UnknownTokenError."""
        return self.decode_single_token_bytes(token)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of a token. Raises UnknownTokenError if no token has the id, TypeError if it is not a whole number."""
        try:
            found = self.bytes_of(token)
        except TypeError:  # from the core
            found = None
        if found is None:
            require_int(token, "a token id")
            raise UnknownTokenError(f"no token of {self._vocabulary.name or 'this tokenizer'} has the id {token!r}")
        return found

    def id_of(self, token: bytes) -> int | None:
        """Return the id of the token, special or not, with exactly these bytes, or None if there is none."""
        found = self._lookup.id_of(token) if token else self._vocabulary.empty_token
        if found is None:
            found = self._vocabulary.special_tokens.get(token.decode("utf-8", "replace"))
        return found

    def largest_id(self) -> int:
        """Return the largest id."""
        empty = self._vocabulary.empty_token
        return max(self._lookup.largest_id(), max(self.special_ids, default=-1), -1 if empty is None else empty)

    def byte_values(self) -> list[bytes]:
        """Return the bytes of all tokens except the special ones, ascending."""
        return self._lookup.sorted_tokens()

    def decode(self, tokens: Sequence[int], errors: str) -> str:
        """Return the text of tokens: their bytes, joined. Raises UnknownTokenError."""
        return self.joined(tokens).decode("utf-8", errors)

    def joined(self, tokens: Iterable[int]) -> bytes:
        """Return the bytes of tokens, joined. Raises UnknownTokenError, TypeError."""
        listed = list(tokens)
        found = self._lookup.joined(listed, self._special_bytes)
        # The empty token, or an error.
        return b"".join(map(self.decode_single_token_bytes, listed)) if found is None else found

    def stream_decoder(self, errors: str) -> StreamDecoder:
        """Return a decoder for tokens that come one by one."""
        return StreamDecoder(self.decode_single_token_bytes, errors)
