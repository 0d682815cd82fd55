"""Errors of loading a tokenizer that are exceptions of both the engine and the chunker.

try:
chunks = chunk(text, 512, tokenizer="no such model")
except ChunkerError as error:           # or bpe_engine.UnknownEncodingError
...
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bpe_engine import errors as engine
from chunker.errors import ChunkerError, MissingExtraError


class TokenizerError(ChunkerError, engine.BpeEngineError):
    """A tokenizer cannot be used; the message is that of the engine."""


class UnknownTokenizerError(TokenizerError, engine.UnknownEncodingError):
    """No encoding or model has this name."""


class UnsupportedTokenizerError(TokenizerError, engine.UnsupportedModelError):
    """Raised for a well-formed tokenizer with a part that is not supported."""


class TokenizerUnavailableError(TokenizerError, engine.VocabularyUnavailableError):
    """The files of a published tokenizer are not on this machine, and cannot be downloaded."""


class TokenizerHashError(TokenizerError, engine.HashMismatchError):
    """The contents of a published file differ from the published ones."""


class BrokenTokenizerError(TokenizerError, engine.VocabularyError):
    """The files of a tokenizer are damaged or incomplete."""


class MissingTokenizerPackageError(MissingExtraError, TokenizerError, engine.MissingExtraError):
    """A tokenizer needs a package that is not installed; the message says what for, and how to install it."""

    def __init__(self, extra: str, reason: str) -> None:
        MissingExtraError.__init__(self, extra, extra)
        self.reason = reason
        self.args = (extra, reason)

    def __str__(self) -> str:
        return engine.MissingExtraError.__str__(self)


# Most specific first.
_OURS: tuple[tuple[type[engine.BpeEngineError], type[TokenizerError]], ...] = (
    (engine.UnknownEncodingError, UnknownTokenizerError),
    (engine.UnsupportedModelError, UnsupportedTokenizerError),
    (engine.VocabularyUnavailableError, TokenizerUnavailableError),
    (engine.HashMismatchError, TokenizerHashError),
    (engine.MissingExtraError, MissingTokenizerPackageError),
    (engine.VocabularyError, BrokenTokenizerError),
    (engine.BpeEngineError, TokenizerError),
)


@contextmanager
def loading() -> Iterator[None]:
    """Raise errors of the engine as the matching exceptions above."""
    try:
        yield
    except TokenizerError:
        raise
    except engine.BpeEngineError as error:
        kind = next(ours for theirs, ours in _OURS if isinstance(error, theirs))
        raise kind(*error.args) from error
