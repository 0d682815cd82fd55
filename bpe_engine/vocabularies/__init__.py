"""The vocabularies that come with the package, and the table of all published ones.

- `<name>.tokens` holds the tokens of one vocabulary, packed by `packing.py`; `scripts/build_vocabularies.py` makes
  these files from the published ones and checks the published SHA-256 before it writes.
- `published.json` holds what is published about each encoding: its pattern, special tokens, files, and models.
"""

from __future__ import annotations

import pkgutil
from functools import cache

from bpe_engine.errors import VocabularyError
from bpe_engine.vocabularies import packing

EMBEDDED = ("cl100k_base", "o200k_base")


@cache
def load_ranks(name: str) -> dict[bytes, int]:
    """The tokens of an embedded vocabulary: token bytes -> id. The dictionary is shared; do not change it."""
    if name not in EMBEDDED:
        raise VocabularyError(f"{name!r} is not an embedded vocabulary; those are {', '.join(EMBEDDED)}")
    try:
        tokens = packing.unpack(_package_data(f"{name}.tokens"))
    except (OSError, VocabularyError) as error:
        message = f"the package data {name}.tokens of {__name__} is not usable: {error}; install the package again"
        raise VocabularyError(message) from error
    return dict(zip(tokens, range(len(tokens)), strict=True))


def published_table() -> str:
    """The text of `published.json`."""
    return _package_data("published.json").decode()


def _package_data(file_name: str) -> bytes:
    # pkgutil, because importing importlib.resources costs 20 ms and does no more here.
    data = pkgutil.get_data(__name__, file_name)
    if data is None:
        raise VocabularyError(f"the loader of {__name__} gives no access to package data")
    return data
