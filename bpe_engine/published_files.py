"""Published files: found in a cache folder or downloaded once, and never used without the published hash.

The order: the folder that TIKTOKEN_CACHE_DIR names, under tiktoken's file name (the SHA-1 of the address); our own cache folder,
under the file's own name; the publisher. Only our own folder is written to.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import tempfile
import urllib.error
import urllib.request
import warnings
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from bpe_engine.errors import HashMismatchError, VocabularyUnavailableError

_TIMEOUT_SECONDS = 30


@dataclass(frozen=True)
class PublishedFile:
    """One file of a publisher: its address, the SHA-256 of its contents in hexadecimal, its name in our cache folder."""

    url: str
    sha256: str
    save_as: str


def own_cache_folder() -> Path:
    """Where downloads are kept: the user's cache folder of the platform, such as ~/.cache/bpe-chunker."""
    return Path(platformdirs.user_cache_dir("bpe-chunker", appauthor=False))


def fetch(file: PublishedFile) -> bytes:
    """The contents of a published file, from a cache folder or the publisher.

    Raises `HashMismatchError` for contents with another hash, wherever they come from (a damaged cached file is neither
    used nor removed), and `VocabularyUnavailableError` where the file is in no folder and cannot be downloaded.
    """
    own_place = own_cache_folder() / file.save_as
    for place in (_tiktoken_place(file), own_place):
        if place is not None and place.is_file():
            contents = place.read_bytes()
            _check_hash(contents, file, f"the cached file {place}", "remove it to have it downloaded again")
            return contents
    contents = _download(file, own_place)
    _check_hash(contents, file, f"what {file.url} answered", "try again later, or from another network")
    _keep(contents, own_place)
    return contents


def _tiktoken_place(file: PublishedFile) -> Path | None:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR")
    if not folder:
        return None
    # SHA-1 because tiktoken names its cached files so; nothing depends on its strength.
    return Path(folder) / hashlib.sha1(file.url.encode(), usedforsecurity=False).hexdigest()


def _check_hash(contents: bytes, file: PublishedFile, what: str, advice: str) -> None:
    found = hashlib.sha256(contents).hexdigest()
    if found != file.sha256:
        raise HashMismatchError(
            f"{what} is not the published {file.save_as}: its SHA-256 is {found} ({len(contents)} bytes), "
            f"the published one is {file.sha256}; {advice}"
        )


def _download(file: PublishedFile, own_place: Path) -> bytes:
    try:
        with urllib.request.urlopen(file.url, timeout=_TIMEOUT_SECONDS) as answer:  # noqa: S310 - see PublishedFile.url
            contents: bytes = answer.read()
            return contents
    except (OSError, http.client.HTTPException) as error:
        tiktoken_place = _tiktoken_place(file)
        also = f" (or as {tiktoken_place})" if tiktoken_place is not None else ""
        raise VocabularyUnavailableError(
            f"{file.save_as} does not come with this package, is in no cache folder, and could not be downloaded ({error}); "
            f"to use it without network access, save {file.url} as {own_place}{also}"
        ) from error


def _keep(contents: bytes, place: Path) -> None:
    """Write by renaming a finished temporary file, so that no other process ever reads half of it."""
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
            f"{place} could not be written ({error}); it will be downloaded again next time", RuntimeWarning, stacklevel=2
        )
