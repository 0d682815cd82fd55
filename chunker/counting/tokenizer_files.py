"""Tokenizer files: decide whether a string means a file, and load a counter from it, by our engine if it can read the
file, else by the package `tokenizers`.

tokenizer_path("gpt-4o")                    None: a published name
tokenizer_path("qwen/tokenizer.json")       a path: it has a separator, or the suffix of a tokenizer file
tokenizer_of_file("qwen/tokenizer.json")    a bpe_engine.Tokenizer; of BERT and XLM-R, too
tokenizer_of_file("odd/tokenizer.json")     has a part that our engine lacks: a HuggingFaceCounter, with the extra `huggingface`
"""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from bpe_engine import MissingExtraError, Tokenizer, UnknownEncodingError, UnsupportedModelError, VocabularyError
from bpe_engine.at_exit import cache_until_exit
from bpe_engine.published.registry import encoding_name_for_model, published_encodings
from chunker.counting.counters import UNITS
from chunker.counting.huggingface import HuggingFaceCounter
from chunker.counting.protocols import TokenCounter
from chunker.tokenizer_errors import UnknownTokenizerError, loading

# The suffixes of tokenizer files. No published name has one of them, but a file name may begin like a model name:
# "gpt-4o-tokenizer.json".
_SUFFIXES = (".json", ".tiktoken", ".gguf", ".model", ".bpe")
# The files in which models keep their tokenizer, the best first.
_NAMES = ("tokenizer.json", "tekken.json", "tokenizer.model")


def tokenizer_path(given: str | os.PathLike[str], folder: str | os.PathLike[str] | None = None) -> Path | None:
    """Return the tokenizer file that a name or path means; None for a name.

    A path object means a file, as does a str with a path separator or with the suffix of a tokenizer file. Any other
    str means the published encoding, model or unit of this name; if there is none, a file or folder of this name that
    exists.

    Args:
        given: The name or path.
        folder: The folder that a relative path is relative to; None for the current one.
    """
    path = given if folder is None else Path(folder, given)
    is_name = isinstance(given, str) and not _is_path(given)
    # An empty name would be the folder. Path.exists raises for a long text.
    if is_name and (given == "" or _is_name(str(given)) or not os.path.exists(path)):  # noqa: PTH110
        return None
    return Path(path)


def _is_path(given: str) -> bool:
    return "/" in given or os.sep in given or given.lower().endswith(_SUFFIXES)


def require_file(path: Path) -> Path:
    """Return `path` if it is a file. Raises UnknownTokenizerError otherwise."""
    if os.path.isfile(path):  # noqa: PTH113  # as above
        return path
    if path.is_dir():
        inside = next((path / name for name in _NAMES if (path / name).is_file()), None)
        hint = "" if inside is None else f"; pass the file in it: {str(inside)!r}"
        raise UnknownTokenizerError(f"{str(path)!r} is a folder, not a tokenizer file{hint}")
    hint = (
        ""
        if path.suffix.lower() in _SUFFIXES
        else "; a model of the Hugging Face Hub is loaded by Tokenizer.from_pretrained"
    )
    raise UnknownTokenizerError(f"{str(path)!r} is not a file: there is no such tokenizer file{hint}")


def engine_tokenizer(given: str | os.PathLike[str]) -> Tokenizer:
    """Load the tokenizer of our engine for a name or path; it returns token ids, while a counter only counts.

    Raises as `Tokenizer.load` and `Tokenizer.from_file`, except that a missing file is an UnknownTokenizerError, not an
    OSError.
    """
    path = tokenizer_path(given)
    with loading():
        return Tokenizer.load(str(given)) if path is None else Tokenizer.from_file(require_file(path))


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a tokenizer file, in hexadecimal digits. Raises UnknownTokenizerError if there is no file,
    and OSError.
    """
    return hashlib.sha256(require_file(path).read_bytes()).hexdigest()


def tokenizer_of_file(path: str | os.PathLike[str]) -> TokenCounter:
    """Return the counter of a tokenizer file: the same object for all chunkers as long as the file does not change.

    Raises UnknownTokenizerError if there is no file, and as `Tokenizer.from_file`. For a part that the engine lacks:
    MissingExtraError if the package `tokenizers` is not installed, VocabularyError if it does not read the file either,
    and OptionError if its counts are random.
    """
    found = require_file(Path(path))
    now = found.stat()
    # The path as given is part of the key, too: the name of the tokenizer and messages contain it.
    return _counter_of(str(found), os.path.realpath(found), now.st_mtime_ns, now.st_size)


@cache_until_exit
@lru_cache(maxsize=8)
def _counter_of(path: str, _real: str, _modified: int, _bytes: int) -> TokenCounter:
    with loading():
        try:
            return Tokenizer.from_file(path)
        except UnsupportedModelError as error:
            return HuggingFaceCounter(_by_package(Path(path), error))


def _is_name(given: str) -> bool:
    if given in UNITS or given in published_encodings():
        return True
    try:
        encoding_name_for_model(given)
    except UnknownEncodingError:
        return False
    return True


def _by_package(path: Path, refusal: UnsupportedModelError) -> Any:  # noqa: ANN401  # of a package that need not be there
    try:
        from tokenizers import Tokenizer as HuggingFaceTokenizer  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("huggingface", str(refusal)) from error
    try:
        return HuggingFaceTokenizer.from_file(str(path))
    except Exception as error:
        raise VocabularyError(f"{refusal}, which cannot read the file: {error}") from error
