"""Compile the model of a specification: merges, WordPiece, WordLevel or Unigram, with tokens as bytes for the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from bpe_engine import _core
from bpe_engine.errors import NotNativeError, VocabularyError
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER
from bpe_engine.formats.tables import ReadMerges, ReadNumbers, ReadTokens
from bpe_engine.pipeline.pre_tokenizers import ByteLevel

if TYPE_CHECKING:
    from bpe_engine.pipeline.specification import Specification

_NO_RANK: Final = 0xFFFFFFFF


def piece_model(specification: Specification) -> _core.PieceModel:
    """Compile a model of WordPiece, WordLevel or Unigram. Raises NotNativeError."""
    if any(isinstance(one, ByteLevel) for one in specification.pre_tokenizers):
        raise NotNativeError(f"the model {specification.model!r} after ByteLevel")
    tokens = cast("Mapping[int, str]", specification.tokens)  # all of these models have tokens of characters
    unknown = specification.unknown if isinstance(specification.unknown, int) else None
    if specification.model == "wordpiece":
        return _core.WordPieceModel(
            _utf8(tokens),
            unknown=unknown,
            prefix=specification.continuing_prefix.encode(),
            most_characters=specification.max_characters,
        )
    if specification.model == "wordlevel":
        return _core.WordLevelModel(_utf8(tokens), unknown=unknown)
    scores = {} if specification.scores is None else specification.scores
    return _core.UnigramModel(
        tokens.tables
        if isinstance(tokens, ReadTokens) and isinstance(scores, ReadNumbers)
        else [
            (token.encode("utf-8", "surrogatepass"), token_id, scores[token_id]) for token_id, token in tokens.items()
        ],
        unknown=unknown,
        bytes=dict(specification.byte_fallback),
        user_defined=specification.user_defined,
        like=specification.like,
    )


def _utf8(tokens: Mapping[int, str]) -> _core.TokenTables | dict[bytes, int]:
    """Return token bytes -> id, or the core's own tables if the core has read the tokens."""
    if isinstance(tokens, ReadTokens):
        return tokens.tables
    return {token.encode("utf-8", "surrogatepass"): token_id for token_id, token in tokens.items()}


def merge_model(specification: Specification) -> _core.MergeModel:
    """Compile a model of byte-pair encoding. Raises NotNativeError, or VocabularyError for merges that do not make tokens."""
    tokens = specification.tokens
    by_characters = specification.alphabet == "characters"
    if by_characters and any(isinstance(one, ByteLevel) for one in specification.pre_tokenizers):
        # After ByteLevel each character stands for a byte; a token with any other character is never made.
        if specification.byte_fallback:
            raise NotNativeError("byte fallback where characters stand for bytes")
        tokens, by_characters = _in_bytes(tokens), False
    is_read = isinstance(specification.merges, ReadMerges) or isinstance(specification.ranks, ReadNumbers)
    settings: dict[str, Any] = {
        "by_characters": by_characters,
        "ignore_merges": specification.ignore_merges,
        "unknown": specification.unknown,
        "fuse_unknown": specification.fuse_unknown,
        "continuing_prefix": specification.subword_prefix,
        "end_suffix": specification.word_suffix,
        "byte_fallback": dict(specification.byte_fallback),
    }
    if isinstance(tokens, ReadTokens) and is_read:
        return _core.MergeModel.of_tables(tokens.tables, **settings)
    texts = [token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass") for token in tokens.values()]
    merges, ranks = None, None
    if specification.merges is not None:
        merges = (
            specification.merges
            if len(tokens) == len(specification.tokens)
            else [pair for pair in specification.merges if pair[0] in tokens and pair[1] in tokens]
        )
    elif specification.ranks is not None:
        ranks = [specification.ranks.get(token_id, _NO_RANK) for token_id in tokens]
    else:
        ranks = list(tokens)
    try:
        return _core.MergeModel.create(texts, list(tokens), merges, ranks, **settings)
    except VocabularyError as error:
        raise VocabularyError(f"{specification.source}: {error}") from error


def _in_bytes(tokens: Mapping[int, bytes] | Mapping[int, str]) -> dict[int, bytes]:
    return {
        token_id: bytes(map(BYTE_OF_CHARACTER.__getitem__, token))
        for token_id, token in tokens.items()
        if isinstance(token, str) and all(character in BYTE_OF_CHARACTER for character in token)
    }
