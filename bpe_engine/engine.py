"""Engine: the protocol of what a Tokenizer holds. `compiled.py` and `fallback/` implement it.

Tokenizer          names, options, prefix and suffix            the interface for users
└─ Engine        a vocabulary or a pipeline                   text -> ids; the incremental encoders
└─ table    Tokens: ids <-> bytes, ids -> text
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from bpe_engine.encoders import AppendingEncoder, IntervalEncoder, PrependingEncoder
from bpe_engine.special_tokens import Specials
from bpe_engine.text.stream_decoder import StreamDecoder
from bpe_engine.text.truncation import Text


class Tokens(Protocol):
    """Protocol for the ids of a vocabulary, including added tokens, and their bytes and texts. Immutable; threads may share it."""

    @property
    def special_texts(self) -> set[str]:
        """The texts of the special tokens."""

    @property
    def special_ids(self) -> frozenset[int]:
        """The ids of the special tokens."""

    @property
    def has_offsets(self) -> bool:
        """Whether decoding only joins the bytes of the tokens, so that tokens have offsets."""

    def bytes_of(self, token: int) -> bytes | None:
        """Return the bytes of a token, or None if no token has the id."""

    def written(self, token: int) -> bytes:
        """Return the bytes of a token as in an original text: an added token is not normalized. Raises UnknownTokenError."""

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of a token. Raises UnknownTokenError."""

    def id_of(self, token: bytes) -> int | None:
        """Return the id of the token with exactly these bytes, or None if there is none."""

    def largest_id(self) -> int:
        """Return the largest id."""

    def byte_values(self) -> list[bytes]:
        """Return the bytes of all tokens except the special ones, ascending."""

    def joined(self, tokens: Iterable[int]) -> bytes:
        """Return the bytes of tokens, joined. Raises UnknownTokenError."""

    def decode(self, tokens: Sequence[int], errors: str) -> str:
        """Return the text of tokens. Raises UnknownTokenError."""

    def stream_decoder(self, errors: str) -> StreamDecoder:
        """Return a decoder for tokens that come one by one."""


class Engine(Protocol):
    """Protocol for text -> token ids. Immutable; threads may share an engine; can be pickled.

    An engine knows a vocabulary or a specification, never a tokenizer. "Received" text has gone through
    `text.input.received`.
    """

    @property
    def table(self) -> Tokens:
        """The tokens of the engine."""

    @property
    def not_native(self) -> str | None:
        """The reason why some of the work is done in Python; None if the compiled core does all of it."""

    @property
    def is_incremental(self) -> bool:
        """Whether a growing text is read about once, instead of again for each count."""

    def count(self, text: str | bytes) -> int:
        """Return the number of tokens of a text."""

    def count_up_to(self, text: str | bytes, limit: int) -> int | None:
        """Return the number of tokens of a text, or None if it is above `limit`."""

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]:
        """Return the `count` of each text, in order."""

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """Return the ids of a text, taking special tokens as plain text."""

    def encode_to_buffer(self, text: str | bytes) -> memoryview:
        """Return the ids of `encode_ordinary` as unsigned 32-bit integers."""

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]:
        """Return the `encode_ordinary` of each text, in order."""

    def encode_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> list[int]:
        """Return the ids of a text, finding the allowed special tokens. Raises DisallowedSpecialTokenError."""

    def check_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> None:
        """Raise DisallowedSpecialTokenError if `encode_special` does."""

    def find_special(self, characters: str, allowed: Specials) -> Iterable[tuple[int, int, int]]:
        """Return the allowed special tokens in received text: start and end in characters, and the id."""

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """Return the ids of a text, and the start offset of each token in bytes of received text."""

    def character_starts(self, characters: str, starts: list[int]) -> list[int]:
        """Convert such offsets, ascending, to the numbers of the characters of received text that they are in."""

    def encode_piece(self, piece: bytes) -> Sequence[int]:
        """Return the ids of one pre-token, without splitting it by the pre-tokenizer."""

    def split(self, text: str | bytes) -> list[str]:
        """Return the pre-tokens of a text."""

    def truncate(self, text: Text, most: int, *, head: bool) -> Text:
        """Return the longest prefix (`head`) or suffix of a text with at most `most` tokens."""

    def appending_encoder(self) -> AppendingEncoder:
        """Return an encoder of a text that grows to the right."""

    def prepending_encoder(self) -> PrependingEncoder:
        """Return an encoder of a text that grows to the left."""

    def interval_encoder(self, text: str | bytes) -> IntervalEncoder:
        """Return an encoder that counts any slice of a text."""

    def interface(self) -> object | None:
        """Return a capsule with the encoders, for other compiled modules; None in pure Python."""
