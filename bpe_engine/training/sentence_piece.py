"""Train SentencePiece models with the package `sentencepiece`, and load the result.

    train_sentencepiece(texts, "words.model", vocab_size=8000, model_type="bpe")     ->  words.model, and its tokenizer

The package does the training; its documentation lists the options.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bpe_engine.errors import BpeEngineError, MissingExtraError

if TYPE_CHECKING:
    from bpe_engine.tokenizer import Tokenizer


def train_sentencepiece(
    texts: Iterable[str],
    path: str | PathLike[str],
    *,
    vocab_size: int,
    model_type: Literal["unigram", "bpe"] = "unigram",
    **options: object,
) -> Tokenizer:
    """Train a model, write it, and return its tokenizer.

    Args:
        texts: Sentences, read once. Each is a line, without a line end.
        path: The `.model` file to write.
        vocab_size: The largest number of pieces; with fewer, the package raises an error unless
            `hard_vocab_limit=False`.
        model_type: The algorithm that splits a text into pieces.
        options: Other options of `sentencepiece.SentencePieceTrainer.train`, such as `byte_fallback=True`.

    Raises:
        MissingExtraError: The package is not installed.
        BpeEngineError: The package cannot train with these texts and options.
        OSError: The file cannot be written.
    """
    from bpe_engine.tokenizer import Tokenizer  # noqa: PLC0415 - of a higher layer

    try:
        import sentencepiece  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("sentencepiece", "training a SentencePiece model needs sentencepiece") from error
    written = io.BytesIO()
    chosen: dict[str, Any] = {"minloglevel": 2} | options
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(texts),
            model_writer=written,
            vocab_size=vocab_size,
            model_type=model_type,
            **chosen,
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise BpeEngineError(f"sentencepiece cannot train this model: {error}") from error
    Path(path).write_bytes(written.getvalue())
    return Tokenizer.from_file(path if isinstance(path, str) else Path(path))
