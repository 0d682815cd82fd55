"""The version of the installed package."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of


def installed_version() -> str | None:
    """Return the version of the distribution `bpe-chunker`; None in a source tree that is not installed."""
    try:
        return version_of("bpe-chunker")
    except PackageNotFoundError:
        return None


def version_line() -> str:
    """Return the name of the command and the version, as in `chunker --version`."""
    return f"chunker {installed_version() or '(not installed)'}"
