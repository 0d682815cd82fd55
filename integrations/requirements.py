"""The error of a plug-in whose package is not installed."""

from __future__ import annotations

from chunker.errors import MissingExtraError


def missing(error: ModuleNotFoundError, extra: str) -> MissingExtraError:
    """The error to raise from `error`, which says how to install what is missing.

    >>> str(missing(ModuleNotFoundError("No module named 'haystack'", name="haystack"), "haystack"))
    'haystack is not installed: pip install "bpe-chunker[haystack]"'
    """
    return MissingExtraError(str(error.name), extra)
