"""Embedders of other kinds as ours: functions, and the embedding objects of LangChain and LlamaIndex.

    Index.open(".chunker", embedder=lambda texts: model.encode(texts))
    Index.open(".chunker", embedder=OllamaEmbeddings(model="nomic-embed-text"))                  LangChain
    Index.open(".chunker", embedder=HuggingFaceEmbedding("BAAI/bge-small-en-v1.5"))              LlamaIndex
    CallableEmbedder(embed, model_id="mine", revision="2")                                       a function and its name

Vectors are kept by the name of their model: that which the object tells, else that of its class or function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from chunker.arguments import whole_number
from chunker.errors import WrongTypeError
from chunker.index.embedders.base import Embedder
from chunker.index.errors import EmbedderError
from chunker.index.vectors import Vectors

# Where the objects of other packages have the name of their model.
_NAMES = ("model_name", "model", "model_id", "deployment", "repo_id")
_BATCH = 64
# What is embedded to find out how long vectors are.
PROBE = "How long is a vector?"


class DocumentEmbeddings(Protocol):
    """Protocol of the embedding objects of LangChain."""

    def embed_documents(self, texts: list[str]) -> Any:  # noqa: ANN401  # rows of numbers
        """The vectors of texts."""
        ...

    def embed_query(self, text: str) -> Any:  # noqa: ANN401  # numbers
        """The vector of a question."""
        ...


class TextEmbeddings(Protocol):
    """Protocol of the embedding objects of LlamaIndex."""

    def get_text_embedding_batch(self, texts: list[str]) -> Any:  # noqa: ANN401  # rows of numbers
        """The vectors of texts."""
        ...

    def get_query_embedding(self, query: str) -> Any:  # noqa: ANN401  # numbers
        """The vector of a question."""
        ...


AnyEmbedder = Embedder | DocumentEmbeddings | TextEmbeddings | Callable[[list[str]], Any]


class CallableEmbedder:
    """An embedder made of a function.

    Args:
        function: Texts -> their vectors, as an array or as lists of numbers, a row for each text.
        query: A question -> its vector; None for the function that embeds texts.
        model_id: The name of the model, under which vectors are kept; None for that of the function.
        revision: The version of the model: another one makes other vectors.
        dimensions: The length of a vector; None to find it out by embedding a text.
        prefix: The text that the function puts before each text.
        tokenizer: The encoding whose tokens the model reads.
        max_batch_texts: The largest number of texts in a call.
        max_batch_tokens: The largest number of tokens in a call with more than one text.

    Raises:
        OptionError: An option cannot be used.
    """

    def __init__(  # noqa: PLR0913  # as many as embedders differ in
        self,
        function: Callable[[list[str]], Any],
        *,
        query: Callable[[str], Any] | None = None,
        model_id: str | None = None,
        revision: str = "",
        dimensions: int | None = None,
        prefix: str = "",
        tokenizer: str = "o200k_base",
        max_batch_texts: int = _BATCH,
        max_batch_tokens: int = 65_536,
    ) -> None:
        if not callable(function):
            raise WrongTypeError(f"function must be a function of a list of texts, not {function!r}")
        max_batch_texts = whole_number(max_batch_texts, "max_batch_texts", least=1)
        dimensions = None if dimensions is None else whole_number(dimensions, "dimensions", least=1)
        self._function = function
        self._query = query
        self._dimensions = dimensions
        self.model_id = model_id if model_id is not None else _name_of(function)
        self.revision = revision
        self.prefix = prefix
        self.tokenizer = tokenizer
        self.max_batch_texts = max_batch_texts
        self.max_batch_tokens = max_batch_tokens

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        if self._dimensions is None:
            self._dimensions = len(self.embed([PROBE])[0])
        return self._dimensions

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """Embed texts.

        Args:
            texts: The texts of chunks.

        Returns:
            The vectors, float32, a row for each text.

        Raises:
            EmbedderError: The function fails, or returns something else than a row of numbers for each text.
        """
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        rows = self._called(self._function, list(texts))
        if rows.ndim != 2 or len(rows) != len(texts):
            raise EmbedderError(
                f"{self.model_id} returned an array of shape {rows.shape} for {len(texts)} texts, not a row for each"
            )
        return rows

    def embed_query(self, text: str, /) -> Vectors:
        """Embed a question, to compare it with texts.

        Args:
            text: The question.

        Returns:
            One vector, float32.

        Raises:
            EmbedderError: The function fails, or returns no vector.
        """
        if self._query is None:
            vector: Vectors = self.embed([text])[0]
            return vector
        found = self._called(self._query, text)
        if found.ndim != 1:
            raise EmbedderError(
                f"{self.model_id} returned an array of shape {found.shape} for a question, not one vector"
            )
        return found

    def _called(self, function: Callable[[Any], Any], argument: object) -> Vectors:
        try:
            return np.asarray(function(argument), np.float32)
        except EmbedderError:
            raise
        except Exception as error:  # whatever a function of somebody else's raises
            raise EmbedderError(f"{self.model_id} failed: {type(error).__name__}: {error}") from error


def embedder_of(given: object) -> Embedder | None:
    """An embedder as it is; one made of a function, or of an embedding object of LangChain or LlamaIndex; None for anything else."""
    if isinstance(given, Embedder):
        return given
    if isinstance(given, type):
        return None
    for texts, question in (
        ("embed_documents", "embed_query"),  # LangChain
        ("get_text_embedding_batch", "get_query_embedding"),  # LlamaIndex
    ):
        of_texts, of_question = getattr(given, texts, None), getattr(given, question, None)
        if callable(of_texts) and callable(of_question):
            size = getattr(given, "embed_batch_size", None)
            return CallableEmbedder(
                of_texts,
                query=of_question,
                model_id=_name_of(given),
                max_batch_texts=size if isinstance(size, int) else _BATCH,
            )
    return CallableEmbedder(given) if callable(given) else None


def _name_of(given: object) -> str:
    """The name of the model of an object; of a function, its own."""
    name = getattr(given, "__qualname__", None)
    if isinstance(name, str):
        return f"{getattr(given, '__module__', '')}.{name}"
    kind = type(given).__qualname__
    for attribute in _NAMES:
        model = getattr(given, attribute, None)
        if isinstance(model, str) and model:
            return f"{kind}:{model}"
    return kind
