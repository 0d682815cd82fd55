"""Token counters: by name, by our own tokenizers, by those of other packages, by functions.

    TextChunker(512, tokenizer="gpt-4o")                                  an encoding or model
    TextChunker(512, tokenizer="qwen/tokenizer.json")                     a tokenizer file, also as a Path
    TextChunker(512, tokenizer=tokenizers.Tokenizer.from_file(...))       WordPiece, Unigram, BPE of Hugging Face
    TextChunker(512, tokenizer=tiktoken.get_encoding("r50k_base"))
    TextChunker(512, tokenizer=lambda text: len(model.tokenize(text)))    any function
    TextChunker(2000, tokenizer="characters")                             also "bytes" and "words"

Each becomes a `TokenCounter`. Its invariant: after every call, the count of a growing text equals a fresh count of that
text.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from bpe_engine import Tokenizer, UnknownEncodingError
from bpe_engine.at_exit import cache_until_exit
from bpe_engine.published.registry import published_encodings
from chunker.counting.counters import UNITS, Measured, RecountingCounter, SettlingCounter, UnitCounter
from chunker.counting.huggingface import HuggingFaceCounter, is_huggingface
from chunker.counting.protocols import (
    AnyTokenizer,
    AppendingCounter,
    Mark,
    PrependingCounter,
    SupportsEncode,
    TokenCounter,
)
from chunker.counting.tiktoken_encodings import is_tiktoken, tiktoken_counter
from chunker.counting.tokenizer_files import tokenizer_of_file, tokenizer_path
from chunker.errors import WrongTypeError
from chunker.tokenizer_errors import UnknownTokenizerError, loading

__all__ = [
    "AnyTokenizer",
    "AppendingCounter",
    "HuggingFaceCounter",
    "Mark",
    "PrependingCounter",
    "RecountingCounter",
    "SettlingCounter",
    "SupportsEncode",
    "TokenCounter",
    "UnitCounter",
    "name_of_tokenizer",
    "resolve_tokenizer",
]


def resolve_tokenizer(tokenizer: AnyTokenizer, *, folder: Path | None = None) -> TokenCounter:
    """Make a counter of a tokenizer, of its name, or of its file.

    Args:
        tokenizer: One of these: the name of an encoding or model, or "characters", "bytes", "words"; a tokenizer file,
            as a path or a str: with a path separator or the suffix of a tokenizer file (.json, .tiktoken, .gguf,
            .model, .bpe) a str is a path, any other is a name if one is published, else the file of this name; a
            `TokenCounter`, such as `bpe_engine.Tokenizer`, which is returned as it is; a tokenizer of the packages
            tokenizers or transformers, or an encoding of tiktoken; another object with an `encode` that returns a list
            of tokens, such as a `sentencepiece.SentencePieceProcessor`; a function from a text to the number of its
            tokens, or to a list of them.
        folder: The folder that a relative path is relative to; None for the current one.

    Returns:
        The counter. Its `count` gives tokens, or characters, bytes or words if `tokenizer` names one of these units.

    Raises:
        UnknownEncodingError: There is no such name or file; as `bpe_engine.Tokenizer.load`, and as a `ChunkerError` too
            (`chunker.tokenizer_errors`).
        WrongTypeError: The object is none of these.
    """
    if isinstance(tokenizer, str | os.PathLike):
        path = tokenizer_path(tokenizer, folder)
        return _load(str(tokenizer)) if path is None else tokenizer_of_file(path)
    if isinstance(tokenizer, TokenCounter) and not isinstance(tokenizer, type):
        return tokenizer
    if is_huggingface(tokenizer):
        return HuggingFaceCounter(tokenizer)
    if is_tiktoken(tokenizer):
        return tiktoken_counter(tokenizer)
    if hasattr(tokenizer, "num_special_tokens_to_add") and hasattr(tokenizer, "encode"):
        return _SlowCounter(tokenizer)
    if not isinstance(tokenizer, type):
        encode = getattr(tokenizer, "encode", None)
        if callable(encode):
            return RecountingCounter(Measured(encode))
        if callable(tokenizer):
            return RecountingCounter(Measured(tokenizer))
    raise WrongTypeError(
        'tokenizer must be the name of an encoding or model, a tokenizer file, "characters", "bytes" or "words", a tokenizer of bpe_engine, tokenizers, '
        f"transformers or tiktoken, or a function that counts the tokens of a text; got {tokenizer!r:.100}"
    )


def name_of_tokenizer(tokenizer: TokenCounter) -> str | None:
    """The name by which `resolve_tokenizer` finds a counter.

    Args:
        tokenizer: The counter.

    Returns:
        The name; None for a counter without one.
    """
    if isinstance(tokenizer, UnitCounter):
        return tokenizer.unit
    name = tokenizer.name if isinstance(tokenizer, Tokenizer) else None
    return name if name in published_encodings() else None


class _SlowCounter(RecountingCounter):
    """Counter for a tokenizer of transformers that is written in Python."""

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401  # duck-typed: the package is not a dependency
        super().__init__(Measured(_WithoutSpecialTokens(tokenizer)))
        self.reserve = int(tokenizer.num_special_tokens_to_add(pair=False))


class _WithoutSpecialTokens:
    """Encodes a text with a tokenizer of transformers, without special tokens."""

    def __init__(self, tokenizer: Any) -> None:  # noqa: ANN401  # duck-typed: the package is not a dependency
        self.tokenizer = tokenizer

    def __call__(self, text: str) -> object:
        return self.tokenizer.encode(text, add_special_tokens=False)

    def __repr__(self) -> str:
        return f"{type(self.tokenizer).__name__}"


@cache_until_exit
def _load(name: str) -> TokenCounter:
    """Return the counter of this name. All chunkers share it: it is immutable, and building one takes longer than
    chunking a small file.
    """
    if name in UNITS:
        return UnitCounter(name)
    with loading():
        try:
            return Tokenizer.load(name)
        except UnknownEncodingError as error:
            raise UnknownTokenizerError(f"{error}; there is also no file of this name") from error
