"""Engine: the protocol behind a Tokenizer. `compiled.py` and `fallback/` implement it.

Tokenizer          names, options, prefix and suffix            what users call
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
    """The ids of a vocabulary, added tokens included, and what they stand for. Immutable; threads may share it."""

    @property
    def special_texts(self) -> set[str]:
        """The texts of the special tokens."""

    @property
    def special_ids(self) -> frozenset[int]:
        """The ids of the special tokens."""

    @property
    def has_offsets(self) -> bool:
        """Whether decoding joins the bytes of the tokens and does no more."""

    def bytes_of(self, token: int) -> bytes | None:
        """The bytes of a token; None for an id that no token has."""

    def written(self, token: int) -> bytes:
        """The bytes of a token as a text holds it: of an added token before it is normalized. Raises UnknownTokenError."""

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of a token. Raises UnknownTokenError."""

    def id_of(self, token: bytes) -> int | None:
        """The id of the token that is exactly these bytes; None if there is none."""

    def largest_id(self) -> int:
        """The largest id."""

    def byte_values(self) -> list[bytes]:
        """The bytes of all tokens but the special ones, in ascending order."""

    def decode(self, tokens: Sequence[int], errors: str) -> str:
        """The text of tokens. Raises UnknownTokenError."""

    def stream_decoder(self, errors: str) -> StreamDecoder:
        """A decoder that takes one token after the other."""


class Engine(Protocol):
    """Text -> token ids. Immutable; threads may share one; pickles.

    An engine knows a vocabulary or a specification, never a tokenizer. "Received" text has been through `text.input.received`.
    """

    @property
    def table(self) -> Tokens:
        """Its tokens."""

    @property
    def not_native(self) -> str | None:
        """The reason why some of the work is done in Python; None if the compiled core does all of it."""

    @property
    def is_incremental(self) -> bool:
        """Whether a growing text is read about once, and not anew for each count."""

    def count(self, text: str | bytes) -> int:
        """The number of tokens."""

    def count_up_to(self, text: str | bytes, limit: int) -> int | None:
        """The number of tokens, None if it is above `limit`."""

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]:
        """`count` of each text."""

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """The ids, special tokens taken as plain text."""

    def encode_to_buffer(self, text: str | bytes) -> memoryview:
        """`encode_ordinary` as unsigned 32-bit integers."""

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]:
        """`encode_ordinary` of each text."""

    def encode_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> list[int]:
        """The ids, with the special tokens that are allowed. Raises DisallowedSpecialTokenError."""

    def check_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> None:
        """Raise DisallowedSpecialTokenError where `encode_special` does."""

    def find_special(self, characters: str, allowed: Specials) -> Iterable[tuple[int, int, int]]:
        """The special tokens in received text: start and end in characters, and the id."""

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """The ids, and for each the offset in bytes of received text where it starts."""

    def encode_piece(self, piece: bytes) -> Sequence[int]:
        """The ids of one pre-token, whatever the pre-tokenizer would make of it."""

    def split(self, text: str | bytes) -> list[str]:
        """The pre-tokens."""

    def truncate(self, text: Text, most: int, *, head: bool) -> Text:
        """The longest prefix, or suffix, of at most so many tokens."""

    def appending_encoder(self) -> AppendingEncoder:
        """A text that grows to the right."""

    def prepending_encoder(self) -> PrependingEncoder:
        """A text that grows to the left."""

    def interval_encoder(self, text: str | bytes) -> IntervalEncoder:
        """The counts of all slices of a text."""
