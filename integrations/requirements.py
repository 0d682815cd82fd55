"""The error of a plug-in whose package is not installed."""

from __future__ import annotations

from chunker.errors import MissingExtraError


def missing(error: ModuleNotFoundError, extra: str) -> MissingExtraError:
    """Return the error to raise from `error`; it says how to install the missing package.

    >>> str(missing(ModuleNotFoundError("No module named 'haystack'", name="haystack"), "haystack"))
    'haystack is not installed: pip install "bpe-chunker[haystack]"'
    """
    return MissingExtraError(str(error.name), extra)
