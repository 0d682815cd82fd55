"""The embedded vocabularies, and the table of all published encodings.

- `<name>.tokens` holds the tokens of one vocabulary, packed by `packing.py`; `scripts/build_vocabularies.py` makes
  these files from the published ones and checks the published SHA-256 before it writes.
- `published.json` holds the published facts about each encoding: its pattern, special tokens, files, and models.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from typing import TypeVar

from bpe_engine.errors import VocabularyError
from bpe_engine.published.data import packing

Unpacked = TypeVar("Unpacked")

EMBEDDED = {"cl100k_base": 100_256, "o200k_base": 199_998}
"""Name -> number of tokens, known without reading a file."""

_loaded: dict[str, dict[bytes, int]] = {}


def load_planes(name: str) -> bytes:
    """Read the tokens of an embedded vocabulary as the planes of `packing.py`, for the compiled core: six bytes a token.

    Each call reads the file again, in about 5 ms. Raises VocabularyError for an unknown name and for damaged package
    data.
    """
    return _unpacked(name, packing.unpack_planes)


def load_ranks(name: str) -> dict[bytes, int]:
    """Return the tokens of an embedded vocabulary: token bytes -> id. The dictionary is shared; do not change it.

    The first call makes the dictionary; later calls return the same object. Raises as `load_planes`.
    """
    ranks = _loaded.get(name)
    if ranks is None:
        # No lock, which a fork could leave locked: if two threads load at once, the first result is kept.
        ranks = _loaded.setdefault(name, _unpacked(name, _ranks_of))
    return ranks


def published_table() -> str:
    """Return the text of `published.json`."""
    return _package_data("published.json").decode()


def _ranks_of(packed: bytes) -> dict[bytes, int]:
    tokens = packing.unpack(packed)
    ranks = dict(zip(tokens, range(len(tokens)), strict=True))
    if len(ranks) != len(tokens):
        raise VocabularyError("the packed tokens are damaged: one occurs twice")
    return ranks


def _unpacked(name: str, unpack: Callable[[bytes], Unpacked]) -> Unpacked:
    if name not in EMBEDDED:
        raise VocabularyError(f"{name!r} is not an embedded vocabulary; those are {', '.join(EMBEDDED)}")
    try:
        return unpack(_package_data(f"{name}.tokens"))
    except (OSError, VocabularyError) as error:
        message = f"the package data {name}.tokens of {__name__} is not usable: {error}; install the package again"
        raise VocabularyError(message) from error


def _package_data(file_name: str) -> bytes:
    # pkgutil, because importing importlib.resources takes 20 ms and has no advantage here.
    data = pkgutil.get_data(__name__, file_name)
    if data is None:
        raise VocabularyError(f"the loader of {__name__} gives no access to package data")
    return data
