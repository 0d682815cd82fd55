"""SpecificationTable: the ids of a specification, their bytes, and their text by its decoders; the texts by which added tokens are searched for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from bpe_engine.errors import UnknownTokenError, VocabularyError
from bpe_engine.formats.byte_alphabet import characters_of
from bpe_engine.pipeline.decoders import ByteLevelDecoder, SentencePieceDecoder
from bpe_engine.pipeline.specification import AddedToken, Specification
from bpe_engine.text.input import require_int
from bpe_engine.text.stream_decoder import StreamDecoder

if TYPE_CHECKING:
    from bpe_engine.pipeline.decoding import Decoding, SentencePieceDecoding

# Decoding is imported on use: a tokenizer that only counts does not need it.
# ruff: noqa: PLC0415


class SpecificationTable:
    """The tokens of a specification. Immutable except for its caches; threads may share it. See `engine.Tokens`.

    `added_texts`: id -> the text by which an added token is searched for, which may be normalized. Decoding gives this
    text, as in Hugging Face.
    """

    def __init__(self, specification: Specification, added_texts: Mapping[int, str]) -> None:
        self._specification = specification
        self._added_texts = dict(added_texts)
        special = [token for token in specification.added_tokens if token.special]
        self.special_ids = frozenset(token.id for token in special)
        self._special_texts = [token.text for token in special]
        self.has_offsets = specification.alphabet == "bytes"
        only_bytes = all(isinstance(decoder, ByteLevelDecoder) for decoder in specification.decoders)
        self._joins_bytes = specification.alphabet == "bytes" and only_bytes

    @property
    def special_texts(self) -> set[str]:
        """The texts of the special tokens."""
        return set(self._special_texts)

    def bytes_of(self, token: int) -> bytes | None:
        """Return the bytes of a token, or None if no token has the id."""
        return self._bytes.get(token)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """Return the bytes of a token. Raises UnknownTokenError if no token has the id, TypeError if it is not a whole number."""
        found = self._bytes.get(token)
        if found is None:
            require_int(token, "a token id")
            raise UnknownTokenError(f"no token of {self._specification.name or 'this tokenizer'} has the id {token!r}")
        return found

    def written(self, token: int) -> bytes:
        """Return the bytes of a token as in an original text: an added token is not normalized. Raises UnknownTokenError."""
        found = self._written.get(token)
        return self.decode_single_token_bytes(token) if found is None else found

    def id_of(self, token: bytes) -> int | None:
        """Return the id of the token with exactly these bytes, or None if there is none."""
        found = self._ids.get(token)
        if found is None:
            text = token.decode("utf-8", "replace")
            found = next((one.id for one in self._specification.added_tokens if one.special and one.text == text), None)
        return found

    def largest_id(self) -> int:
        """Return the largest id."""
        return max((*self._bytes, *self.special_ids))

    def byte_values(self) -> list[bytes]:
        """Return the bytes of all tokens except the special ones, ascending."""
        return sorted(data for token_id, data in self._bytes.items() if token_id not in self.special_ids)

    def decode(self, tokens: Sequence[int], errors: str) -> str:
        """Return the text of tokens by the decoders. Raises UnknownTokenError."""
        if self._joins_bytes:
            return self.joined(tokens).decode("utf-8", errors)
        return self._decoding(list(tokens), errors)

    def joined(self, tokens: Iterable[int]) -> bytes:
        """Return the bytes of tokens, joined. Raises UnknownTokenError."""
        listed = list(tokens)
        try:
            return b"".join(map(self._bytes.__getitem__, listed))
        except (KeyError, TypeError):
            return b"".join(map(self.decode_single_token_bytes, listed))  # the error that names the token

    @cached_property
    def _decoding(self) -> Decoding | SentencePieceDecoding:
        from bpe_engine.pipeline.decoding import Decoding, SentencePieceDecoding

        match self._specification.decoders:
            case (SentencePieceDecoder() as decoder,):
                return SentencePieceDecoding(decoder, self._texts.__getitem__)
            case decoders:
                return Decoding(decoders, self._texts.__getitem__)

    def stream_decoder(self, errors: str) -> StreamDecoder:
        """Return a decoder for tokens that come one by one."""
        if self._joins_bytes:
            return StreamDecoder(self.decode_single_token_bytes, errors)
        from bpe_engine.pipeline.streaming import TextStreamDecoder

        return TextStreamDecoder(self._texts.__getitem__, self._specification.decoders, errors)

    @cached_property
    def _texts(self) -> _Texts:
        """Id -> text, of all tokens."""
        specification = self._specification
        texts = _Texts(self._text_of_bytes)
        for tokens in (specification.texts_only, specification.tokens):
            texts.update((token_id, token) for token_id, token in tokens.items() if isinstance(token, str))
        texts.update(self._added_texts)
        return texts

    def _text_of_bytes(self, token: int) -> str:
        data = self.decode_single_token_bytes(token)
        return data.decode("utf-8", "replace") if token in self._specification.texts_only else characters_of(data)

    @cached_property
    def _bytes(self) -> dict[int, bytes]:
        """Id -> bytes, for all tokens."""
        from bpe_engine.pipeline.decoding import byte_level_bytes

        specification = self._specification
        is_byte_level = any(isinstance(decoder, ByteLevelDecoder) for decoder in specification.decoders)
        added = {
            token_id: byte_level_bytes(text) if is_byte_level else text.encode("utf-8", "surrogatepass")
            for token_id, text in self._added_texts.items()
        }
        fallback = {token_id: bytes([byte]) for byte, token_id in specification.byte_fallback.items()}
        found: dict[int, bytes] = {}
        for tokens in (specification.texts_only, specification.tokens):
            for token_id, token in tokens.items():
                found[token_id] = token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass")
        for one in specification.added_tokens:  # also those that share their text with another one
            found.setdefault(one.id, one.text.encode("utf-8", "surrogatepass"))
        return found | fallback | added

    @cached_property
    def _written(self) -> dict[int, bytes]:
        """Id -> original text, for the added tokens whose normalized text differs from it."""
        tokens = (one for one in self._specification.added_tokens if one.normalized)
        return {
            one.id: one.text.encode("utf-8", "surrogatepass")
            for one in tokens
            if self._added_texts.get(one.id, one.text) != one.text
        }

    @cached_property
    def _ids(self) -> dict[bytes, int]:
        return {data: token_id for token_id, data in self._bytes.items()}


class _Texts(dict[int, str]):
    """Id -> text; `texts[token]` makes that of a token of bytes."""

    def __init__(self, text_of: Callable[[int], str]) -> None:
        super().__init__()
        self._text_of = text_of

    def __missing__(self, token: int) -> str:
        found = self[token] = self._text_of(token)
        return found


def written_tokens(tokens: Iterable[AddedToken], normalize: Callable[[str], str] | None) -> dict[int, str]:
    """Return id -> the text that is searched for, and that the token decodes to, of the added tokens.

    Raises VocabularyError if the normalized text of a token is empty.
    """
    raw: dict[int, str] = {}
    normal: dict[int, str] = {}
    for token in tokens:
        if token.normalized and normalize is not None:
            normal[token.id] = written_text(token, normalize)
        else:
            raw[token.id] = token.text
    return raw | normal


def written_text(token: AddedToken, normalize: Callable[[str], str]) -> str:
    """Return the normalized text of an added token. Raises VocabularyError if it is empty."""
    text = normalize(token.text)
    if not text:
        raise VocabularyError(f"the added token {token.text!r} is empty after normalization")
    return text
