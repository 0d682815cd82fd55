"""Train SentencePiece models with the package `sentencepiece`, and read what it makes.

    train_sentencepiece(texts, "words.model", vocab_size=8000, model_type="bpe")     ->  words.model, and its tokenizer

Nothing is trained here: the package has the algorithms, and the options that its documentation lists.
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
        texts: Sentences, read once. One is a line: it holds no line end.
        path: The `.model` file to write.
        vocab_size: Pieces, at most; the package raises where the texts do not give as many, unless `hard_vocab_limit=False`.
        model_type: How a text is parted into pieces.
        options: More of the options of `sentencepiece.SentencePieceTrainer.train`, `byte_fallback=True`, say.

    Raises:
        MissingExtraError: The package is not installed.
        BpeEngineError: It does not train with these texts and options.
        OSError: The file cannot be written.
    """
    from bpe_engine.tokenizer import Tokenizer  # noqa: PLC0415 - of a higher floor

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
        raise BpeEngineError(f"sentencepiece does not train a model: {error}") from error
    Path(path).write_bytes(written.getvalue())
    return Tokenizer.from_file(path if isinstance(path, str) else Path(path))
