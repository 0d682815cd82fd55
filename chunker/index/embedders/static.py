"""StaticEmbedder: a vector of word pieces beside a vector of hashed words. Each word piece has one vector, whatever stands around it.

    text  ->  its hashed words and parts of words (HashingEmbedder)                       256 numbers, 0.6 of the square of its length
          ->  the mean of the vectors of its word pieces (distilled.py), by model2vec     256 numbers, 0.4

So the cosine of two texts is 0.6 of that of their spelling and 0.4 of that of what their words mean, one by one. A word
piece has one vector wherever it stands: "river bank" and "bank account" share that of "bank". Names of code, which no
model has seen, are found by their spelling.

Tried, on the questions of benchmarks/search (retrieval_sets, people): word pieces alone find less than hashed words
alone (people's questions 45 to 42, but docstrings 22 to 31 hundredths of reciprocal rank); shares of 0.5, 0.6 and 0.7,
each with 256 and 512 hashed numbers, differ by a few of 569 questions; parts of identifiers as further words, 384
components and rows of length 1 before them change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

from chunker.index.embedders import distilled
from chunker.index.embedders.hashing import HashingEmbedder
from chunker.index.embedders.local_models import Model2VecEmbedder, _package
from chunker.index.embedders.minilm import word_pieces
from chunker.index.vectors import Vectors, unit_rows

_HASHED = 256
_SHARE_HASHED = 0.6


class StaticEmbedder(Model2VecEmbedder):
    """Static vectors of all-MiniLM-L6-v2 beside hashed words. The first one on a machine makes the vectors, which takes half a minute; they are kept.

    Raises `MissingExtraError` if a package is not installed, `EmbedderError` if the weights of the model cannot be
    read.
    """

    model_id = "all-MiniLM-L6-v2-static"
    revision = f"{distilled.RECIPE}+{HashingEmbedder.revision}"
    dimensions = distilled.DIMENSIONS + _HASHED
    # Model2Vec gathers a vector for each piece of a batch.
    max_batch_tokens = 65_536

    def __init__(self) -> None:
        package = _package("model2vec", "static")
        tokenizer = word_pieces("static")
        vectors = distilled.piece_vectors(tokenizer.get_vocab_size())
        self._model = package.StaticModel(vectors, tokenizer, max_length=None)
        self._hashed = HashingEmbedder(_HASHED)

    def __reduce__(self) -> tuple[type[StaticEmbedder], tuple[()]]:
        """Pickle the name: another process loads the vectors itself."""
        return StaticEmbedder, ()

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts, read to their end."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        hashed = self._hashed.embed(texts) * np.float32(sqrt(_SHARE_HASHED))
        pieces = unit_rows(super().embed(texts)) * np.float32(sqrt(1 - _SHARE_HASHED))
        return np.concatenate([hashed, pieces], axis=1)
