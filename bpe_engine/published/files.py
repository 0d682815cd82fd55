"""Find published files in a cache folder, or download them once. A file with another hash than the published one is never used.

Search order: the folder that TIKTOKEN_CACHE_DIR names, under tiktoken's file name (the SHA-1 of the address); our own
cache folder, under the file's own name; the publisher. Only our own folder is written to.
"""

from __future__ import annotations

import os
from pathlib import Path

from bpe_engine.errors import HashMismatchError
from bpe_engine.pipeline.records import Record

# Embedded vocabularies need no hashes, whose module takes as long to import as a tenth of this package.
# ruff: noqa: PLC0415


class PublishedFile(Record):
    """One published file: its address, the SHA-256 of its contents in hexadecimal, and its name in our cache folder.

    If `sha256` is None, any contents are accepted: for addresses from a caller.
    """

    url: str
    sha256: str | None
    save_as: str


def own_cache_folder() -> Path:
    """Return the folder of downloads: the platform's cache folder of the user, such as ~/.cache/bpe-chunker."""
    import platformdirs

    return Path(platformdirs.user_cache_dir("bpe-chunker", appauthor=False))


def fetch(file: PublishedFile) -> bytes:
    """Return the contents of a published file, from a cache folder or the publisher.

    Raises `HashMismatchError` for contents with another hash, from any source (a damaged cached file is neither used
    nor removed), and `VocabularyUnavailableError` if the file is in no folder and cannot be downloaded.
    """
    own_place = own_cache_folder() / file.save_as
    tiktoken_place = _tiktoken_place(file)
    for place in (tiktoken_place, own_place):
        if place is not None and place.is_file():
            contents = place.read_bytes()
            _check_hash(contents, file, f"the cached file {place}", "remove it to have it downloaded again")
            return contents
    # Imported late: few programs download files, and the network modules take longer to import than this whole package.
    from bpe_engine.published import download

    places = [own_place] if tiktoken_place is None else [own_place, tiktoken_place]
    contents = download.read(file.url, file.save_as, places)
    _check_hash(contents, file, f"what {file.url} answered", "try again later, or from another network")
    download.keep(contents, own_place)
    return contents


def _tiktoken_place(file: PublishedFile) -> Path | None:
    folder = os.environ.get("TIKTOKEN_CACHE_DIR")
    if not folder:
        return None
    import hashlib

    # tiktoken names its cached files by SHA-1; nothing depends on the strength of the hash.
    return Path(folder) / hashlib.sha1(file.url.encode(), usedforsecurity=False).hexdigest()


def _check_hash(contents: bytes, file: PublishedFile, what: str, advice: str) -> None:
    import hashlib

    found = hashlib.sha256(contents).hexdigest()
    if file.sha256 is not None and found != file.sha256:
        raise HashMismatchError(
            f"{what} is not the published {file.save_as}: its SHA-256 is {found} ({len(contents)} bytes), "
            f"the published one is {file.sha256}; {advice}"
        )
