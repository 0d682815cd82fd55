"""The vocabularies that come with the package, and the table of all published ones.

- `<name>.tokens` holds the tokens of one vocabulary, packed by `packing.py`; `scripts/build_vocabularies.py` makes
  these files from the published ones and checks the published SHA-256 before it writes.
- `published.json` holds what is published about each encoding: its pattern, special tokens, files, and models.
"""

from __future__ import annotations

from importlib import resources

from bpe_engine.errors import VocabularyError
from bpe_engine.vocabularies import packing

EMBEDDED = ("cl100k_base", "o200k_base")


def load_ranks(name: str) -> dict[bytes, int]:
    """The tokens of an embedded vocabulary: token bytes -> id. Reads the package data anew on each call."""
    if name not in EMBEDDED:
        raise VocabularyError(f"{name!r} is not an embedded vocabulary; those are {', '.join(EMBEDDED)}")
    file = resources.files(__name__) / f"{name}.tokens"
    try:
        tokens = packing.unpack(file.read_bytes())
    except (OSError, VocabularyError) as error:
        raise VocabularyError(f"the package data {file} is not usable ({error}); install the package again") from error
    return dict(zip(tokens, range(len(tokens)), strict=True))


def published_table() -> str:
    """The text of `published.json`."""
    return (resources.files(__name__) / "published.json").read_text("utf-8")
