"""Download one published file, and keep it in a cache folder. Nothing else in the package uses the network."""

from __future__ import annotations

import http.client
import os
import tempfile
import urllib.error
import urllib.request
import warnings
from collections.abc import Sequence
from pathlib import Path

from bpe_engine.errors import VocabularyUnavailableError

TIMEOUT_SECONDS = 30
"""Seconds that a connection may stay silent. A slow download that goes on is not cut off."""


def read(url: str, name: str, places: Sequence[Path]) -> bytes:
    """Download the bytes at an address; `name` is the name of the file in error messages.

    Raises `VocabularyUnavailableError` if the download fails; the message suggests saving the file as one of `places`.
    """
    try:
        # All addresses are http or https: the published ones, and those that `load.py` accepts.
        with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310 - no other schemes there
            contents: bytes = answer.read()
            return contents
    except (OSError, http.client.HTTPException) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()  # the error holds the server's answer, with an open connection
        raise VocabularyUnavailableError(
            f"{name} does not come with this package, is in no cache folder, and could not be downloaded ({error}); "
            f"to use it without network access, save {url} as {' or as '.join(map(str, places)) or 'a file, and give its path'}"
        ) from error


def keep(contents: bytes, place: Path) -> None:
    """Write a file by renaming a finished temporary one, so that no other process ever reads half a file.

    If the folder is not writable, warns only, because the contents are available anyway.
    """
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=place.parent, prefix=place.name, suffix=".partial")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(contents)
            Path(temporary).replace(place)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        warnings.warn(
            f"{place} could not be written, so it will be downloaded or made again: {error}",
            RuntimeWarning,
            stacklevel=2,
        )
