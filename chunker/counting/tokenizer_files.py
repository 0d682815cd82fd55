"""Counters from tokenizer files: by our engine if it reads them, else by the package `tokenizers`.

tokenizer_of_file("qwen/tokenizer.json")    a bpe_engine.Tokenizer; of BERT and XLM-R, too
tokenizer_of_file("odd/tokenizer.json")     has a part that our engine lacks: a HuggingFaceCounter, with the extra `huggingface`
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bpe_engine import MissingExtraError, Tokenizer, UnknownEncodingError, UnsupportedModelError, VocabularyError
from chunker.counting.huggingface import HuggingFaceCounter
from chunker.counting.protocols import TokenCounter
from chunker.tokenizer_errors import loading


def tokenizer_of_file(path: str | Path) -> TokenCounter:
    """The counter of a tokenizer file.

    Raises as `Tokenizer.from_file`; for a part that the engine lacks, MissingExtraError where the
    package `tokenizers` is not installed, VocabularyError where it does not read the file either, and OptionError where its counts are left to chance.
    """
    with loading():
        try:
            return Tokenizer.from_file(path)
        except UnsupportedModelError as error:
            return HuggingFaceCounter(_by_package(Path(path), error))


def tokenizer_named(name: str, folder: Path | None = None) -> TokenCounter:
    """The tokenizer that is published under this name, else the one in the file of this name, which is looked for in `folder` if that is given.

    Raises UnknownEncodingError where there is neither, and as `tokenizer_of_file`.
    """
    with loading():
        try:
            return Tokenizer.load(name)
        except UnknownEncodingError:
            path = Path(name) if folder is None else folder / name
            if not path.is_file():
                raise
            return tokenizer_of_file(path)


def _by_package(path: Path, refusal: UnsupportedModelError) -> Any:  # noqa: ANN401  # of a package that need not be there
    try:
        from tokenizers import Tokenizer as HuggingFaceTokenizer  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("huggingface", str(refusal)) from error
    try:
        return HuggingFaceTokenizer.from_file(str(path))
    except Exception as error:
        raise VocabularyError(f"{refusal}, and that does not read the file: {error}") from error
