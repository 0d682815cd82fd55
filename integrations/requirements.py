"""The error of a plug-in whose package is not installed."""

from __future__ import annotations


def missing(error: ModuleNotFoundError, extra: str) -> ImportError:
    """The error to raise from `error`, which says how to install what is missing.

    >>> missing(ModuleNotFoundError("No module named 'haystack'", name="haystack"), "haystack")
    ImportError('this plug-in needs the package haystack, which is not installed: pip install "bpe-chunker[haystack]"')
    """
    return ImportError(
        f'this plug-in needs the package {error.name}, which is not installed: pip install "bpe-chunker[{extra}]"',
        name=error.name,
    )
